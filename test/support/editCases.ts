import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import type { AnyTool, AskedAccess, ToolOutput } from '../../src/tools/tool';
import { aToolCall } from './toolCalls';

/** One edit of real files: what is there, what the model asks for, and either the exact bytes afterwards or a refusal that leaves all bytes alone. */
export interface EditCase {
  readonly name: string;
  readonly files: Readonly<Record<string, Uint8Array | string>>;
  readonly tool: 'edit_file' | 'write_file' | 'apply_patch';
  readonly input: Readonly<Record<string, unknown>>;
  /** Files that differ afterwards; null: gone. Absent: nothing may have changed. */
  readonly becomes?: Readonly<Record<string, Uint8Array | string | null>>;
  readonly says: RegExp;
  /** Before anything is asked, and after the person saw the diff but before it is made. */
  readonly prepare?: (root: string) => void;
  readonly meanwhile?: (root: string) => void;
}

const utf16le = (text: string): Uint8Array => Buffer.from(`\ufeff${text}`, 'utf16le');
const utf16be = (text: string): Uint8Array => Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
const change = (old_text: string, new_text: string, more: object = {}): Readonly<Record<string, unknown>> => ({
  path: 'a.txt',
  old_text,
  new_text,
  ...more,
});
const patch = (...lines: string[]): Readonly<Record<string, unknown>> => ({
  patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'),
});

const toolFor = (input: EditCase['input']): EditCase['tool'] =>
  'patch' in input ? 'apply_patch' : 'content' in input ? 'write_file' : 'edit_file';

/** An edit of a.txt that is made. */
const edits = (
  name: string,
  before: Uint8Array | string,
  input: EditCase['input'],
  after: Uint8Array | string | null,
  says = /^done/,
): EditCase => ({
  name,
  files: { 'a.txt': before },
  tool: toolFor(input),
  input,
  becomes: { 'a.txt': after },
  says,
});

/** An edit that leaves a.txt as it is. */
const refuses = (name: string, before: Uint8Array | string, input: EditCase['input'], says: RegExp): EditCase => ({
  name,
  files: { 'a.txt': before },
  tool: toolFor(input),
  input,
  says,
});

export const editCases: readonly EditCase[] = [
  // Exactness
  edits(
    'CRLF is kept, and taken by new lines',
    'one\r\ntwo\r\nthree\r\n',
    change('one\ntwo\n', 'one\n1½\nzwei\n'),
    'one\r\n1½\r\nzwei\r\nthree\r\n',
    /^done: Edited a\.txt \(\+2 −1\)\. It reads now:\n1\tone\n2\t1½\n3\tzwei/,
  ),
  edits(
    'CRLF is kept where a single line becomes two',
    'one\r\ntwo\r\n',
    change('two', 'two\nthree'),
    'one\r\ntwo\r\nthree\r\n',
  ),
  edits(
    'mixed line ends are kept line by line',
    'one\r\ntwo\nthree\r\nfour\n',
    change('two\nthree\nfour', 'two\n3\nfour'),
    'one\r\ntwo\n3\r\nfour\n',
  ),
  edits('old Macintosh line ends are kept', 'one\rtwo\rthree\r', change('one\ntwo', 'one\n2'), 'one\r2\rthree\r'),
  edits('a missing final newline stays missing', 'one\ntwo', change('two', '2'), 'one\n2'),
  edits(
    'a missing final newline stays missing in a patch',
    'one\ntwo',
    patch('*** Update File: a.txt', '@@', ' one', '-two', '+2', '+3'),
    'one\n2\n3',
  ),
  edits('a byte order mark is kept', '\ufeffone\ntwo\n', change('one', '1'), '\ufeff1\ntwo\n'),
  edits(
    'a byte order mark is kept when the whole is written',
    '\ufeffone\r\n',
    { path: 'a.txt', content: 'zwei\ndrei\n' },
    '\ufeffzwei\r\ndrei\r\n',
  ),
  edits('UTF-16 LE is kept', utf16le('föö\r\nbar\r\n'), change('bar', 'bär 🐻'), utf16le('föö\r\nbär 🐻\r\n')),
  edits('UTF-16 BE is kept', utf16be('föö\nbar\n'), change('bar', 'bär'), utf16be('föö\nbär\n')),
  ...['a.txt', './a.txt', 'sub/../a.txt'].map((to) => ({
    name: `a move to the same place, written ${to}, is an edit`,
    files: { 'a.txt': 'one\n' },
    tool: 'apply_patch' as const,
    input: patch('*** Update File: a.txt', `*** Move to: ${to}`, '@@', '-one', '+two'),
    becomes: { 'a.txt': 'two\n' },
    says: /Edited a\.txt|a\.txt/,
  })),
  {
    name: 'an encoding moves with its file',
    files: { 'a.txt': utf16le('one\n') },
    tool: 'apply_patch',
    input: patch('*** Update File: a.txt', '*** Move to: sub/b.txt', '@@', '-one', '+two'),
    becomes: { 'a.txt': null, 'sub/b.txt': utf16le('two\n') },
    says: /Created sub\/b\.txt.*Deleted a\.txt/s,
  },
  edits('emoji around an edit stay whole', 'a 👩‍👩‍👧 b\n', change('👩‍👩‍👧', '👨‍👩‍👦'), 'a 👨‍👩‍👦 b\n'),
  edits('an empty file is written', '', { path: 'a.txt', content: 'x\n' }, 'x\n'),
  edits('a file is emptied', 'x\n', { path: 'a.txt', content: '' }, ''),
  {
    name: 'a file in a folder that is not there',
    files: {},
    tool: 'write_file',
    input: { path: 'x/y/z.txt', content: 'new\n' },
    becomes: { 'x/y/z.txt': 'new\n' },
    says: /^done: Created x\/y\/z\.txt \(1 line\)\.$/,
  },
  {
    name: 'a link: its target changes',
    files: { 'real.txt': 'one\n' },
    tool: 'edit_file',
    input: change('one', 'two'),
    becomes: { 'real.txt': 'two\n' },
    says: /^done: Edited real\.txt/,
    prepare: (root) => symlinkSync(path.join(root, 'real.txt'), path.join(root, 'a.txt')),
  },
  refuses(
    'the same content again',
    'one\n',
    { path: 'a.txt', content: 'one\n' },
    /^done: a\.txt has exactly this content already/,
  ),

  // Anchors
  edits(
    'blanks at the end are forgiven, and those of lines that stay are kept',
    'if (x) {  \n  y();\t\n}\n',
    change('if (x) {\n  y();\n}', 'if (x) {\n  z();\n}'),
    'if (x) {  \n  z();\n}\n',
  ),
  edits(
    'indentation is forgiven, and the new lines are shifted',
    'class A {\n    run() {\n        one();\n    }\n}\n',
    change('run() {\n    one();\n}', 'run() {\n    one();\n    two();\n}'),
    'class A {\n    run() {\n        one();\n        two();\n    }\n}\n',
  ),
  edits(
    'indentation that is too deep is forgiven',
    'run()\n  one()\n',
    change('  run()\n    one()\n', '  run()\n    two()\n'),
    'run()\n  two()\n',
  ),
  edits('tabs are forgiven', '\tif (x)\n\t\ty()\n', change('if (x)\n\ty()', 'if (x)\n\tz()'), '\tif (x)\n\t\tz()\n'),
  edits(
    'typographic quotes and dashes are forgiven, and kept in lines that stay',
    'He said “no” – twice.\nIt’s late.\n',
    change('He said "no" - twice.\nIt\'s late.', 'He said "no" - twice.\nIt\'s early.'),
    "He said “no” – twice.\nIt's early.\n",
  ),
  edits(
    'typographic quotes within a line are forgiven',
    'so it’s late\n',
    change("it's late", 'it is late'),
    'so it is late\n',
  ),
  refuses(
    'an anchor found twice',
    'x\ny\nx\n',
    change('x', 'z'),
    /^failed: old_text was found 2 times in a\.txt, at lines 1, 3; nothing was changed\. Add lines/,
  ),
  edits(
    'an anchor found twice is changed everywhere when asked',
    'x\ny\nx\n',
    change('x', 'z', { replace_all: true }),
    'z\ny\nz\n',
  ),
  refuses(
    'a fuzzy anchor found twice is refused even when all are asked for',
    ' x = 1;\n y();\n x = 1;\n y();\n',
    change('x = 1;\ny();', 'z', { replace_all: true }),
    /^failed: old_text was found 2 times in a\.txt, at lines 1, 3/,
  ),
  refuses(
    'an anchor that is not there: the nearest lines are shown',
    'one\nfunction total(cart) {\n  return cart.sum;\n}\nlast\n',
    change('function total(basket) {\n  return cart.sum;\n}', 'x'),
    /^failed: old_text was not found in a\.txt; nothing was changed\. The nearest lines are:\n1\tone\n2\tfunction total\(cart\) \{\n3\t {2}return cart\.sum;\n4\t\}\n5\tlast\nRepeat/,
  ),
  refuses(
    'an anchor like nothing in the file',
    'one\ntwo\n',
    change('zebra crossing', 'x'),
    /^failed: old_text was not found in a\.txt; nothing was changed\. Nothing like it stands there/,
  ),
  refuses(
    'a replacement that changes nothing',
    'one\n',
    change('one', 'one'),
    /^failed: old_text and new_text are the same/,
  ),
  refuses('an empty anchor', 'one\n', change('', 'x'), /^failed: .*old_text: is empty/),
  edits(
    'several replacements, in order',
    'one\ntwo\nthree\n',
    {
      path: 'a.txt',
      edits: [
        { old_text: 'one', new_text: '1' },
        { old_text: '1\ntwo', new_text: '1\n2' },
      ],
    },
    '1\n2\nthree\n',
  ),
  refuses(
    'several replacements, one of which does not fit: none',
    'one\ntwo\n',
    {
      path: 'a.txt',
      edits: [
        { old_text: 'one', new_text: '1' },
        { old_text: 'five', new_text: '5' },
      ],
    },
    /^failed: Replacement 2 of 2: old_text was not found/,
  ),
  edits('lines are deleted with their ends', 'one\r\ntwo\r\nthree\r\n', change('two\n', ''), 'one\r\nthree\r\n'),

  // Refusals
  {
    name: 'a file that is not there',
    files: {},
    tool: 'edit_file',
    input: change('a', 'b'),
    says: /^failed: There is no file a\.txt\. Use list_directory or glob_files/,
  },
  {
    name: 'a folder',
    files: { 'a.txt/inside': 'x' },
    tool: 'write_file',
    input: { path: 'a.txt', content: 'x' },
    says: /^failed: a\.txt is a folder/,
  },
  refuses(
    'a file where a folder should be',
    'x',
    { path: 'a.txt/b.txt', content: 'x' },
    /^failed: .*a\.txt is a file, so a\.txt\/b\.txt cannot be created/,
  ),
  {
    name: 'a read-only file',
    files: { 'a.txt': 'one\n' },
    tool: 'edit_file',
    input: change('one', 'two'),
    says: /^failed: a\.txt is read-only/,
    prepare: (root) => chmodSync(path.join(root, 'a.txt'), 0o444),
  },
  refuses(
    'a legacy encoding',
    Uint8Array.from([0x66, 0xf6, 0x6f, 0x0a]),
    change('o', 'a'),
    /^failed: a\.txt is not valid UTF-8 \(it may be in a legacy encoding\)/,
  ),
  refuses(
    'a binary file',
    Uint8Array.from([0x66, 0, 0x6f]),
    { path: 'a.txt', content: 'x' },
    /^failed: a\.txt is a binary file/,
  ),
  refuses(
    'a huge file',
    'x'.repeat(10 * 1024 * 1024 + 1),
    change('x', 'y'),
    /^failed: a\.txt has 10485761 bytes; at most 10485760 can be edited/,
  ),
  refuses('half an emoji', 'one\n', change('one', '\ud83d'), /^failed: .*half of a surrogate pair/),
  {
    name: 'a file that the person changed meanwhile, where the edit no longer does the same',
    files: { 'a.txt': 'one\ntwo\n' },
    tool: 'write_file',
    input: { path: 'a.txt', content: 'mine\n' },
    becomes: { 'a.txt': 'theirs\n' },
    says: /^failed: a\.txt changed after this edit was shown/,
    meanwhile: (root) => writeFileSync(path.join(root, 'a.txt'), 'theirs\n'),
  },
  {
    name: 'a file that the person changed elsewhere meanwhile: both stay',
    files: { 'a.txt': 'one\ntwo\n3\n4\n5\n6\n7\n' },
    tool: 'edit_file',
    input: change('7', 'seven'),
    becomes: { 'a.txt': 'zero\none\ntwo\n3\n4\n5\n6\nseven\n' },
    says: /^done/,
    meanwhile: (root) => writeFileSync(path.join(root, 'a.txt'), 'zero\none\ntwo\n3\n4\n5\n6\n7\n'),
  },
  {
    name: 'a file that was deleted meanwhile',
    files: { 'a.txt': 'one\n' },
    tool: 'edit_file',
    input: change('one', 'two'),
    becomes: { 'a.txt': null },
    says: /^failed: There is no file a\.txt/,
    meanwhile: (root) => rmSync(path.join(root, 'a.txt')),
  },
  {
    name: 'a file that appeared meanwhile',
    files: {},
    tool: 'write_file',
    input: { path: 'a.txt', content: 'mine\n' },
    becomes: { 'a.txt': 'theirs\n' },
    says: /^failed: a\.txt changed after this edit was shown/,
    meanwhile: (root) => writeFileSync(path.join(root, 'a.txt'), 'theirs\n'),
  },

  // Patches
  {
    name: 'a patch of several files',
    files: { 'a.txt': 'one\ntwo\nthree\n', 'old.txt': 'x\n' },
    tool: 'apply_patch',
    input: patch(
      '*** Update File: a.txt',
      '@@',
      ' one',
      '-two',
      '+2',
      ' three',
      '*** Add File: sub/new.txt',
      '+first',
      '+',
      '+last',
      '*** Delete File: old.txt',
    ),
    becomes: { 'a.txt': 'one\n2\nthree\n', 'sub/new.txt': 'first\n\nlast\n', 'old.txt': null },
    says: /^done: Edited a\.txt.*Created sub\/new\.txt \(3 lines\)\.\n\nDeleted old\.txt\.$/s,
  },
  {
    name: 'a patch of which one file does not fit: none',
    files: { 'a.txt': 'one\n', 'b.txt': 'two\n' },
    tool: 'apply_patch',
    input: patch('*** Update File: a.txt', '-one', '+1', '*** Update File: b.txt', '-nine', '+9'),
    says: /^failed: The lines that the change of b\.txt expects were not found; nothing was changed/,
  },
  edits(
    'a patch under a header',
    'class A\n  x = 1\nclass B\n  x = 1\n',
    patch('*** Update File: a.txt', '@@ class B', '-  x = 1', '+  x = 2'),
    'class A\n  x = 1\nclass B\n  x = 2\n',
  ),
  refuses(
    'a patch that fits two places',
    'x\ny\nx\n',
    patch('*** Update File: a.txt', '@@', '-x', '+z'),
    /^failed: The change of a\.txt fits 2 places, at lines 1, 3; nothing was changed/,
  ),
  edits(
    'a patch of a file with CRLF',
    'one\r\ntwo\r\n',
    patch('*** Update File: a.txt', '@@', ' one', '-two', '+2', '+3'),
    'one\r\n2\r\n3\r\n',
  ),
  refuses(
    'a patch that adds a file that is there',
    'x\n',
    patch('*** Add File: a.txt', '+y'),
    /^failed: a\.txt exists already/,
  ),
  refuses(
    'a patch that was cut off',
    'x\n',
    { patch: '*** Begin Patch\n*** Update File: a.txt\n-x\n+y' },
    /^failed: The patch has no "\*\*\* End Patch"/,
  ),
  refuses(
    'a patch that names a file twice',
    'x\ny\n',
    patch('*** Update File: a.txt', '-x', '+1', '*** Update File: ./a.txt', '-y', '+2'),
    /^failed: a\.txt is named twice/,
  ),
  edits(
    'a unified diff with wrong counts',
    'x\ny\nx\nz\n',
    { patch: '--- a/a.txt\n+++ b/a.txt\n@@ -3,9 +3,9 @@\n-x\n+X\n z\n' },
    'x\ny\nX\nz\n',
  ),
  {
    name: 'a unified diff that creates and deletes',
    files: { 'old.txt': 'x\n' },
    tool: 'apply_patch',
    input: {
      patch:
        '--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n',
    },
    becomes: { 'new.txt': 'one\ntwo\n', 'old.txt': null },
    says: /^done/,
  },
];

export function layOut(root: string, { files, prepare }: EditCase): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), content);
  }
  prepare?.(root);
}

/** Runs a case as the agent does: the question first, then the edit. */
export async function play(
  root: string,
  tools: readonly AnyTool[],
  edit: EditCase,
): Promise<{ readonly says: string; readonly asked: AskedAccess | null; readonly output: ToolOutput | null }> {
  const tool = tools.find(({ name }) => name === edit.tool);
  if (tool === undefined) throw new Error(`There is no tool ${edit.tool}`);
  const bound = tool.bind(edit.input);
  if (bound.kind === 'invalid') return { says: `failed: ${bound.problems.join('; ')}`, asked: null, output: null };
  const { signal } = new AbortController();
  let asked: AskedAccess | null = null;
  try {
    asked = (await bound.asks?.(signal)) ?? null;
    edit.meanwhile?.(root);
    const output = await bound.run(signal, aToolCall());
    return { says: `${output.outcome}: ${output.text}`, asked, output };
  } catch (error) {
    return { says: `failed: ${error instanceof Error ? error.message : String(error)}`, asked, output: null };
  }
}

/** The bytes of all files a case speaks of, as hexadecimal text; null for those that are not there. */
export function bytesOf(root: string, { files, becomes = {} }: EditCase): Readonly<Record<string, string | null>> {
  return Object.fromEntries(
    [...new Set([...Object.keys(files), ...Object.keys(becomes)])].map((name) => [
      name,
      readBytes(path.join(root, name)),
    ]),
  );
}

export function expectedBytes({ files, becomes = {} }: EditCase): Readonly<Record<string, string | null>> {
  return Object.fromEntries(
    Object.entries({ ...files, ...becomes }).map(([name, content]) => [
      name,
      content === null ? null : shortened(Buffer.from(content)),
    ]),
  );
}

function readBytes(file: string): string | null {
  try {
    return shortened(readFileSync(file));
  } catch {
    return null;
  }
}

function shortened(bytes: Buffer): string {
  return bytes.length > 4096 ? `${bytes.length} bytes` : bytes.toString('hex');
}
