import { fork, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { HelperAlarm, HelperAnswers, HelperReply, HelperRequest } from './helper/messages';

export interface HelperProcessDeps {
  /** Path of the helper's bundle. */
  readonly file: string;
  /** Folder in which it may create its own folders. */
  readonly temporary: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Helper process that answers requests. After it ends, pending and later requests fail. */
export class HelperProcess {
  private readonly waiting = new Map<number, (reply: HelperReply | null) => void>();
  /** What to do when a command has to be ended, by its id. */
  readonly alarms = new Map<string, () => void>();
  private count = 0;
  private hasEnded = false;
  /** Last part of its error output. */
  private complaint = '';

  private constructor(
    private readonly child: ChildProcess,
    /** Empty start folder, deleted after the process ends. */
    private readonly folder: string,
  ) {
    child.stderr
      ?.setEncoding('utf8')
      .on('data', (text: string) => (this.complaint = (this.complaint + text).slice(-1000)));
    child.on('message', (message: HelperReply | HelperAlarm) =>
      'danger' in message ? this.alarms.get(message.danger)?.() : this.take(message.number, message),
    );
    const end = (): void => {
      this.hasEnded = true;
      // Nothing guards them anymore.
      for (const alarm of this.alarms.values()) alarm();
      for (const number of [...this.waiting.keys()]) this.take(number, null);
      // Only an empty folder would stay.
      rm(this.folder, { recursive: true, force: true }).catch(() => undefined);
    };
    child.once('error', end);
    child.once('exit', end);
  }

  /** Rejects when it cannot be started. */
  static async start({ file, temporary, environment }: HelperProcessDeps): Promise<HelperProcess> {
    const folder = await mkdtemp(join(temporary, 'hermes-sandbox-'));
    // Without this variable the editor itself would start.
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
        // Each request gets one answer, of the requested kind.
        else resolve(reply.answer as HelperAnswers[K]);
      });
      this.child.send(
        { number, request },
        (error) => error !== null && this.take(number, { number, failure: error.message }),
      );
    });
  }

  /** Makes the helper shut down its proxies and end. */
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
