import { randomBytes } from 'node:crypto';
import { spawn, fork, type ChildProcess } from 'node:child_process';
import { t } from '../../base/translate';
import type { Log } from '../../base/log';
import { errorMessage } from '../../base/errorMessage';
import type { SandboxState } from '../../transcript/sandboxState';
import type { HelperAnswers, HelperTools, Limits, HelperAlarm, HelperReply, HelperRequest } from './helper/messages';
import type { GitPlaces } from './git/gitGuard';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

interface HelperProcessDeps {
  /** Path of the helper's bundle. */
  readonly file: string;
  /** Folder in which it may create its own folders. */
  readonly temporary: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Helper process that answers requests. After it ends, pending and later requests fail. */
class HelperProcess {
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

/** auto: commands are confined if the sandbox works. required: without a working sandbox no command runs. off: no
 *  sandbox. */
export const sandboxSettings = ['auto', 'required', 'off'] as const;
export type SandboxSetting = (typeof sandboxSettings)[number];

interface SandboxDeps extends HelperProcessDeps {
  readonly tools: () => Promise<HelperTools>;
  readonly platform: NodeJS.Platform;
  readonly log: Log;
}

/** Command line that runs a command inside, and its blocked actions. Call `ended` exactly once, even if the command
 *  never started. */
interface ConfinedCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Files beyond the limits that it cannot change. */
  readonly kept: readonly string[];
  /** Actions blocked so far: lines of the library, which `stoppedActions` parses. */
  stopped(): Promise<readonly string[]>;
  /** All blocked actions, as such lines, and the files of Git that were taken out. Rejects when it is not known if
   *  there are such files. */
  ended(): Promise<HelperAnswers['ended']>;
}

/** Confines commands with the tools of the operating system: bubblewrap on Linux, seatbelt on macOS. Tests if they
 *  work instead of guessing. */
export class Sandbox {
  private helper: Promise<HelperProcess | { readonly reason: string }> | null = null;

  constructor(private readonly deps: SandboxDeps) {}

  /** Tells if commands can be confined on this machine; tested once per window. */
  async state(): Promise<Exclude<SandboxState, { kind: 'off' }>> {
    const helper = await this.started();
    return helper instanceof HelperProcess
      ? { kind: 'works' }
      : { kind: 'missing', reason: helper.reason, remedy: remedyFor(helper.reason, this.deps.platform) };
  }

  /** Rejects with the reason when the command cannot be confined; do not run it then. `onDanger`: end the command at
   *  once. */
  async confine(
    command: string,
    shell: string,
    limits: Limits,
    hosts: readonly string[],
    git: GitPlaces,
    onDanger: () => void,
  ): Promise<ConfinedCommand> {
    const helper = await this.started();
    if (!(helper instanceof HelperProcess)) throw new Error(helper.reason);
    // The proxies identify a command by this id, so no command may be able to guess another's.
    const id = randomBytes(24).toString('base64url');
    helper.alarms.set(id, onDanger);
    const line = await helper.ask({ kind: 'wrap', id, shell, command, limits, hosts, git });
    return {
      ...line,
      stopped: async () =>
        helper.isGone ? [] : (await helper.ask({ kind: 'stopped', id }).catch(() => ({ stopped: [] }))).stopped,
      ended: async () => {
        const answer = await helper.ask({ kind: 'ended', id });
        helper.alarms.delete(id);
        return answer;
      },
    };
  }

  dispose(): void {
    this.helper?.then(
      (helper) => helper instanceof HelperProcess && helper.dispose(),
      () => undefined,
    );
    this.helper = null;
  }

  private async started(): Promise<HelperProcess | { readonly reason: string }> {
    this.helper ??= this.start();
    const helper = await this.helper;
    // Start a killed helper again for the next command.
    if (!(helper instanceof HelperProcess) || !helper.isGone) return helper;
    this.helper = this.start();
    return this.helper;
  }

  private async start(): Promise<HelperProcess | { readonly reason: string }> {
    const { platform, log } = this.deps;
    if (platform !== 'linux' && platform !== 'darwin') return { reason: t('there is none for this system') };
    let helper: HelperProcess | null = null;
    try {
      helper = await HelperProcess.start(this.deps);
      const { problems } = await helper.ask({ kind: 'start', tools: await this.deps.tools() });
      const reason = problems.length > 0 ? problems.join('; ') : await this.tried(helper);
      if (reason === null) return helper;
      helper.dispose();
      log.info(`Commands cannot be confined: ${reason}`);
      return { reason };
    } catch (error) {
      helper?.dispose();
      const reason = errorMessage(error);
      log.warn(`The sandbox could not be started: ${reason}`);
      return { reason };
    }
  }

  /** Runs a command inside that must succeed, and one write that must fail. Returns the reason if the sandbox does
   *  not work, else null. */
  private async tried(helper: HelperProcess): Promise<string | null> {
    const { temporary } = this.deps;
    const id = randomBytes(24).toString('base64url');
    const probe = `${temporary}/hermes-sandbox-probe-${id}`;
    const { program, args } = await helper.ask({
      kind: 'wrap',
      id,
      shell: '/bin/sh',
      command: `echo inside; echo outside > '${probe.replaceAll("'", "'\\''")}'`,
      limits: { writable: [], kept: [temporary], hidden: [], shown: [] },
      hosts: [],
      git: null,
    });
    const { output } = await outcomeOf(program, args);
    await helper.ask({ kind: 'ended', id });
    if (!output.startsWith('inside\n'))
      return output.trim().split('\n')[0]?.slice(0, 200) || t('a command inside gave no answer');
    return /Read-only|not permitted|denied/i.test(output) ? null : t('a command inside could write outside');
  }
}

function outcomeOf(program: string, args: readonly string[]): Promise<{ readonly output: string }> {
  return new Promise((resolve) => {
    const child = spawn(program, [...args], { stdio: ['ignore', 'pipe', 'pipe'], timeout: 20_000 });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.once('error', (error) => resolve({ output: error.message }));
    child.once('close', () => resolve({ output }));
  });
}

/** Advice for setting up a sandbox, by the reason for its absence. */
export function remedyFor(reason: string, platform: NodeJS.Platform): string {
  if (platform === 'win32') return t('Work in WSL or a dev container with bubblewrap.');
  if (/not installed|not found/i.test(reason))
    return t('Install bubblewrap and socat (for example: sudo apt install bubblewrap socat) and reload the window.');
  if (/namespace|permission|not permitted|userns|uid map/i.test(reason))
    return t(
      'This system or container does not let programs make namespaces. On Ubuntu 24.04 and later allow it with an AppArmor profile for bwrap; in a container allow it with its security options.',
    );
  return t('See docs/sandbox.md.');
}
