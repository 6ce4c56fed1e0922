import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccessPaths } from '../../../../src/tools/accessPaths';
import { fileTools } from '../../../../src/tools/files/fileTools';
import { type CellChange, changedNotebook } from '../../../../src/tools/files/notebook';
import { readOnlyTools } from '../../../../src/tools/readOnlyTools';
import { FileEditorOnDisk } from '../../../support/fileEditorOnDisk';
import { FolderOnDisk } from '../../../support/folderOnDisk';
import { denying } from '../../../support/readDenials';
import { play } from '../../../support/editCases';
import { aToolCall } from '../../../support/toolCalls';

const cells = [
  { cell_type: 'markdown', id: 'aa', metadata: { tags: ['x'] }, source: ['# Totals\n', '“café”'] },
  {
    cell_type: 'code',
    execution_count: 3,
    id: 'bb',
    metadata: {},
    outputs: [
      { name: 'stdout', output_type: 'stream', text: ['1\n', '2\n'] },
      { data: { 'image/png': 'A'.repeat(5000), 'text/plain': '<Figure>' }, metadata: {}, output_type: 'display_data' },
      { output_type: 'error', ename: 'KeyError', evalue: "'a'", traceback: ['\u001b[31mlong'] },
      { name: 'stdout', output_type: 'stream', text: 'line\n'.repeat(500) },
    ],
    source: ['x = 1\n', 'print(x)'],
  },
  { cell_type: 'code', execution_count: null, id: 'cc', metadata: {}, outputs: [], source: 'y = "ü"' },
];
const notebook = { cells, metadata: { kernelspec: { name: 'python3' } }, nbformat: 4, nbformat_minor: 5 };
const asJupyterWrites = `${JSON.stringify(notebook, null, 1)}\n`;

let root: string;
beforeEach(() => {
  root = path.join(realpathSync(mkdtempSync(path.join(tmpdir(), 'hermes-notebook-'))), 'project');
  mkdirSync(root);
});
afterEach(() => rmSync(path.dirname(root), { recursive: true, force: true }));

const files = (): FolderOnDisk => new FolderOnDisk([{ name: 'project', path: root }]);
const read = async (text: string, input: object = {}): Promise<string> => {
  writeFileSync(path.join(root, 'a.ipynb'), text);
  const tool = readOnlyTools(files(), denying()).find(({ name }) => name === 'read_file');
  const call = tool?.bind({ path: 'a.ipynb', ...input });
  if (call?.kind !== 'ready') throw new Error('not accepted');
  return (await call.run(new AbortController().signal, aToolCall())).text;
};
const edit = async (text: string, input: object) => {
  writeFileSync(path.join(root, 'a.ipynb'), text);
  const journal = { begin: () => Promise.resolve({ end: () => Promise.resolve() }) };
  const tools = fileTools({ paths: new AccessPaths(files()), editor: new FileEditorOnDisk(), journal });
  const { asked, says } = await play(root, tools, {
    name: 'x',
    files: {},
    tool: 'edit_notebook',
    input: { path: 'a.ipynb', ...input },
    says: /./,
  });
  return { asked, says, text: readFileSync(path.join(root, 'a.ipynb'), 'utf8') };
};
const expectedText = (change: (all: (typeof notebook)['cells'][number][]) => void): string => {
  const copy = structuredClone(notebook);
  change(copy.cells);
  return `${JSON.stringify(copy, null, 1)}\n`;
};

describe('reading', () => {
  it('shows cells with number and kind, and the beginning of their outputs', async () => {
    const text = await read(asJupyterWrites);
    expect(text.replaceAll(/^\d+\t/gm, '').replaceAll(/(?:line\n)+/g, 'line …\n')).toBe(
      [
        ...['[cell 1: markdown]', '# Totals', '“café”', '', '[cell 2: code]', 'x = 1', 'print(x)', '[output: stream]'],
        ...['1', '2', '[output: display_data, image/png]', '<Figure>', "[output: KeyError: 'a']", '[output: stream]'],
        ...['line …', 'line … (2500 characters)', '', '[cell 3: code]', 'y = "ü"'],
      ].join('\n'),
    );
  });

  it.each([
    ['no JSON', '{"cells": [', '1\t{"cells": ['],
    ['an older format', '{"worksheets": []}', '1\t{"worksheets": []}'],
    ['nothing in it', '{"cells": [], "nbformat": 4}', '1\t'],
  ])('of a file with %s shows what is there', async (_, text, shown) => expect(await read(text)).toBe(shown));

  it('takes a range', async () =>
    expect(await read(asJupyterWrites, { start_line: 5, end_line: 6 })).toMatch(/^5\t\[cell 2: code\]\n6\tx = 1$/));
});

describe('a change of a cell', () => {
  it.each<[string, object, (all: (typeof cells)[number][]) => void]>([
    [
      'edits part of it',
      { action: 'edit', cell: 2, old_text: 'x = 1', new_text: 'x = 2' },
      (all) => void (all[1] = { ...all[1]!, source: ['x = 2\n', 'print(x)'] } as (typeof cells)[number]),
    ],
    [
      'forgives look-alikes, and keeps them',
      { action: 'edit', cell: 1, old_text: '"caf\u0065\u0301"', new_text: '"caf\u0065\u0301!"' },
      (all) => void (all[0] = { ...all[0]!, source: ['# Totals\n', '“café!”'] } as (typeof cells)[number]),
    ],
    [
      'replaces it, in the form that its source has',
      { action: 'replace', cell: 3, new_text: 'z = 1\nz' },
      (all) => void (all[2] = { ...all[2]!, source: 'z = 1\nz' } as (typeof cells)[number]),
    ],
    [
      'makes it another kind',
      { action: 'replace', cell: 3, new_text: 'words', kind: 'markdown' },
      (all) => void (all[2] = { cell_type: 'markdown', id: 'cc', metadata: {}, source: ['words'] } as never),
    ],
    ['deletes the first', { action: 'delete', cell: 1 }, (all) => void all.shift()],
    ['deletes the last', { action: 'delete', cell: 3 }, (all) => void all.pop()],
  ])('%s', async (_, input, change) => {
    const { asked, says, text } = await edit(asJupyterWrites, input);
    expect(text).toBe(expectedText(change));
    expect(says).toMatch(/^done: Edited a\.ipynb/);
    expect(asked?.preview).toMatch(/^--- a\.ipynb/);
  });

  it.each([0, 1, 3])('inserts one after %i, with an id of its own', async (cell) => {
    const { text } = await edit(asJupyterWrites, { action: 'insert', cell, new_text: 'new\n1' });
    const id = /"id": "([0-9a-f]{8})"/.exec(text)?.[1] ?? 'none';
    const added = { cell_type: 'code', execution_count: null, id, metadata: {}, outputs: [], source: ['new\n', '1'] };
    expect(text).toBe(expectedText((all) => void all.splice(cell, 0, added as never)));
  });

  it('gives no id where the format has none', async () => {
    const old = `${JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 4 }, null, 1)}\n`;
    const { text } = await edit(old, { action: 'insert', cell: 0, new_text: 'a', kind: 'markdown' });
    expect(JSON.parse(text).cells).toEqual([{ cell_type: 'markdown', metadata: {}, source: ['a'] }]);
  });

  it.each([
    [{ action: 'delete', cell: 4 }, /^failed: a\.ipynb has 3 cells, and no cell 4; nothing was changed/],
    [{ action: 'replace', cell: 0, new_text: 'x' }, /^failed: a\.ipynb has 3 cells, and no cell 0/],
    [{ action: 'insert', cell: 4, new_text: 'x' }, /^failed: a\.ipynb has 3 cells, and no cell 4/],
    [{ action: 'edit', cell: 1, old_text: 'nothing', new_text: 'x' }, /^failed: old_text was not found in cell 1 of/],
    [{ action: 'edit', cell: 1, new_text: 'x' }, /^failed: .*old_text goes with edit/],
    [{ action: 'delete', cell: 1, new_text: 'x' }, /^failed: .*new_text goes with/],
  ])('%j is refused', async (input, says) => {
    const result = await edit(asJupyterWrites, input);
    expect([result.text === asJupyterWrites, result.says]).toEqual([true, expect.stringMatching(says)]);
  });

  it('leaves every byte outside of the cell alone', () => {
    const source = fc.oneof(fc.string({ unit: 'grapheme' }), fc.array(fc.string().map((text) => `${text}\n`)));
    const cell = fc.record({
      cell_type: fc.constantFrom('code', 'markdown'),
      metadata: fc.dictionary(fc.string(), fc.jsonValue()),
      source,
      'x-odd': fc.jsonValue(),
    });
    const layout = fc.record({
      indent: fc.constantFrom<string | number | undefined>(undefined, 1, 2, 4, '\t'),
      eol: fc.constantFrom('\n', '\r\n'),
      end: fc.constantFrom('', '\n', '\n\n'),
    });
    fc.assert(
      fc.property(
        fc.array(cell, { minLength: 1, maxLength: 4 }),
        layout,
        fc.nat(),
        fc.string(),
        fc.constantFrom<CellChange['action']>('replace', 'insert', 'delete'),
        (all, { indent, eol, end }, pick, newText, action) => {
          const whole = (inner: readonly unknown[]): string =>
            JSON.stringify({ odd: [1.0, 'é'], cells: inner, nbformat: 4, nbformat_minor: 5 }, null, indent)
              .replaceAll('\n', eol)
              .concat(end);
          const at = pick % all.length;
          const text = whole(all);
          const changed = changedNotebook(text, { action, cell: at + 1, oldText: '', newText }, 'a.ipynb');
          const now = JSON.parse(changed).cells;
          const expected = structuredClone<unknown[]>(all);
          if (action === 'insert') expected.splice(at + 1, 0, now[at + 1]);
          if (action === 'delete') expected.splice(at, 1);
          if (action === 'replace') expected[at] = { ...all[at], source: now[at].source };
          expect(JSON.parse(changed).cells).toEqual(expected);
          if (action !== 'delete' || all.length > 1) expect(changed).toBe(whole(expected));
          expect([now[at + 1]?.source].flat(2).join('') === newText || action !== 'insert').toBe(true);
        },
      ),
    );
  });
});
