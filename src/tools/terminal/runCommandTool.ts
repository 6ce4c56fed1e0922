import * as v from 'valibot';
import type { AccessPath, Confined, ShellKind } from '../../transcript/approval';
import { CommandRun, type TerminalDeps } from './commandRun';
import { hostName } from '../approval/ruleText';
import { type AnyTool, defineTool, failed, type ToolOutput } from '../tool';
import type { Clock } from '../../base/clock';
import { commandDetails, laterOutput, leftSentence, stateSentence, survivorSentence } from './commandOutputText';
import type { RunningCommands, StartedCommand } from './runningCommands';

const longestWaitSeconds = 60;
/** Milliseconds to wait for more after the first output, because output comes in bursts. */
const burstMs = 250;

const idSchema = v.pipe(v.string(), v.description('As run_command returned it ("cmd-…").'));

/** Reads new output of a command that keeps running. */
function commandOutputTool({ running, clock }: Pick<TerminalDeps, 'running' | 'clock'>): AnyTool {
  return defineTool({
    name: 'command_output',
    description:
      'Returns what a command that keeps running (run_command) has written since it was last asked, and whether it ' +
      `still runs. With wait_seconds (at most ${longestWaitSeconds}) it waits for new output or for the end.`,
    schema: v.object({
      id: idSchema,
      wait_seconds: v.optional(v.pipe(v.number(), v.minValue(0), v.description('Default: not at all.')), 0),
    }),
    readOnly: true,
    run: async ({ id, wait_seconds }, signal, call) => {
      const started = running.find(call.conversationId, id);
      if (started === null) return unknown(running, call.conversationId, id);
      if (started.process.end === null)
        await somethingNew(
          started,
          running.untold(id) > 0 ? 0 : Math.min(wait_seconds, longestWaitSeconds) * 1000,
          clock,
          signal,
        );
      await started.process.refresh();
      const output = await laterOutput(started.process, running.markReceived(id));
      return {
        outcome: 'done',
        text: `${stateNow(started)}\n\n${output}`,
        details: commandDetails(started, { timedOut: false, background: started.process.isAlive ? id : null }),
      };
    },
  });
}

/** Ends a command that keeps running. It needs no approval, because the command is the agent's own. */
function stopCommandTool({ running }: Pick<TerminalDeps, 'running'>): AnyTool {
  return defineTool({
    name: 'stop_command',
    description:
      'Ends a command that keeps running (run_command), with everything it started, and returns its last output.',
    schema: v.object({ id: idSchema }),
    readOnly: false,
    run: async ({ id }, _signal, call) => {
      const started = running.find(call.conversationId, id);
      if (started === null) return unknown(running, call.conversationId, id);
      const wasAlive = started.process.isAlive;
      const left = wasAlive ? await started.process.kill() : [];
      const output = await laterOutput(started.process, running.markReceived(id));
      const sentence = wasAlive
        ? `Ended with everything it had started.${survivorSentence(left)} `
        : 'It had ended before. ';
      return {
        outcome: left.length === 0 ? 'done' : 'failed',
        text: `${sentence}${stateSentence(started)}\n\n${output}`,
        details: commandDetails(started, { timedOut: false, background: null }),
      };
    },
  });
}

function stateNow(started: StartedCommand): string {
  const { end, isAlive } = started.process;
  return end !== null && isAlive
    ? `${stateSentence(started)} ${leftSentence(end.left, started.id)}`
    : stateSentence(started);
}

function somethingNew(
  { process }: StartedCommand,
  timeoutMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  if (timeoutMs === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const cancels = [clock.after(timeoutMs, done), () => signal.removeEventListener('abort', done)];
    const listening = process.onOutput(() => {
      listening.dispose();
      cancels.push(clock.after(burstMs, done));
    });
    cancels.push(() => listening.dispose());
    signal.addEventListener('abort', done, { once: true });
    process.ended.then(done, done);
    function done(): void {
      for (const cancel of cancels) cancel();
      resolve();
    }
  });
}

function unknown(running: RunningCommands, conversationId: string, id: string): ToolOutput {
  const known = running
    .ofConversation(conversationId)
    .map((command) => `"${command.id}" (${command.command.slice(0, 80)})`);
  const which = known.length === 0 ? 'None of this session is running.' : `Known are ${known.join(', ')}.`;
  return failed(
    `There is no command with id "${id}". ${which} Commands end with their editor window; what they wrote stays ` +
      'in their files.',
  );
}

/** Most seconds that a model may request beyond the setting. */
const furtherSeconds = 600;

/** Tools that run commands, read their output, and stop them. */
export function terminalTools(deps: TerminalDeps): readonly AnyTool[] {
  return [runCommandTool(deps), commandOutputTool(deps), stopCommandTool(deps)];
}

/** Runs a command in the user's shell. */
function runCommandTool(deps: TerminalDeps): AnyTool {
  const shell = deps.shell();
  /** Approved place of a call, by its arguments. */
  const asked = new WeakMap<object, string>();
  /** Calls that may have been allowed because a checkpoint restores what they discard. */
  const needing = new WeakSet<object>();
  const restores = async (command: string, folder: AccessPath): Promise<boolean> => {
    const discards = deps.discards(command, folder);
    return discards.kind === 'files' && (await deps.checkpoint.restores(folder.path, discards));
  };
  /** Null: no sandbox here. */
  const confinedBy = async (input: {
    readonly hosts: readonly string[];
    readonly without_sandbox?: string | undefined;
  }): Promise<Confined | null> => {
    if ((await deps.confinement.state()).kind !== 'works' || deps.shell().kind !== 'posix') return null;
    const { hosts, without_sandbox: reason } = input;
    if (reason !== undefined) return { kind: 'outside', reason };
    const inside = { kind: 'inside' as const, hosts: [...new Set(hosts)].sort() };
    return deps.confinement.hasLeftovers ? { ...inside, hasLeftovers: true } : inside;
  };
  return defineTool({
    name: 'run_command',
    description:
      `Runs a command with ${shell.name} on ${deps.platform} and returns its exit code and output. Every command ` +
      'starts in a fresh shell: a directory change, variable or alias does not last to the next one. There is no ' +
      'terminal and no input, so give options that answer questions ("--yes"). ' +
      `It ends after ${deps.timeoutSeconds()} seconds unless timeout_seconds says otherwise (at most ` +
      `${furtherSeconds} more). With background it keeps running (servers, watchers): use command_output and ` +
      'stop_command with the id it returns. Long output is cut in the middle; the whole of it stays in a file.',
    schema: v.object({
      command: v.pipe(
        v.string(),
        v.check((text) => text.trim() !== '', 'is empty'),
        v.check((text) => !text.includes('\0'), 'contains a null character'),
        v.check(
          (text) => deps.shell().kind !== 'cmd' || !/[\r\n]/.test(text.trim()),
          'has several lines, and cmd runs only the first: join them with && or &',
        ),
      ),
      cwd: v.optional(v.pipe(v.string(), v.description('Default: the open folder.'))),
      timeout_seconds: v.optional(v.pipe(v.number(), v.minValue(1, 'is less than a second'))),
      background: v.optional(v.boolean(), false),
      hosts: v.optional(
        v.pipe(
          v.array(
            v.pipe(
              v.string(),
              v.trim(),
              v.toLowerCase(),
              v.regex(hostName, 'is not the name of a host, like registry.npmjs.org'),
            ),
          ),
          v.description(
            'Hosts that it connects to ("registry.npmjs.org"), where commands are confined: it reaches no others.',
          ),
        ),
        [],
      ),
      without_sandbox: v.optional(
        v.pipe(
          v.string(),
          v.trim(),
          v.description(
            'Only where the sandbox kept it from what it has to do, or a server must be reached from outside: ' +
              'why, in one sentence for the person, who is always asked.',
          ),
        ),
      ),
    }),
    readOnly: false,
    asks: async (input) => {
      const folder = await deps.resolveFolder(input.cwd ?? null);
      const { kind } = deps.shell();
      const confined = await confinedBy(input);
      asked.set(input, placeOf(folder.path, kind, confined));
      const isRestorable = confined?.kind === 'inside' && (await restores(input.command, folder));
      if (isRestorable) needing.add(input);
      else needing.delete(input);
      return {
        access: {
          kind: 'run',
          command: input.command,
          folder,
          shell: kind,
          ...(confined === null ? {} : { confined: isRestorable ? { ...confined, isRestorable } : confined }),
        },
      };
    },
    run: async (input, signal, call) => {
      const { command, cwd, timeout_seconds, background } = input;
      const most = deps.timeoutSeconds() + furtherSeconds;
      const timeoutSeconds = Math.min(timeout_seconds ?? deps.timeoutSeconds(), most);
      const folder = await deps.resolveFolder(cwd ?? null);
      const allowed = asked.get(input);
      const confined = await confinedBy(input);
      // While the approval was open, a link may have been replaced, another shell chosen, or the sandbox lost.
      if (allowed !== undefined && allowed !== placeOf(folder.path, deps.shell().kind, confined)) {
        return failed(
          `${cwd ?? 'The open folder'} leads elsewhere now than when this was asked for, or the shell or the ` +
            'sandbox is another one. Nothing was run. Call the tool again.',
        );
      }
      const request = {
        command,
        folder,
        background,
        confined,
        needsCheckpoint: needing.has(input),
        timeoutMs: background && timeout_seconds === undefined ? null : timeoutSeconds * 1000,
      };
      return new CommandRun(deps, request, call, signal).run();
    },
  });
}

function placeOf(folder: string, shell: ShellKind, confined: Confined | null): string {
  // The user may remove what is left while the card is open.
  return JSON.stringify([shell, folder, confined], (name, value: unknown) =>
    name === 'hasLeftovers' ? undefined : value,
  );
}
