import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readOnlyTools } from '../../../src/tools/readOnlyTools';
import { ToolRegistry } from '../../../src/tools/toolRegistry';
import { FolderOnDisk } from '../../support/folderOnDisk';
import { denying } from '../../support/readDenials';
import { aToolCall } from '../../support/toolCalls';

let home: string;
let root: string;
let registry: ToolRegistry;
const never = new AbortController().signal;

beforeEach(() => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), 'hermes-tools-')));
  root = path.join(home, 'project');
  mkdirSync(path.join(root, 'src'), { recursive: true });
  mkdirSync(path.join(home, 'secret'));
  writeFileSync(path.join(home, 'secret', 'key.txt'), 'hidden');
  writeFileSync(path.join(root, 'src', 'a.ts'), 'one\r\ntwo\r\nthree\r\n');
  writeFileSync(path.join(root, 'empty.txt'), '');
  writeFileSync(path.join(root, 'picture.png'), Buffer.from([0x89, 0x50, 0, 1]));
  writeFileSync(path.join(root, 'real.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]));
  writeFileSync(path.join(root, '.env'), 'KEY=three\n');
  writeFileSync(path.join(root, 'wide.txt'), Buffer.from('\ufefföl', 'utf16le'));
  writeFileSync(
    path.join(root, 'long.txt'),
    Array.from({ length: 2500 }, (_, index) => `line ${index + 1}`).join('\n'),
  );
  symlinkSync(path.join(home, 'secret'), path.join(root, 'link'));
  registry = new ToolRegistry(readOnlyTools(new FolderOnDisk([{ name: 'project', path: root }]), denying()));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const run = async (name: string, args: unknown) => {
  const output = await registry.run(
    { callId: 'c', name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
    never,
    aToolCall(),
  );
  return `${output.outcome}: ${output.text.replaceAll(home, '<home>')}`;
};

describe('a name as models write it', () => {
  beforeEach(() => {
    mkdirSync(path.join(root, 'Notes\u00a0of Ann', 'cafe\u0301'), { recursive: true });
    writeFileSync(path.join(root, 'Notes\u00a0of Ann', 'cafe\u0301', 'Shot 5.22\u202fPM.txt'), 'found');
    writeFileSync(path.join(root, 'Notes\u00a0of Ann', 'exact 1.txt'), 'plain');
    writeFileSync(path.join(root, 'Notes\u00a0of Ann', 'exact\u202f1.txt'), 'narrow');
    writeFileSync(path.join(root, 'twins\u202f1.txt'), 'narrow');
    writeFileSync(path.join(root, 'twins\u00a01.txt'), 'wide');
    symlinkSync(path.join(home, 'nowhere'), path.join(root, 'dang\u202fling'));
  });

  it.each([
    ['read_file', { path: 'Notes of Ann/caf\u00e9/Shot 5.22 PM.txt' }, 'done: 1\tfound'],
    ['read_file', { path: 'Notes of Ann/exact 1.txt' }, 'done: 1\tplain'],
    ['read_file', { path: 'Notes of Ann/exact\u00a01.txt' }, /^failed: There is no file or folder at Notes/],
    ['read_file', { path: 'twins 1.txt' }, /^failed: There is no file or folder at twins 1/],
    ['read_file', { path: 'dang ling' }, /^failed: .*is a link to something that does not exist/],
    ['list_directory', { path: 'Notes of Ann/caf\u00e9' }, 'done: Shot 5.22\u202fPM.txt'],
    ['search_files', { query: 'found', path: 'Notes of Ann' }, /^done: .*Shot 5\.22/s],
    ['glob_files', { pattern: 'Notes of Ann/**/*5.22 PM.txt' }, /^done: Notes.*PM\.txt$/],
    ['glob_files', { pattern: '*.txt', path: 'Notes of Ann/caf\u00e9' }, /^done: Notes.*PM\.txt$/],
  ])('%s %j', async (tool, input, expected) => {
    expect(await run(tool, input)).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
  });
});

describe('read_file', () => {
  it.each([
    ['a whole file, numbered', { path: 'src/a.ts' }, 'done: 1\tone\n2\ttwo\n3\tthree'],
    ['a range', { path: 'src/a.ts', start_line: 2, end_line: 2 }, 'done: 2\ttwo'],
    ['an absolute path inside the folder', { path: './src/../src/a.ts', start_line: 3 }, 'done: 3\tthree'],
    ['an empty file', { path: 'empty.txt' }, 'done: empty.txt is empty.'],
    ['a file in UTF-16', { path: 'wide.txt' }, 'done: 1\töl'],
    ['a folder', { path: 'src' }, 'failed: src is a folder. Use list_directory to see what is in it.'],
    ['a file that is not text', { path: 'picture.png' }, 'failed: picture.png is not a text file (4 bytes).'],
    [
      'a line past the end',
      { path: 'src/a.ts', start_line: 9 },
      'failed: src/a.ts has 3 lines; line 9 is past its end.',
    ],
    [
      'a range that runs backwards',
      { path: 'src/a.ts', start_line: 3, end_line: 2 },
      'failed: end_line (2) comes before start_line (3).',
    ],
    ['a file that does not exist', { path: 'nope.ts' }, 'failed: There is no file or folder at nope.ts.'],
    [
      'arguments that are not JSON',
      '{"path":',
      /^failed: The arguments of read_file are not valid JSON \(.*\)\. Send one JSON object\.$/,
    ],
    [
      'arguments that are no object',
      '[1]',
      'failed: The arguments of read_file are not valid JSON (not an object). Send one JSON object.',
    ],
    ['arguments that do not fit', { path: 3 }, /^failed: The arguments of read_file do not fit its schema: path: /],
  ])('%s', async (_case, args, expected) => {
    const text = await run('read_file', args);
    if (expected instanceof RegExp) expect(text).toMatch(expected);
    else expect(text).toBe(expected);
  });

  it('stops after 2,000 lines and explains how to continue', async () => {
    const text = await run('read_file', { path: 'long.txt' });
    expect([text.split('\n').length, text.slice(-70)]).toEqual([
      2002,
      expect.stringContaining('(Lines 1 to 2000 of 2500. Continue with start_line 2001.)'),
    ]);
  });
});

describe('secrets and files outside the open folder', () => {
  const asked = async (name: string, args: object) => {
    const prepared = registry.prepare({ callId: 'c', name, arguments: JSON.stringify(args) });
    if (prepared.kind !== 'ready') throw new Error('the call cannot be made');
    const asks = await prepared.asks(never);
    return asks.kind === 'failed' ? asks.output.text : asks.asked;
  };
  const outside = (...segments: string[]) => ({
    access: {
      kind: 'read',
      paths: [{ path: path.join(home, ...segments), shown: path.join(home, ...segments), isInside: false }],
    },
  });

  it('are asked about by the target of a path', async () => {
    expect([
      await asked('read_file', { path: '../secret/key.txt' }),
      await asked('read_file', { path: 'link/key.txt' }),
      await asked('list_directory', { path: path.join(home, 'secret') }),
      await asked('search_files', { query: 'x', path: 'link' }),
      await asked('glob_files', { pattern: '*', path: '..' }),
    ]).toEqual([
      outside('secret', 'key.txt'),
      outside('secret', 'key.txt'),
      outside('secret'),
      outside('secret'),
      outside(),
    ]);
  });

  it('are not asked about when the file does not exist', async () => {
    expect(await asked('read_file', { path: '../nope' })).toBe('There is no file or folder at ../nope.');
  });

  it('are not read through a link that was exchanged after the question', async () => {
    const prepared = registry.prepare({ callId: 'c', name: 'read_file', arguments: '{"path":"link/key.txt"}' });
    if (prepared.kind !== 'ready') throw new Error('the call cannot be made');
    await prepared.asks(never);
    mkdirSync(path.join(home, 'other'));
    writeFileSync(path.join(home, 'other', 'key.txt'), 'more');
    rmSync(path.join(root, 'link'));
    symlinkSync(path.join(home, 'other'), path.join(root, 'link'));
    expect((await prepared.run(never, aToolCall())).text).toBe(
      'link/key.txt leads elsewhere now than when it was asked for. Call the tool again.',
    );
  });

  it('are not revealed by a search, which asks no question', async () => {
    expect(await run('search_files', { query: 'three' })).toBe(
      'done: src/a.ts\n3: three\n\n(Matching lines are not shown of files that may hold secrets: .env. read_file asks the person for one.)',
    );
  });
});

describe('an image', () => {
  it('is shown to the model', async () => {
    const output = await registry.run(
      { callId: 'c', name: 'read_file', arguments: '{"path":"real.png"}' },
      never,
      aToolCall(),
    );
    expect([output.text, output.images]).toEqual([
      'real.png is an image (image/png, 9 bytes).',
      [{ kind: 'image', mediaType: 'image/png', dataBase64: 'iVBORw0KGgoA', name: 'real.png' }],
    ]);
  });

  it('that is too large is not', async () => {
    writeFileSync(
      path.join(root, 'large.png'),
      Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.alloc(5 * 1024 * 1024)]),
    );
    expect(await run('read_file', { path: 'large.png' })).toBe(
      'failed: large.png is an image of 5242888 bytes; at most 5242880 can be shown.',
    );
  });
});

describe('glob_files', () => {
  it('finds files by name or path, newest first or by name, everywhere or in one folder', async () => {
    writeFileSync(path.join(root, 'src', 'b.ts'), '');
    utimesSync(path.join(root, 'src', 'a.ts'), 2_000_000_000, 2_000_000_000);
    expect([
      await run('glob_files', { pattern: '*.ts' }),
      await run('glob_files', { pattern: 'src/*', order: 'name' }),
      await run('glob_files', { pattern: '*.txt', path: 'src' }),
    ]).toEqual(['done: src/a.ts\nsrc/b.ts', 'done: src/a.ts\nsrc/b.ts', 'done: No file matches "*.txt" in src.']);
  });
});

describe('list_directory', () => {
  it('lists folders first, then files', async () => {
    expect(await run('list_directory', {})).toBe(
      'done: src/\n.env\nempty.txt\nlink\nlong.txt\npicture.png\nreal.png\nwide.txt',
    );
  });
  it('reports that it was given a file', async () => {
    expect(await run('list_directory', { path: 'src/a.ts' })).toBe(
      'failed: src/a.ts is a file. Use read_file to read it.',
    );
  });
});

describe('search_files', () => {
  it('groups matching lines by file', async () => {
    expect(await run('search_files', { query: 'T(WO|HREE)', is_regex: true, path: 'src' })).toBe(
      'done: src/a.ts\n2: two\n3: three',
    );
  });
  it('shows no lines of a file that may hold secrets, whatever the name of the link to it', async () => {
    symlinkSync('.env', path.join(root, 'notes.md'));
    expect(await run('search_files', { query: 'KEY' })).toBe(
      'done: No line matches "KEY".\n\n(Matching lines are not shown of files that may hold secrets: .env, notes.md. read_file asks the person for one.)',
    );
  });
  it('shows no lines of a file that a rule denies reading, whatever the name of the link to it', async () => {
    mkdirSync(path.join(root, 'private'));
    writeFileSync(path.join(root, 'private', 'plan.md'), 'a veiled two\n');
    symlinkSync(path.join('private', 'plan.md'), path.join(root, 'notes.md'));
    const files = new FolderOnDisk([{ name: 'project', path: root }]);
    registry = new ToolRegistry(readOnlyTools(files, denying('read(Private/**)')));
    expect(await run('search_files', { query: 'two' })).toBe(
      'done: src/a.ts\n2: two\n\n(Matching lines are withheld of files that a rule denies reading: notes.md, private/plan.md.)',
    );
    expect(await run('search_files', { query: 'veiled|KEY', is_regex: true })).toBe(
      'done: No line matches "veiled|KEY".\n\n(Matching lines are not shown of files that may hold secrets: .env. read_file asks the person for one.)' +
        '\n\n(Matching lines are withheld of files that a rule denies reading: notes.md, private/plan.md.)',
    );
    expect(await run('glob_files', { pattern: 'private/*' })).toContain('private/plan.md');
  });
  it('shows lines of a folder whose parents have the name of a secret place', async () => {
    const inside = path.join(home, '.aws', 'project');
    mkdirSync(inside, { recursive: true });
    writeFileSync(path.join(inside, 'a.ts'), 'three');
    registry = new ToolRegistry(readOnlyTools(new FolderOnDisk([{ name: 'project', path: inside }]), denying()));
    expect(await run('search_files', { query: 'three' })).toBe('done: a.ts\n1: three');
  });
  it('reports no match, and an invalid expression', async () => {
    expect([
      await run('search_files', { query: 'absent' }),
      (await run('search_files', { query: '(', is_regex: true })).slice(0, 44),
    ]).toEqual(['done: No line matches "absent".', 'failed: The regular expression is not valid:']);
  });
});

describe('the registry', () => {
  it('answers a call of an unknown tool with the tools that exist', async () => {
    expect(await run('delete_everything', {})).toBe(
      'failed: There is no tool named "delete_everything". Available tools: read_file, list_directory, glob_files, search_files.',
    );
  });
  it('has nothing to search when no folder is open', async () => {
    registry = new ToolRegistry(readOnlyTools(new FolderOnDisk([]), denying()));
    expect([await run('read_file', { path: 'a' }), await run('search_files', { query: 'a' })]).toEqual([
      'failed: No folder is open in the editor. Give an absolute path, or ask the person to open a folder.',
      'failed: No folder is open in the editor, so there is nothing to search. Ask the person to open a folder.',
    ]);
  });
});
