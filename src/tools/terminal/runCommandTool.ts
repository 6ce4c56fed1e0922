import * as v from 'valibot';
import type { ShellKind } from '../../transcript/approval';
import { CommandRun } from './commandRun';
import { type AnyTool, defineTool } from '../tool';
import { furtherSeconds, type TerminalNeeds } from './terminalNeeds';

/** Runs a command in the person's shell. */
export function runCommandTool(needs: TerminalNeeds): AnyTool {
  const shell = needs.shell();
  /** Where a call was allowed to run, by its arguments. */
  const asked = new WeakMap<object, string>();
  return defineTool({
    name: 'run_command',
    description:
      `Runs a command with ${shell.name} on ${needs.platform} and returns its exit code and output. Every command starts in a fresh shell: a directory change, variable or alias does not last to the next one. There is no terminal and no input, so give options that answer questions ("--yes"). ` +
      `It ends after ${needs.timeoutSeconds()} seconds unless timeout_seconds says otherwise (at most ${furtherSeconds} more). With background it keeps running (servers, watchers): use command_output and stop_command with the id it returns. Long output is cut in the middle; the whole of it stays in a file.`,
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'string', description: 'What to run, as it would be typed.' },
        cwd: {
          type: 'string',
          description: 'Folder to run in, relative to the open folder. Default: the open folder.',
        },
        timeout_seconds: { type: 'number', minimum: 1, description: 'When to end it.' },
        background: { type: 'boolean', description: 'Return at once and keep it running.' },
      },
      required: ['command'],
      additionalProperties: false,
    },
    schema: v.object({
      command: v.pipe(
        v.string(),
        v.check((text) => text.trim() !== '', 'is empty'),
        v.check((text) => !text.includes('\0'), 'contains a null character'),
      ),
      cwd: v.optional(v.string()),
      timeout_seconds: v.optional(v.pipe(v.number(), v.minValue(1, 'is less than a second'))),
      background: v.optional(v.boolean(), false),
    }),
    readOnly: false,
    asks: async (input) => {
      const folder = await needs.resolveFolder(input.cwd ?? null);
      const { kind } = needs.shell();
      asked.set(input, placeOf(folder.path, kind));
      return { access: { kind: 'run', command: input.command, folder, shell: kind } };
    },
    run: async (input, signal, call) => {
      const { command, cwd, timeout_seconds, background } = input;
      const most = needs.timeoutSeconds() + furtherSeconds;
      const timeoutSeconds = Math.min(timeout_seconds ?? needs.timeoutSeconds(), most);
      const folder = await needs.resolveFolder(cwd ?? null);
      const allowed = asked.get(input);
      // A link may have been exchanged, or another shell chosen, while the question was open.
      if (allowed !== undefined && allowed !== placeOf(folder.path, needs.shell().kind)) {
        return {
          outcome: 'failed',
          text: `${cwd ?? 'The open folder'} leads elsewhere now than when this was asked for, or the shell is another one. Nothing was run. Call the tool again.`,
        };
      }
      const request = {
        command,
        folder,
        background,
        timeoutMs: background && timeout_seconds === undefined ? null : timeoutSeconds * 1000,
      };
      return new CommandRun(needs, request, call, signal).run();
    },
  });
}

function placeOf(folder: string, shell: ShellKind): string {
  return `${shell} ${folder}`;
}
