import { parseArgs } from 'node:util';
import { errorMessage } from '../base/errorMessage';
import { UsageError, type Command, type ExitCode, type Terminal } from './command';
import { damageText } from './damageText';
import { commands } from './commands';

/** Runs `hermes-history <args>`. Never rejects: errors are printed. */
export async function runCommand(
  terminal: Terminal,
  args: readonly string[],
  known: readonly Command[] = commands,
): Promise<ExitCode> {
  const [name, ...rest] = args;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h')
    return printHelp(terminal, known, rest[0]);
  const command = known.find((candidate) => candidate.name === name);
  if (command === undefined) return refuse(terminal, `There is no command "${name}".`, overview(known));
  if (rest.includes('--help') || rest.includes('-h')) return printHelp(terminal, known, name);
  try {
    const { values, positionals } = parse(command, rest);
    return await command.run(terminal, values, positionals);
  } catch (error) {
    if (error instanceof UsageError) return refuse(terminal, error.message, command.help);
    terminal.note(terminal.signal.aborted ? 'Stopped.' : (damageText(error) ?? errorMessage(error)));
    return 2;
  }
}

function parse(command: Command, args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: command.options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(errorMessage(error));
  }
}

function printHelp(terminal: Terminal, known: readonly Command[], name: string | undefined): ExitCode {
  const command = known.find((candidate) => candidate.name === name);
  for (const line of command?.help ?? overview(known)) terminal.print(line);
  return 0;
}

function refuse(terminal: Terminal, reason: string, help: readonly string[]): ExitCode {
  terminal.note(reason);
  for (const line of ['', ...help]) terminal.note(line);
  return 2;
}

function overview(known: readonly Command[]): readonly string[] {
  const width = Math.max(...known.map(({ name }) => name.length));
  return [
    'hermes-history <command> [options]',
    '',
    ...known.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'hermes-history help <command> describes a command.',
  ];
}
