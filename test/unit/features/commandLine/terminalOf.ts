import { systemClock } from '../../../../src/base/clock';
import type { Command, Terminal } from '../../../../src/features/commandLine/commands/command';
import { runCommand } from '../../../../src/features/commandLine/runCommand';

/** Runs the program with these words in a folder, without anybody who confirms. Lines that it notes begin with "! ". */
export async function runIn(
  { folder, programFolder, home = '/home/user' }: { folder: string; programFolder: string; home?: string },
  args: readonly string[],
  commands?: readonly Command[],
): Promise<{ readonly code: number; readonly lines: readonly string[] }> {
  const lines: string[] = [];
  const terminal: Omit<Terminal, 'result'> = {
    print: (line) => lines.push(line),
    note: (line) => lines.push(`! ${line}`),
    confirm: () => Promise.resolve(false),
    signal: new AbortController().signal,
    clock: systemClock,
    home,
    platform: process.platform,
    environment: {},
    folder,
    programFolder,
  };
  return { code: await runCommand(terminal, args, commands), lines };
}
