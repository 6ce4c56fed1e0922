import { fork, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { HelperAnswers, HelperReply, HelperRequest } from './helper/messages';

export interface HelperProcessNeeds {
  /** The helper's bundle. */
  readonly file: string;
  /** Where folders of its own may be made. */
  readonly temporary: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** The helper, as a process that answers. A helper that ended fails what it was asked, and everything after. */
export class HelperProcess {
  private readonly waiting = new Map<number, (reply: HelperReply | null) => void>();
  private count = 0;
  private hasEnded = false;
  /** The last of what it complained of. */
  private complaint = '';

  private constructor(
    private readonly child: ChildProcess,
    /** It begins in an empty folder, which goes when it has ended. */
    private readonly folder: string,
  ) {
    child.stderr
      ?.setEncoding('utf8')
      .on('data', (text: string) => (this.complaint = (this.complaint + text).slice(-1000)));
    child.on('message', (reply: HelperReply) => this.take(reply.number, reply));
    const end = (): void => {
      this.hasEnded = true;
      for (const number of [...this.waiting.keys()]) this.take(number, null);
      void rm(this.folder, { recursive: true, force: true });
    };
    child.once('error', end);
    child.once('exit', end);
  }

  /** Rejects when it cannot be started. */
  static async start({ file, temporary, environment }: HelperProcessNeeds): Promise<HelperProcess> {
    const folder = await mkdtemp(join(temporary, 'hermes-sandbox-'));
    // Without it the editor itself would be started.
    const env = { ...environment, ELECTRON_RUN_AS_NODE: '1', CLAUDE_CODE_TMPDIR: temporary };
    return new HelperProcess(
      fork(file, [], { cwd: folder, env, execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] }),
      folder,
    );
  }

  get isGone(): boolean {
    return this.hasEnded;
  }

  /** Rejects with the helper's reason. */
  ask<K extends HelperRequest['kind']>(request: Extract<HelperRequest, { kind: K }>): Promise<HelperAnswers[K]> {
    return new Promise((resolve, reject) => {
      if (this.hasEnded) return reject(this.ending());
      const number = ++this.count;
      this.waiting.set(number, (reply) => {
        if (reply === null) reject(this.ending());
        else if ('failure' in reply) reject(new Error(reply.failure));
        // One answer each, of the kind that was asked for.
        else resolve(reply.answer as HelperAnswers[K]);
      });
      this.child.send(
        { number, request },
        (error) => error !== null && this.take(number, { number, failure: error.message }),
      );
    });
  }

  /** It takes its proxies down and ends. */
  dispose(): void {
    if (this.child.connected) this.child.disconnect();
  }

  private ending(): Error {
    const reason = /^(?:\w*Error: )?(.+)$/m.exec(this.complaint.trim())?.[1] ?? '';
    return new Error(reason === '' ? 'its helper has ended' : `its helper has ended: ${reason}`);
  }

  private take(number: number, reply: HelperReply | null): void {
    const done = this.waiting.get(number);
    this.waiting.delete(number);
    done?.(reply);
  }
}
