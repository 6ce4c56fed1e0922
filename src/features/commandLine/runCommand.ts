import { readFileSync, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { errorMessage } from '../../base/errorMessage';
import { UsageError, type Command, type ExitCode, type Terminal, damageText, rescueText } from './commands/command';
import { isJsonObject } from '../../transcript/json';
import { backup } from './commands/backup';
import { check } from './commands/check';
import { exportCommand } from './commands/export';
import { importCommand } from './commands/import';
import { currentCopy, readOnly } from '../../store/library/foreignStore';
import { storeFiles } from '../../store/open/storeFiles';
import { fileCheck } from '../../store/session/queries/integrity';
import { givenStore, readingTools } from './commands/givenPaths';

/** Copies a store's database to a file that any SQLite opens. */
const copy: Command = {
  name: 'copy',
  summary: 'Copies the database of your sessions to a file that any SQLite opens.',
  help: [
    'hermes-history copy --store <folder> <file>',
    '',
    '  --store <folder>  folder with state.db, which a window may have open',
  ],
  options: { store: { type: 'string' } },
  run: async (terminal, options, [file, ...rest]) => {
    if (file === undefined || rest.length > 0) throw new UsageError('Name the file to write.');
    const path = resolve(terminal.folder, file);
    if (existsSync(path)) throw new Error(`There is already ${path}. Name a new file.`);
    const tools = await readingTools(terminal);
    const copied = currentCopy(tools, givenStore(terminal, options));
    const unfinished = `${path}.new`;
    let isSound: boolean;
    try {
      isSound = isWhole(tools, copied.folder);
      copyFileSync(storeFiles(copied.folder).main, unfinished);
      renameSync(unfinished, path);
    } finally {
      rmSync(unfinished, { force: true });
      copied.remove();
    }
    terminal.result({ path });
    terminal.print(`Copied to ${path}`);
    if (isSound) return 0;
    terminal.note(`The file that holds these sessions is damaged, and so is the copy. ${rescueText}`);
    return 1;
  },
};

/** True when SQLite finds nothing wrong with the file, and does not give up over it. */
function isWhole(tools: Awaited<ReturnType<typeof readingTools>>, folder: string): boolean {
  try {
    return readOnly(tools, folder, fileCheck).length === 0;
  } catch (error) {
    if (damageText(error) === null) throw error;
    return false;
  }
}

/** The commands, in the order of the help text. */
const commands: readonly Command[] = [importCommand, exportCommand, check, backup, copy];

/** Runs `hermes-history <args>`. Never rejects: errors are printed. */
export async function runCommand(
  terminal: Omit<Terminal, 'result'>,
  args: readonly string[],
  known: readonly Command[] = commands,
): Promise<ExitCode> {
  const [name, ...rest] = args;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h')
    return printHelp(terminal, known, rest[0]);
  if (name === '--version' || name === '-V') {
    terminal.print(versionOf(terminal));
    return 0;
  }
  const command = known.find((candidate) => candidate.name === name);
  if (command === undefined) return refuse(terminal, `There is no command "${name}".`, overview(known));
  if (rest.includes('--help') || rest.includes('-h')) return printHelp(terminal, known, name);
  const isJson = rest.includes('--json');
  let data: object = {};
  const asked: Terminal = {
    ...terminal,
    print: (line) => (isJson ? undefined : terminal.print(line)),
    result: (found) => (data = { ...data, ...found }),
  };
  const code = await attempt(asked, command, rest);
  if (isJson) terminal.print(JSON.stringify({ command: name, exitCode: code, ...data }, null, 2));
  return code;
}

async function attempt(terminal: Terminal, command: Command, args: readonly string[]): Promise<ExitCode> {
  try {
    const { values, positionals } = parse(command, args);
    return await command.run(terminal, values, positionals);
  } catch (error) {
    const reason = terminal.signal.aborted ? 'Stopped.' : (damageText(error) ?? errorMessage(error));
    terminal.result({ error: reason });
    if (error instanceof UsageError) return refuse(terminal, error.message, command.help);
    terminal.note(reason);
    return 2;
  }
}

function versionOf({ programFolder }: Pick<Terminal, 'programFolder'>): string {
  const about: unknown = JSON.parse(readFileSync(join(programFolder, '..', 'package.json'), 'utf8'));
  return isJsonObject(about) ? String(about['version']) : '';
}

function parse(command: Command, args: readonly string[]) {
  try {
    const options = { ...command.options, json: { type: 'boolean' } } as const;
    const given = args.map((word, index) => {
      const isBare = command.mayBeEmpty?.includes(word) === true && !/^[^-]|^$/.test(args[index + 1] ?? '-');
      return isBare ? `${word}=` : word;
    });
    return parseArgs({ args: given, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(errorMessage(error));
  }
}

function printHelp(terminal: Pick<Terminal, 'print'>, known: readonly Command[], name: string | undefined): ExitCode {
  const command = known.find((candidate) => candidate.name === name);
  for (const line of command?.help ?? overview(known)) terminal.print(line);
  return 0;
}

function refuse(terminal: Pick<Terminal, 'note'>, reason: string, help: readonly string[]): ExitCode {
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
    'hermes-history help <command> describes a command, and --version tells the version. Every command takes --json:',
    'its result as JSON.',
  ];
}
