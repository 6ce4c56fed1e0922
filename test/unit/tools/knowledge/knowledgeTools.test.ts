import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/base/clock';
import { diagnosticsAfterEdit } from '../../../../src/tools/knowledge/diagnosticsAfterEdit';
import type { CodePlace, CodeSymbol, EditorKnowledge, Problem } from '../../../../src/tools/knowledge/editorKnowledge';
import { knowledgeTools } from '../../../../src/host/knowledge/workspaceTools';
import { ToolRegistry } from '../../../../src/tools/toolRegistry';
import { WorkspacePaths } from '../../../../src/tools/workspacePaths';
import { FolderOnDisk } from '../../../support/folderOnDisk';
import { denying } from '../../../support/readDenials';
import { ManualClock } from '../../../support/manualClock';
import { aToolCall } from '../../../support/toolCalls';

let home: string;
let at: (...names: readonly string[]) => string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-knowledge-')));
  at = (...names) => join(home, 'project', ...names);
  mkdirSync(at('src'), { recursive: true });
  writeFileSync(at('src', 'a.ts'), 'const retry = 1;\nretry + map.retry;\nretryAll(retry);\n');
  writeFileSync(at('.env'), 'PASSWORD=1\n');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const nothing: EditorKnowledge = {
  problems: () => [],
  documentSymbols: async () => null,
  workspaceSymbols: async () => [],
  references: async () => null,
  definitions: async () => null,
  hover: async () => null,
  openEditors: () => ({ editors: [], selection: null }),
};
const place = (path: string, line = 1, column = 1): CodePlace => ({ path, line, column });

async function run(
  name: string,
  input: unknown,
  editor: Partial<EditorKnowledge> = {},
  clock = systemClock,
  deniesReading = denying(),
) {
  const files = new FolderOnDisk([{ name: 'project', path: at() }]);
  const tools = knowledgeTools({
    editor: { ...nothing, ...editor },
    files,
    paths: new WorkspacePaths(files),
    clock,
    deniesReading,
  });
  const output = await new ToolRegistry(tools).run(
    { callId: 'c', name, arguments: JSON.stringify(input) },
    new AbortController().signal,
    aToolCall(),
  );
  return `${output.outcome}: ${output.text.replaceAll(home, '<home>')}`;
}

describe('a symbol on a line', () => {
  it.each([
    ['the word itself, not a longer one', { line: 3, symbol: 'retry' }, '3:10'],
    ['the last name of a path', { line: 2, symbol: 'map.retry' }, '2:13'],
    ['the first of several', { line: 2, symbol: 'retry' }, '2:1'],
  ])('is found: %s', async (_case, where, expected) => {
    const asked: string[] = [];
    await run(
      'find_references',
      { path: 'src/a.ts', ...where },
      { references: async ({ line, column }) => (asked.push(`${line}:${column}`), []) },
    );
    expect(asked).toEqual([expected]);
  });

  it.each([
    [
      'stands on other lines',
      { path: 'src/a.ts', line: 1, symbol: 'retryAll' },
      'failed: "retryAll" does not stand on line 1 of src/a.ts, but on line 3.',
    ],
    [
      'stands nowhere',
      { path: 'src/a.ts', line: 1, symbol: 'tryAgain' },
      'failed: "tryAgain" does not stand on line 1 of src/a.ts, nor anywhere else in the file.',
    ],
    [
      'is past the end',
      { path: 'src/a.ts', line: 40, symbol: 'retry' },
      'failed: src/a.ts has 4 lines; line 40 is past its end.',
    ],
    ['is in a folder', { path: 'src', line: 1, symbol: 'a' }, 'failed: src is a folder. Name a file.'],
    [
      'is outside',
      { path: '/etc/passwd', line: 1, symbol: 'root' },
      'failed: /etc/passwd is outside the open folder (<home>/project).',
    ],
  ])('that %s is refused', async (_case, input, expected) => expect(await run('hover', input)).toBe(expected));
});

describe('find_references and go_to_definition', () => {
  const input = { path: 'src/a.ts', line: 1, symbol: 'retry' };

  it('show each place with its line; for secrets and places outside, only the place', async () => {
    const references = async () => [
      place(at('src', 'a.ts'), 2),
      place(at('.env')),
      place('/usr/lib/node.d.ts', 7, 3),
      place(at('gone.ts'), 4),
    ];
    expect(await run('find_references', input, { references })).toBe(
      'done: src/a.ts:2:1  retry + map.retry;\n.env:1:1\n/usr/lib/node.d.ts:7:3 (outside the open folders)\ngone.ts:4:1',
    );
  });

  it('show only the place of a file that links to secrets', async () => {
    symlinkSync('.env', at('notes.md'));
    expect(await run('find_references', input, { references: async () => [place(at('notes.md'))] })).toBe(
      'done: notes.md:1:1',
    );
  });

  it.each(['.env', 'notes.md', ' .env'])('do not query %j, and neither does its outline', async (path) => {
    symlinkSync('.env', at('notes.md'));
    const documentSymbols = async () => [
      { name: 'PASSWORD', kind: 'key', place: place(at('.env')), endLine: 1, container: '', children: [] },
    ];
    const refused = `failed: ${path.trim()} may hold secrets. Use read_file, which asks the person.`;
    expect([
      await run('hover', { path, line: 1, symbol: 'PASSWORD' }),
      await run('document_symbols', { path }, { documentSymbols }),
    ]).toEqual([refused, refused]);
  });

  it('list at most 200 places', async () => {
    const references = async () => Array.from({ length: 250 }, () => place(at('src', 'a.ts')));
    expect(await run('find_references', input, { references })).toMatch(/\(50 more are not listed\.\)$/);
  });

  it('report that nothing was found', async () => {
    expect(await run('go_to_definition', input)).toBe(
      'done: No definition of "retry" was found. The language may have no extension here, or it is still starting; search_files finds text.',
    );
  });

  it('wait ten seconds for an answer, and no longer', async () => {
    const clock = new ManualClock();
    const waiting = run(
      'go_to_definition',
      input,
      { definitions: () => (queueMicrotask(() => clock.advance(10_000)), new Promise(() => undefined)) },
      clock,
    );
    expect(await waiting).toBe(
      'failed: No language extension answered within 10 seconds. It may still be starting: try again later, or use search_files.',
    );
  });
});

it('hover returns what the editor shows', async () => {
  expect(
    await run(
      'hover',
      { path: 'src/a.ts', line: 1, symbol: 'retry' },
      { hover: async () => ['```ts\nconst retry: 1\n```', ' ', 'How often.'] },
    ),
  ).toBe('done: ```ts\nconst retry: 1\n```\n\n---\n\nHow often.');
});

describe('symbols', () => {
  const symbol = (
    name: string,
    path: string,
    line: number,
    children: readonly CodeSymbol[] = [],
    container = '',
  ): CodeSymbol => ({ name, kind: 'class', place: place(path, line), endLine: line + 2, container, children });

  it('of a file are outlined', async () => {
    const file = at('src', 'a.ts');
    expect(
      await run(
        'document_symbols',
        { path: 'src/a.ts' },
        { documentSymbols: async () => [symbol('A', file, 1, [symbol('b', file, 2)])] },
      ),
    ).toBe('done: src/a.ts\nclass A  1-3\n  class b  2-4');
    expect(await run('document_symbols', { path: 'src/a.ts' })).toMatch(/^done: No symbols of src\/a\.ts are known\./);
  });

  it('of the workspace leave out places outside it', async () => {
    const workspaceSymbols = async () => [
      symbol('A', at('src', 'a.ts'), 1, [], 'mod'),
      symbol('A', '/usr/lib/x.d.ts', 1),
    ];
    expect(await run('workspace_symbols', { query: 'A' }, { workspaceSymbols })).toBe(
      'done: class A (mod)  src/a.ts:1:1  const retry = 1;',
    );
  });
});

describe('diagnostics', () => {
  const problem = (path: string, severity: Problem['severity'], message: string, line = 1): Problem => ({
    ...place(path, line),
    severity,
    message,
    source: 'ts 2304',
  });

  it('come errors first, only from the open folders, down to the requested severity', async () => {
    const problems = () => [
      problem(at('src', 'a.ts'), 'warning', 'unused'),
      problem(at('src', 'a.ts'), 'hint', 'spelling'),
      problem(at('z.ts'), 'error', 'no\n  name'),
      problem('/usr/x.ts', 'error', 'other'),
    ];
    expect(await run('diagnostics', {}, { problems })).toBe(
      'done: z.ts:1:1 error: no name (ts 2304)\nsrc/a.ts:1:1 warning: unused (ts 2304)',
    );
    expect(await run('diagnostics', { path: 'src', severity: 'hint' }, { problems })).toBe(
      'done: src/a.ts:1:1 warning: unused (ts 2304)\nsrc/a.ts:1:1 hint: spelling (ts 2304)',
    );
    expect(await run('diagnostics', { path: 'src', severity: 'error' }, { problems })).toBe(
      'done: The editor knows of no problems in src (error or worse).',
    );
  });

  const afterEdit = (known: () => readonly Problem[], changed: (signal: AbortSignal) => Promise<void>) =>
    diagnosticsAfterEdit({
      editor: { problems: (path) => known().filter((each) => each.path === path) },
      changed: (_paths, signal) => changed(signal),
      display: (path) => path.slice(1),
      waitMs: { first: 40, rest: 5 },
    });
  const signal = new AbortController().signal;

  it('after an edit list new errors first', async () => {
    let known: readonly Problem[] = [problem('/a', 'error', 'old'), problem('/b', 'error', 'elsewhere')];
    const told = await afterEdit(
      () => known,
      async () =>
        void (known = [
          problem('/a', 'error', 'old', 9),
          problem('/a', 'error', 'new'),
          problem('/a', 'warning', 'mild'),
        ]),
    )(['/a'], signal);
    expect(told).toBe(
      'The editor now reports 2 errors in what was edited:\na:1:1 error: new (ts 2304)\na:9:1 error: old (ts 2304)',
    );
  });

  it('after an edit are empty when none arrive in time', async () => {
    const never = (until: AbortSignal) =>
      new Promise<void>((resolve) => until.addEventListener('abort', () => resolve(), { once: true }));
    expect(await afterEdit(() => [], never)(['/a'], signal)).toBeNull();
  });
});

it('open_editors lists open files and the selection, but no secrets', async () => {
  const open = (path: string, isFile = true) => ({
    path,
    isFile,
    isActive: path.endsWith('a.ts'),
    hasUnsavedChanges: !isFile,
  });
  const editors = [open(at('src', 'a.ts')), open('Settings', false)];
  const selection = (path: string, text: string) => ({ path, isFile: true, startLine: 1, endLine: 2, text });
  const told = (path: string, text: string) =>
    run('open_editors', {}, { openEditors: () => ({ editors, selection: selection(path, text) }) });
  expect(await told(at('src', 'a.ts'), 'retry')).toBe(
    'done: src/a.ts (in use)\nSettings (unsaved changes)\n\nSelected: src/a.ts:1-2\nretry',
  );
  expect(await told(at('.env'), 'PASSWORD=1')).toMatch(/Selected \(text not shown\): \.env:1-2$/);
  symlinkSync('.env', at('notes.md'));
  expect(await told(at('notes.md'), 'PASSWORD=1')).toMatch(/Selected \(text not shown\): notes\.md:1-2$/);
  expect(await told('/etc/hosts', 'x')).toMatch(/Selected \(text not shown\): \/etc\/hosts:1-2$/);
  expect(await run('open_editors', {})).toBe('done: Nothing is open in the editor.');
});

it('content that a rule denies reading is withheld, also behind a link: lines, outlines, messages, selection', async () => {
  mkdirSync(at('private'));
  writeFileSync(at('private', 'a.ts'), 'const hidden = 1;\n');
  symlinkSync(at('private', 'a.ts'), at('notes.ts'));
  const file = at('private', 'a.ts');
  const problem = (path: string): Problem => ({
    path,
    line: 1,
    column: 7,
    severity: 'error',
    message: 'hidden is unused',
    source: 'ts',
  });
  const editor: Partial<EditorKnowledge> = {
    references: async () => [place(file, 1, 7), place(at('notes.ts'), 1, 7), place(at('src', 'a.ts'))],
    problems: () => [problem(file), problem(at('notes.ts')), problem(at('.env')), problem(at('src', 'a.ts'))],
    documentSymbols: async () => [
      { name: 'hidden', kind: 'constant', place: place(file), endLine: 1, container: '', children: [] },
    ],
    openEditors: () => ({
      editors: [{ path: file, isFile: true, isActive: true, hasUnsavedChanges: false }],
      selection: { path: at('notes.ts'), isFile: true, startLine: 1, endLine: 1, text: 'hidden' },
    }),
  };
  const told = (name: string, input: unknown) => run(name, input, editor, systemClock, denying('read(private/**)'));
  expect([
    await told('find_references', { path: 'src/a.ts', line: 1, symbol: 'retry' }),
    await told('document_symbols', { path: 'notes.ts' }),
    await told('hover', { path: 'private/a.ts', line: 1, symbol: 'hidden' }),
    await told('diagnostics', {}),
    await told('open_editors', {}),
  ]).toEqual([
    'done: private/a.ts:1:7 (withheld: a rule denies reading it)\nnotes.ts:1:7 (withheld: a rule denies reading it)\nsrc/a.ts:1:1  const retry = 1;',
    'failed: notes.ts is withheld: a rule denies reading it.',
    'failed: private/a.ts is withheld: a rule denies reading it.',
    'done: .env:1:7 error (withheld: the file may hold secrets)\nnotes.ts:1:7 error (withheld: a rule denies reading it)\n' +
      'private/a.ts:1:7 error (withheld: a rule denies reading it)\nsrc/a.ts:1:7 error: hidden is unused (ts)',
    'done: private/a.ts (in use)\n\nSelected (text not shown): notes.ts:1',
  ]);
});
