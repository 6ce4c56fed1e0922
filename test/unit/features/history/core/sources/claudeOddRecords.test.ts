import { expect, test } from 'vitest';
import { claudeSource } from '../../../../../../src/features/history/core/sources/claude/claudeSource';
import { MemoryFiles } from '../../../../../support/history/memoryFiles';
import { findHistory, outline, placesWith, readHistory } from '../../../../../support/history/readHistory';

const path = '/c/projects/p/s.jsonl';

async function read(content: string | Uint8Array): Promise<readonly string[]> {
  const source = claudeSource(new MemoryFiles({ [path]: content }));
  const { sessions } = await findHistory(source, placesWith({ claude: '/c' }));
  const session = sessions[0];
  if (session === undefined) throw new Error('no session');
  return outline(await readHistory(source, session)).filter((line) => !line.startsWith('facts'));
}

function prompt(uuid: string, parentUuid: string | null, text: string): string {
  return JSON.stringify({ type: 'user', uuid, parentUuid, message: { role: 'user', content: text } });
}

test('keeps every message of records whose parents form a cycle', async () => {
  expect(await read([prompt('a', 'b', 'one'), prompt('b', 'a', 'two'), prompt('c', 'c', 'three')].join('\n'))).toEqual([
    '1 shown user: one',
    '2 shown user: two',
    '3 shown user: three',
    'in 3 = imported 3 + skipped 0, 3 messages',
  ]);
});

test('replaces a parent that is not in the file by the record before', async () => {
  expect(await read([prompt('a', 'gone', 'one'), prompt('b', 'gone', 'two')].join('\n'))).toEqual([
    '1 shown user: one',
    '2 shown user: two',
    'in 2 = imported 2 + skipped 0, 2 messages',
  ]);
});

test('says that characters were damaged', async () => {
  const bytes = Buffer.from(prompt('a', null, 'caf~'), 'latin1');
  bytes[bytes.indexOf('~')] = 0xe9;

  expect(await read(bytes)).toEqual([
    '1 shown user: caf\uFFFD (Some characters were damaged and are shown as \uFFFD.)',
    'in 1 = imported 1 + skipped 0, 1 messages',
  ]);
});

test('skips a line that is too long without keeping it', async () => {
  const long = prompt('b', 'a', 'x'.repeat(65 * 2 ** 20));
  expect(await read([prompt('a', null, 'one'), long, prompt('c', 'a', 'two')].join('\n'))).toEqual([
    '1 shown user: one',
    '2 shown user: two',
    `damaged at line 2: The line has ${long.length} bytes, which is too long to read.`,
    'in 3 = imported 2 + skipped 1, 2 messages',
  ]);
});

test('a command of the program itself is no prompt, and one that the model answers is', async () => {
  const command = (name: string): string => `<command-name>/${name}</command-name>\n<command-args></command-args>`;

  expect(
    await read(
      [prompt('a', null, 'one'), prompt('b', 'a', command('compact')), prompt('c', 'b', command('review'))].join('\n'),
    ),
  ).toEqual([
    '1 shown user: one',
    '2 hidden user: /compact',
    '3 shown user: /review',
    'in 3 = imported 3 + skipped 0, 3 messages',
  ]);
});
