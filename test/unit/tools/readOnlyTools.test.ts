import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readOnlyTools } from '../../../src/tools/readOnlyTools';
import { ToolRegistry } from '../../../src/tools/toolRegistry';
import { FolderOnDisk } from '../../support/folderOnDisk';
import { aToolCall } from '../../support/toolCalls';

let home: string;
let registry: ToolRegistry;
const never = new AbortController().signal;

beforeEach(() => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), 'hermes-tools-')));
  const root = path.join(home, 'project');
  mkdirSync(path.join(root, 'src'), { recursive: true });
  mkdirSync(path.join(home, 'secret'));
  writeFileSync(path.join(home, 'secret', 'key.txt'), 'hidden');
  writeFileSync(path.join(root, 'src', 'a.ts'), 'one\r\ntwo\r\nthree\r\n');
  writeFileSync(path.join(root, 'empty.txt'), '');
  writeFileSync(path.join(root, 'picture.png'), Buffer.from([0x89, 0x50, 0, 1]));
  writeFileSync(path.join(root, 'wide.txt'), Buffer.from('\ufefföl', 'utf16le'));
  writeFileSync(path.join(root, 'long.txt'), Array.from({ length: 2500 }, (_, index) => `line ${index + 1}`).join('\n'));
  symlinkSync(path.join(home, 'secret'), path.join(root, 'link'));
  registry = new ToolRegistry(readOnlyTools(new FolderOnDisk([{ name: 'project', path: root }])));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const run = async (name: string, args: unknown) => {
  const output = await registry.run({ callId: 'c', name, arguments: typeof args === 'string' ? args : JSON.stringify(args) }, never, aToolCall());
  return `${output.outcome}: ${output.text.replaceAll(home, '<home>')}`;
};

describe('read_file', () => {
  it.each([
    ['a whole file, numbered', { path: 'src/a.ts' }, 'done: 1\tone\n2\ttwo\n3\tthree'],
    ['a range', { path: 'src/a.ts', start_line: 2, end_line: 2 }, 'done: 2\ttwo'],
    ['an absolute path inside the folder', { path: './src/../src/a.ts', start_line: 3 }, 'done: 3\tthree'],
    ['an empty file', { path: 'empty.txt' }, 'done: empty.txt is empty.'],
    ['a file in UTF-16', { path: 'wide.txt' }, 'done: 1\töl'],
    ['a folder', { path: 'src' }, 'failed: src is a folder. Use list_directory to see what is in it.'],
    ['a file that is not text', { path: 'picture.png' }, 'failed: picture.png is not a text file (4 bytes).'],
    ['a line past the end', { path: 'src/a.ts', start_line: 9 }, 'failed: src/a.ts has 3 lines; line 9 is past its end.'],
    ['a range that runs backwards', { path: 'src/a.ts', start_line: 3, end_line: 2 }, 'failed: end_line (2) comes before start_line (3).'],
    ['a file that does not exist', { path: 'nope.ts' }, 'failed: There is no file or folder at nope.ts.'],
    ['a way out by ..', { path: '../secret/key.txt' }, 'failed: ../secret/key.txt is outside the open folder (<home>/project).'],
    ['a way out by an absolute path', { path: '/etc/passwd' }, 'failed: /etc/passwd is outside the open folder (<home>/project).'],
    ['a way out by a link', { path: 'link/key.txt' }, 'failed: link/key.txt is a link that leads outside the open folders.'],
    ['arguments that are not JSON', '{"path":', /^failed: The arguments of read_file are not valid JSON \(.*\)\. Send one JSON object\.$/],
    ['arguments that are no object', '[1]', 'failed: The arguments of read_file are not valid JSON (not an object). Send one JSON object.'],
    ['arguments that do not fit', { path: 3 }, /^failed: The arguments of read_file do not fit its schema: path: /],
  ])('%s', async (_case, args, expected) => {
    const text = await run('read_file', args);
    if (expected instanceof RegExp) expect(text).toMatch(expected);
    else expect(text).toBe(expected);
  });

  it('stops after 2,000 lines and says how to go on', async () => {
    const text = await run('read_file', { path: 'long.txt' });
    expect([text.split('\n').length, text.slice(-70)]).toEqual([2002, expect.stringContaining('(Lines 1 to 2000 of 2500. Continue with start_line 2001.)')]);
  });
});

describe('list_directory', () => {
  it('lists folders first, then files', async () => {
    expect(await run('list_directory', {})).toBe('done: src/\nempty.txt\nlink\nlong.txt\npicture.png\nwide.txt');
  });
  it('says when it was given a file', async () => {
    expect(await run('list_directory', { path: 'src/a.ts' })).toBe('failed: src/a.ts is a file. Use read_file to read it.');
  });
});

describe('search_files', () => {
  it('groups matching lines by file', async () => {
    expect(await run('search_files', { query: 'T(WO|HREE)', is_regex: true })).toBe('done: src/a.ts\n2: two\n3: three');
  });
  it('says when nothing matches, and when the expression is not valid', async () => {
    expect([await run('search_files', { query: 'absent' }), (await run('search_files', { query: '(', is_regex: true })).slice(0, 44)]).toEqual([
      'done: No line matches "absent".',
      'failed: The regular expression is not valid:',
    ]);
  });
});

describe('the registry', () => {
  it('answers a call of a tool that does not exist with the ones that do', async () => {
    expect(await run('delete_everything', {})).toBe('failed: There is no tool named "delete_everything". Available tools: read_file, list_directory, search_files.');
  });
  it('has nothing to look into when no folder is open', async () => {
    registry = new ToolRegistry(readOnlyTools(new FolderOnDisk([])));
    expect([await run('read_file', { path: 'a' }), await run('search_files', { query: 'a' })]).toEqual([
      'failed: No folder is open in the editor, so there are no files to work with. Ask the person to open a folder.',
      'failed: No folder is open in the editor, so there is nothing to search. Ask the person to open a folder.',
    ]);
  });
});
