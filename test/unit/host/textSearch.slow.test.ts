import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { globMatcher } from '../../../src/host/workspace/folderWalk';
import { matchingLines } from '../../../src/host/workspace/scanSearch';
import { findRipgrep, ripgrepCandidates } from '../../../src/host/workspace/ripgrepPath';
import { ripgrepArguments, searchWithRipgrep, type RipgrepRun } from '../../../src/host/workspace/ripgrepSearch';
import type { TextSearch } from '../../../src/tools/workspaceFiles';

function search(query: string, changes: Partial<TextSearch> = {}): TextSearch {
  return { query, isRegularExpression: false, caseSensitive: false, include: null, maxMatches: 100, ...changes };
}

describe('a glob', () => {
  it.each([
    ['*.ts', ['a.ts', 'src/b.ts'], ['a.tsx', 'ts']],
    ['src/**/*.ts', ['src/a.ts', 'src/x/y/a.ts'], ['a.ts', 'other/src/a.ts']],
    ['./src/*.ts', ['src/a.ts'], ['src/x/a.ts']],
    ['/readme.md', ['readme.md'], ['docs/readme.md']],
    ['*.{ts,js}', ['a.ts', 'b/c.js'], ['a.css']],
    ['**/node_modules', ['node_modules', 'a/node_modules'], ['node_modules2']],
    ['docs/', ['docs/a.md', 'docs/x/b.md'], ['docs']],
    ['file[0-9].t?t', ['file1.txt', 'x/file9.tat'], ['filea.txt', 'file1.tt']],
    ['[!a]*.c', ['b.c'], ['a.c']],
    ['a+b(c).ts', ['a+b(c).ts'], ['aab(c).ts', 'abc.ts']],
    ['{src,lib/{a,b}}/*.ts', ['src/x.ts', 'lib/a/x.ts', 'lib/b/x.ts'], ['lib/x.ts', 'a/x.ts']],
    ['src/*', ['src/a', 'src/.a'], ['src/a/b']],
    ['!a.ts', ['!a.ts'], ['b.ts']],
    ['app/[id]/page.tsx', ['app/[id]/page.tsx', 'app/i/page.tsx'], ['app/x/page.tsx']],
  ])('%s matches what users expect', (pattern, yes, no) => {
    const matches = globMatcher(pattern);
    expect({ yes: yes.filter((path) => !matches(path)), no: no.filter((path) => matches(path)) }).toEqual({
      yes: [],
      no: [],
    });
  });
});

describe('lines in a text', () => {
  it('are found literally or by regular expression, with or without case, up to a limit', () => {
    const text = 'one.\r\nOne!\nTwo one.\nonex';
    expect([
      matchingLines(text, search('one.'), 10).map(({ line }) => line),
      matchingLines(text, search('one.', { isRegularExpression: true }), 10).map(({ line }) => line),
      matchingLines(text, search('One', { caseSensitive: true }), 10).map(({ line }) => line),
      matchingLines(text, search('one'), 2),
    ]).toEqual([
      [1, 3],
      [1, 2, 3, 4],
      [2],
      [
        { line: 1, text: 'one.' },
        { line: 2, text: 'One!' },
      ],
    ]);
  });
});

describe('ripgrep', () => {
  let folder = '';
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'hermes-rg-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** A program in its place that writes what it is told, so that reading its output is tested where there is no
   *  ripgrep. */
  function program(script: string): string {
    const path = join(folder, 'rg');
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  const row = (path: string, line: number, text: string): string =>
    JSON.stringify({
      type: 'match',
      data: { path: { text: path }, lines: { text }, line_number: line, absolute_offset: 0, submatches: [] },
    });
  const run = (binary: string, changes: Partial<RipgrepRun> = {}): RipgrepRun => ({
    binary,
    root: folder,
    search: search('x'),
    excludes: [],
    accepts: () => true,
    limit: 100,
    signal: new AbortController().signal,
    ...changes,
  });

  it("is looked for in the editor's folders, newest location first", async () => {
    const candidates = ripgrepCandidates('/app', 'linux', 'x64');
    expect(candidates.slice(0, 3)).toEqual([
      '/app/node_modules/@vscode/ripgrep-universal/bin/linux-x64/rg',
      '/app/node_modules.asar.unpacked/@vscode/ripgrep-universal/bin/linux-x64/rg',
      '/app/node_modules/@vscode/ripgrep/bin/rg',
    ]);
    const own = program('exit 0');
    expect(await findRipgrep(['/nowhere/rg', own])).toBe(own);
  });

  it('receives the query as data, never as an option', () => {
    expect(ripgrepArguments(search('--files', { caseSensitive: true }), ['**/dist']).slice(-7)).toEqual([
      '--case-sensitive',
      '--fixed-strings',
      '--glob=!.git',
      '--glob=!**/dist',
      '--regexp',
      '--files',
      '.',
    ]);
    expect(ripgrepArguments(search('a|b', { isRegularExpression: true }), [])).toContain('--engine=auto');
  });

  it('returns matches with absolute paths, whole lines and only accepted files', async () => {
    writeFileSync(
      join(folder, 'out'),
      [
        row('./src/a.ts', 3, '  let x;\r\n'),
        row('./b.ts', 1, 'x\n'),
        '{"type":"end","data":{}}',
        row('./src/c.ts', 9, 'xx\n'),
      ].join('\n'),
    );
    const matches = await searchWithRipgrep(
      run(program(`cat "${join(folder, 'out')}"`), { accepts: (path) => path.startsWith('src/') }),
    );
    expect(matches).toEqual([
      { path: join(folder, 'src/a.ts'), line: 3, text: '  let x;' },
      { path: join(folder, 'src/c.ts'), line: 9, text: 'xx' },
    ]);
  });

  it('is stopped when there are enough matches', async () => {
    const binary = program(`while true; do echo '${row('./a.ts', 1, 'x')}'; done`);
    expect((await searchWithRipgrep(run(binary, { limit: 5 }))).length).toBe(5);
  });

  it("is stopped when the user stops, and rejects with the user's reason", async () => {
    const stop = new AbortController();
    const searching = searchWithRipgrep(run(program('exec sleep 60'), { signal: stop.signal }));
    stop.abort(new Error('stopped'));
    await expect(searching).rejects.toThrow('stopped');
  });

  it('reports its own reason when it cannot search, and keeps matches if only some files were unreadable', async () => {
    await expect(searchWithRipgrep(run(program('echo "regex parse error" >&2; exit 2')))).rejects.toThrow(
      'regex parse error',
    );
    const partly = program(`echo '${row('./a.ts', 1, 'x')}'; echo "a: Permission denied" >&2; exit 2`);
    expect((await searchWithRipgrep(run(partly))).length).toBe(1);
  });
});
