import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { existsSync } from 'node:fs';
import type { Clock } from '../../base/clock';
import { resultWithin } from '../../base/pause';
import { errorMessage } from '../../base/errorMessage';
import type { AccessPath, Confined } from '../../transcript/approval';
import type { Discards } from '../approval/discards';
import type { CommandCheckpoint } from '../files/changes/commandCheckpoint';
import { NotWatched } from '../files/changes/snapshot';
import type { ConfinedEnd, ConfinedRun, Confinement } from '../sandbox/confinement';
import { type ToolCallContext, type ToolOutput, done, failed } from '../tool';
import { CommandProcess } from './commandProcess';
import {
  commandDetails,
  confinedDetails,
  confinedSentences,
  duration,
  leftSentence,
  outputText,
  stateSentence,
  survivorSentence,
} from './commandOutputText';
import type { Environment } from './loginEnvironment';
import type { OutputFile } from './outputFile';
import type { OutputFolder } from './outputFolder';
import { markerOf } from './orphanedCommands';
import { OutputReport } from './outputReport';
import { type Shell, shellInvocation } from './shell';
import type { RunningCommands, StartedCommand } from './runningCommands';

/** Milliseconds that a background command is watched at first: long enough to detect a failed start. */
const firstWaitMs = 1000;
/** Milliseconds. A turn waits at most two seconds for a call that it stopped, and the output so far belongs in the
 *  call's record. */
const stopTimeoutMs = 1500;

/** Dependencies of the command tools. */
export interface TerminalDeps {
  readonly shell: () => Shell;
  readonly environment: () => Promise<Environment>;
  /** Resolves a folder as the model writes it, relative to the open folders; null: the first open folder. Rejects
   *  with a sentence for the model. */
  readonly resolveFolder: (written: string | null) => Promise<AccessPath>;
  /** True when a command is known to change nothing, so it needs no checkpoint. */
  readonly isReadOnly: (command: string) => boolean;
  readonly confinement: Pick<Confinement, 'isRequired' | 'hasLeftovers' | 'state' | 'confine'>;
  readonly checkpoint: CommandCheckpoint;
  /** What the words of a command in the sandbox discard. */
  readonly discards: (command: string, folder: AccessPath) => Discards;
  readonly outputs: OutputFolder;
  readonly running: RunningCommands;
  /** Default timeout of a command, in seconds. */
  readonly timeoutSeconds: () => number;
  readonly clock: Clock;
  readonly platform: NodeJS.Platform;
}

interface CommandRequest {
  readonly command: string;
  readonly folder: AccessPath;
  readonly background: boolean;
  /** Null: no sandbox here. */
  readonly confined: Confined | null;
  /** True: must not run without a checkpoint that restores what it discards. */
  readonly needsCheckpoint: boolean;
  /** Null: none. */
  readonly timeoutMs: number | null;
}

type Outcome = 'ended' | 'timeout' | 'stopped' | 'proceeded';

/** One run_command call, from its start to its result. */
export class CommandRun {
  constructor(
    private readonly deps: TerminalDeps,
    private readonly request: CommandRequest,
    private readonly call: ToolCallContext,
    private readonly signal: AbortSignal,
  ) {}

  async run(): Promise<ToolOutput> {
    const { command, folder } = this.request;
    const problem = await this.problem();
    if (problem !== null) return failed(problem);
    this.signal.throwIfAborted();
    if (this.deps.isReadOnly(command)) return this.execute();
    const execute = (): Promise<ToolOutput> => this.execute();
    try {
      const { checkpoint } = this.deps;
      const { value, note } = await checkpoint.around(this.call, folder.path, execute, this.request.needsCheckpoint);
      return note === null ? value : { ...value, text: `${value.text}\n\n${note}` };
    } catch (error) {
      if (!(error instanceof NotWatched)) throw error;
      return failed(
        `Nothing was run: the command may discard files, and these could not be saved first (${error.message}). Call ` +
          'the tool again; the person is then asked.',
      );
    }
  }

  /** Reason why it cannot run at all; null when it can. */
  private async problem(): Promise<string | null> {
    const { folder } = this.request;
    const kind = await stat(folder.path).catch(() => null);
    if (kind === null) return `There is no folder at ${folder.shown}; nothing was run. Name an existing one in cwd.`;
    if (!kind.isDirectory()) return `${folder.shown} is a file, not a folder; nothing was run.`;
    const shell = this.deps.shell();
    const unconfined = await this.unconfinedProblem();
    if (unconfined !== null) return unconfined;
    if (isAbsolute(shell.path) && !existsSync(shell.path))
      return (
        `The shell ${shell.path} does not exist; nothing was run. The person can choose another default terminal ` +
        'profile.'
      );
    return null;
  }

  /** Reason why it cannot run where the sandbox is required; null when it can. */
  private async unconfinedProblem(): Promise<string | null> {
    const { confinement } = this.deps;
    if (!confinement.isRequired || this.request.confined?.kind === 'inside') return null;
    const only = 'Commands may only run in the sandbox here (hermes.terminal.sandbox)';
    if (this.request.confined !== null) return `${only}, and this one asked to run without. Nothing was run.`;
    const state = await confinement.state();
    return (
      `${only}, and there is none: ` +
      `${state.kind === 'missing' ? `${state.reason}. ${state.remedy}` : 'only the shells of Unix can be confined.'} ` +
      'Nothing was run.'
    );
  }

  private async execute(): Promise<ToolOutput> {
    const { call, deps } = this;
    const environment = await deps.environment();
    let file: OutputFile;
    try {
      file = await deps.outputs.create(call);
    } catch (error) {
      return failed(`The command's output could not be kept (${errorMessage(error)}), so nothing was run.`);
    }
    this.signal.throwIfAborted();
    let started: StartedCommand;
    try {
      started = await this.start(environment, file);
    } catch (error) {
      return failed(`The command could not be started: ${errorMessage(error)}.`);
    }
    const report = new OutputReport(started.process, call.report, deps.clock);
    try {
      return await this.settle(started, await this.watch(started));
    } finally {
      report.dispose();
    }
  }

  private async start(environment: Readonly<Record<string, string>>, file: OutputFile): Promise<StartedCommand> {
    const { deps, request, call } = this;
    const id = `cmd-${randomBytes(4).toString('hex')}`;
    const options = { folder: request.folder.path, environment, platform: deps.platform };
    const confined = await this.confine(file);
    const invocation =
      confined === null ? shellInvocation(deps.shell(), request.command) : { ...confined, verbatim: false };
    try {
      const process_ = await CommandProcess.start(invocation, options, file, markerOf(process.pid, id), deps.clock);
      if (confined !== null) {
        afterEnd(process_, () => confined.ended());
        onAbort(confined.danger, () => process_.tree.endNow());
      }
      const started = {
        id,
        conversationId: call.conversationId,
        command: request.command,
        folder: request.folder.shown,
        process: process_,
        confined,
      };
      deps.running.add(started);
      return started;
    } catch (error) {
      await confined?.ended();
      throw error;
    }
  }

  /** Null: runs without a sandbox. Rejects when it must not run. */
  private async confine(file: OutputFile): Promise<ConfinedRun | null> {
    const { deps, request } = this;
    if (request.confined?.kind !== 'inside') return null;
    const { hosts } = request.confined;
    try {
      return await deps.confinement.confine(request.command, deps.shell().path, {
        hosts,
        folder: request.folder.path,
        aside: file.path.replace(/\.log$/, '-taken-out'),
      });
    } catch (error) {
      await file.close().catch(() => undefined);
      throw new Error(`the sandbox does not hold it (${errorMessage(error)})`, { cause: error });
    }
  }

  /** Waits for the event that decides the outcome of the call. */
  private watch({ process }: StartedCommand): Promise<Outcome> {
    const { request, call, signal, deps } = this;
    return new Promise((resolve) => {
      const cancels: (() => void)[] = [];
      const decide = (outcome: Outcome): void => {
        for (const cancel of cancels) cancel();
        resolve(outcome);
      };
      const on = (source: AbortSignal, outcome: Outcome): void => {
        const listener = (): void => decide(outcome);
        source.addEventListener('abort', listener, { once: true });
        cancels.push(() => source.removeEventListener('abort', listener));
        if (source.aborted) decide(outcome);
      };
      afterEnd(process, () => decide('ended'));
      if (request.timeoutMs !== null && !request.background)
        cancels.push(deps.clock.after(request.timeoutMs, () => decide('timeout')));
      if (request.background) cancels.push(deps.clock.after(firstWaitMs, () => decide('proceeded')));
      on(call.proceed, 'proceeded');
      on(signal, 'stopped');
    });
  }

  private async settle(started: StartedCommand, outcome: Outcome): Promise<ToolOutput> {
    switch (outcome) {
      case 'ended':
        return this.ended(started);
      case 'timeout':
        return this.timedOut(started);
      case 'stopped':
        return this.stopped(started);
      case 'proceeded':
        return this.proceeded(started);
      default:
        return outcome satisfies never;
    }
  }

  private async ended(started: StartedCommand): Promise<ToolOutput> {
    const { end } = started.process;
    const confined = await this.confinedEnd(started);
    const left = end?.left ?? [];
    if (left.length > 0) this.deps.running.handOver(started.id);
    const state = [
      stateSentence(started),
      ...(left.length > 0 ? [leftSentence(left, started.id)] : []),
      ...confinedSentences(confined),
    ].join(' ');
    const details = {
      ...commandDetails(started, { timedOut: false, background: left.length > 0 ? started.id : null }),
      ...confinedDetails(confined),
    };
    if (started.process.wasStoppedByPerson) {
      return {
        outcome: 'interrupted',
        text: `The person stopped this command; it may have run in part. ${state}\n\n${outputText(started.process)}`,
        details,
      };
    }
    if (end !== null && end.outputFailure !== null) {
      return {
        outcome: 'failed',
        text:
          `Its output could not be kept (${end.outputFailure}), so the command was stopped; it may have run in ` +
          `part. ${state}\n\n${outputText(started.process)}`,
        details,
      };
    }
    return {
      outcome: end?.exitCode === 0 ? 'done' : 'failed',
      text: `${state}\n\n${outputText(started.process)}`,
      details,
    };
  }

  /** Outcome in the sandbox; null when it ran without one. */
  private async confinedEnd({ confined, process }: StartedCommand): Promise<ConfinedEnd | null> {
    if (confined === null) return null;
    const end = await confined.ended();
    return process.end?.exitCode === 0
      ? end
      : { ...end, stopped: [...end.stopped, ...confined.unreadIn(outputText(process))] };
  }

  private async timedOut(started: StartedCommand): Promise<ToolOutput> {
    const left = await started.process.kill();
    const after = duration(this.request.timeoutMs ?? 0);
    const confined = await this.confinedEnd(started);
    return {
      outcome: 'failed',
      text:
        `The command did not end within ${after} and was ended with everything it had ` +
        `started.${survivorSentence(left)} ${[...confinedSentences(confined), ''].join(' ')}Ask for more with ` +
        `timeout_seconds, or run it with background. Output so far:\n\n${outputText(started.process)}`,
      details: { ...commandDetails(started, { timedOut: true, background: null }), ...confinedDetails(confined) },
    };
  }

  private async stopped(started: StartedCommand): Promise<ToolOutput> {
    const left = await resultWithin(this.deps.clock, stopTimeoutMs, started.process.kill(), null);
    const how =
      left === null ? 'and does not end by itself: it is being ended by force' : 'with everything it had started';
    return {
      outcome: 'interrupted',
      text:
        `The command was stopped after ${duration(started.process.runningMs)} ${how}; it may have run in ` +
        `part.${survivorSentence(left ?? [])} Output so far:\n\n${outputText(started.process)}`,
      details: commandDetails(started, { timedOut: false, background: null }),
    };
  }

  private proceeded(started: StartedCommand): ToolOutput {
    const { deps, request } = this;
    deps.running.handOver(started.id);
    if (request.background && request.timeoutMs !== null) this.endLater(started, request.timeoutMs - firstWaitMs);
    return done(
      `${stateSentence(started)} It keeps running with id "${started.id}": read more with command_output, end it ` +
        `with stop_command. It ends with the editor window. Output so far:\n\n${outputText(started.process)}`,
      commandDetails(started, { timedOut: false, background: started.id }),
    );
  }

  private endLater({ process }: StartedCommand, afterMs: number): void {
    afterEnd(
      process,
      this.deps.clock.after(Math.max(0, afterMs), () => {
        // A process that cannot be ended is reported when the output is read.
        process.kill().catch(() => undefined);
      }),
    );
  }
}

/** Calls back when a command has ended. */
function afterEnd({ ended }: CommandProcess, callback: () => unknown): void {
  // Neither the end of a command nor that of its sandbox rejects.
  ended.then(callback).catch(() => undefined);
}

function onAbort(signal: AbortSignal, callback: () => void): void {
  if (signal.aborted) callback();
  else signal.addEventListener('abort', callback, { once: true });
}
