import { expect, test } from 'vitest';
import { UsageError, type Command } from '../../../../src/features/commandLine/commands/command';
import { runIn } from './terminalOf';

const greet: Command = {
  name: 'greet',
  summary: 'Greets somebody.',
  help: ['hermes-history greet <name> [--loud]'],
  options: { loud: { type: 'boolean' } },
  run: (terminal, { loud }, [name]) => {
    if (name === undefined) throw new UsageError('Name somebody.');
    if (name === 'nobody') throw new Error('Nobody is there.');
    terminal.result({ greeted: name });
    terminal.print(loud === true ? `HELLO ${name}` : `Hello ${name}`);
    return Promise.resolve(0);
  },
};

const run = (...args: string[]) => runIn({ folder: '/', programFolder: '/' }, args, [greet]);

test('runs a command with its options and words', async () => {
  expect(await run('greet', 'Ada', '--loud')).toEqual({ code: 0, lines: ['HELLO Ada'] });
});

test('lists the commands, and describes one', async () => {
  expect([await run(), await run('help', 'greet'), await run('greet', '--help')]).toEqual([
    {
      code: 0,
      lines: [
        'hermes-history <command> [options]',
        '',
        '  greet  Greets somebody.',
        '',
        'hermes-history help <command> describes a command, and --version tells the version. Every command takes --json:',
        'its result as JSON.',
      ],
    },
    { code: 0, lines: greet.help },
    { code: 0, lines: greet.help },
  ]);
});

test('gives the result of every command as JSON, also that of an error', async () => {
  const printed = await Promise.all(['Ada', 'nobody'].map((name) => run('greet', name, '--json')));
  const unsung = await run('greet', '--json');

  expect(
    [...printed, unsung].map(({ lines }) => JSON.parse(lines.filter((line) => !line.startsWith('!')).join(''))),
  ).toEqual([
    { command: 'greet', exitCode: 0, greeted: 'Ada' },
    { command: 'greet', exitCode: 2, error: 'Nobody is there.' },
    { command: 'greet', exitCode: 2, error: 'Name somebody.' },
  ]);
});

test('an option with a usual value may stand alone', async () => {
  const seen: unknown[] = [];
  const look: Command = {
    ...greet,
    name: 'look',
    options: { at: { type: 'string' }, loud: { type: 'boolean' } },
    mayBeEmpty: ['--at'],
    run: (_, { at }) => {
      seen.push(at);
      return Promise.resolve(0);
    },
  };
  for (const words of [['--at'], ['--at', '--loud'], ['--at', 'x'], ['--at', '']])
    await runIn({ folder: '/', programFolder: '/' }, ['look', ...words], [look]);

  expect(seen).toEqual(['', '', 'x', '']);
});

test('says what is wrong with a call, and how it is right', async () => {
  const calls = [await run('sing'), await run('greet'), await run('greet', '--soft'), await run('greet', 'nobody')];
  expect(calls.map(({ code, lines }) => [code, lines[0]?.split('.')[0]])).toEqual([
    [2, '! There is no command "sing"'],
    [2, '! Name somebody'],
    [2, "! Unknown option '--soft'"],
    [2, '! Nobody is there'],
  ]);
});
