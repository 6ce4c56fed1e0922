import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { type GitEntry, isHarmless, parseGitConfig } from '../../../../src/tools/sandbox/git/gitFolders';
import { seededRandom } from '../../../support/seededRandom';

const pieces = [
  '[core]',
  '[remote "origin"]',
  '[remote "a\\"b\\\\c"]',
  '[include]',
  '[a.b]',
  '[A-1]',
  '[ core ]',
  '[core',
  'fsmonitor = x',
  'fsmonitor=x y  z  ',
  'url = "a b" c # comment',
  'url = a;b',
  'bare',
  'Bare = TRUE',
  'path = a\\\n  b',
  'path = "a\\tb\\n\\"c\\\\"',
  'path = "open',
  'path = \\q',
  'path =',
  '= x',
  '1a = x',
  'a_b = x',
  'a-b = é\u00a0x',
  '# comment',
  '; comment',
  '',
  '\t',
  ' ',
  '\r',
  '\u0000',
];

/** Versions of Git differ in the blanks that they keep within a value. */
const blank = (entries: readonly GitEntry[]): readonly GitEntry[] =>
  entries.map(({ key, value }) => ({ key, value: value.replace(/\s+/g, ' ').trim() }));

it('reads a configuration as Git does', () => {
  const random = seededRandom(7);
  const pick = (): string => pieces[Math.floor(random() * pieces.length)] ?? '';
  const texts = Array.from(
    { length: 300 },
    () =>
      '[core]' +
      Array.from({ length: 1 + Math.floor(random() * 6) }, () => pick() + (random() < 0.7 ? '\n' : ' ')).join(''),
  );
  let understood = 0;
  for (const text of texts) {
    const { status, stdout } = spawnSync('git', ['config', '-f', '-', '--list', '-z'], {
      input: text,
      encoding: 'utf8',
    });
    const ours = parseGitConfig(text);
    const theirs = stdout
      .split('\0')
      .slice(0, -1)
      .map((line) => line.split(/\n([\s\S]*)/))
      .map(([key = '', value = '']) => ({ key, value }));
    if (status === 0) understood++;
    // What only Git understands is as if it were dangerous.
    if (status === 0 && ours !== null) expect({ text, entries: blank(ours) }).toEqual({ text, entries: blank(theirs) });
    else expect({ text, ours, status }).toMatchObject(status === 0 ? { ours: null } : { text });
  }
  expect(understood).toBeGreaterThan(60);
});

it.each([
  ['[core]\n\tfsmonitor = true', true],
  ['[core]\n\tfsmonitor = ./x', false],
  ['[remote "o"]\n\turl = https://example.org/x.git\n\tfetch = +refs/heads/*:refs/remotes/o/*', true],
  ['[remote "o"]\n\turl = ext::sh -c x', false],
  ['[remote "o"]\n\tuploadpack = x', false],
  ['[include]\n\tpath = x', false],
  ['[includeIf "gitdir:/"]\n\tpath = x', false],
  ['[core]\n\thooksPath = x', false],
  ['[filter "x"]\n\tclean = x', false],
  ['[alias]\n\tst = !x', false],
  ['[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main', true],
  ['[submodule "x"]\n\tupdate = !x', false],
  ['[lfs "customtransfer.x"]\n\tpath = x', false],
  ['[diff "x"]\n\ttextconv = x', false],
])('knows what a new repository may have: %j', (text, expected) => {
  expect(parseGitConfig(text)?.every(isHarmless)).toBe(expected);
});
