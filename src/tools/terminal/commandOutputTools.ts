import * as v from 'valibot';
import type { Clock } from '../../base/clock';
import { type AnyTool, defineTool, type ToolOutput, failed } from '../tool';
import { commandDetails, laterOutput, leftSentence, stateSentence, survivorSentence } from './commandOutputText';
import type { TerminalDeps } from './commandRun';
import type { RunningCommands, StartedCommand } from './runningCommands';

const longestWaitSeconds = 60;
/** Milliseconds to wait for more after the first output, because output comes in bursts. */
const burstMs = 250;

const idSchema = v.pipe(v.string(), v.description('As run_command returned it ("cmd-…").'));

/** Reads new output of a command that keeps running. */
export function commandOutputTool({ running, clock }: Pick<TerminalDeps, 'running' | 'clock'>): AnyTool {
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
export function stopCommandTool({ running }: Pick<TerminalDeps, 'running'>): AnyTool {
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
