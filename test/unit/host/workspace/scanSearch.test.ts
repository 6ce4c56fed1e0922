import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { diskReader, type FolderReader, walkFolder } from '../../../../src/host/workspace/folderWalk';
import { Pace } from '../../../../src/host/workspace/pace';
import { scanFolder } from '../../../../src/host/workspace/scanSearch';
import type { TextSearch } from '../../../../src/tools/workspaceFiles';

let root = '';
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'hermes-scan-'))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const never = new AbortController().signal;
const put = (files: Readonly<Record<string, string | Uint8Array>>): void => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
};
const walked = async (excludes: readonly string[] = []): Promise<readonly string[]> => {
  const paths: string[] = [];
  for await (const path of walkFolder({ root, reader: diskReader, excludes, signal: never, pace: new Pace() }))
    paths.push(path);
  return paths;
};
const search = (changes: Partial<TextSearch> = {}): TextSearch => ({
  query: 'x',
  isRegularExpression: false,
  caseSensitive: true,
  include: null,
  maxMatches: 100,
  ...changes,
});
const scan = (wanted: TextSearch, { signal = never, reader = diskReader, limit = 100 } = {}) =>
  scanFolder({ root, reader, excludes: [], search: wanted, accepts: () => true, limit, signal }, new Pace());

describe('a walk through a folder', () => {
  it('leaves out what ignore files name, the nearest one deciding, and what the editor excludes', async () => {
    put({
      '.gitignore': '*.log\n/build\n!keep.log\n',
      'a.log': '',
      'keep.log': '',
      'build/a.ts': '',
      'src/build/a.ts': '',
      'src/a.ts': '',
      'src/.gitignore': '!a.log\n',
      'src/a.log': '',
      'src/.ignore': 'secret/\n',
      'src/secret/a.ts': '',
      '.git/config': '',
      'node_modules/x/index.js': '',
      'dist/a.ts': '',
    });
    expect(await walked(['**/dist'])).toEqual([
      '.gitignore',
      'keep.log',
      'src/.gitignore',
      'src/.ignore',
      'src/a.log',
      'src/a.ts',
      'src/build/a.ts',
    ]);
  });

  it('does not follow links, which may lead out of it or back', async () => {
    put({ 'a/b.ts': '' });
    symlinkSync(root, join(root, 'a', 'again'));
    symlinkSync(join(root, 'a', 'b.ts'), join(root, 'a', 'link.ts'));
    expect(await walked()).toEqual(['a/b.ts']);
  });

  it('finds nothing in a missing folder', async () => {
    rmSync(root, { recursive: true });
    expect(await walked()).toEqual([]);
  });
});

describe('text search without ripgrep', () => {
  it('finds lines with their numbers, whatever the line endings, in name order', async () => {
    put({ 'b.txt': 'one\r\nx two\r\n', 'a.txt': 'x\n\nx', 'c.txt': 'X\n' });
    const places = (await scan(search())).map(
      ({ path, line, text }) => `${path.slice(root.length + 1)}:${line}:${text}`,
    );
    expect(places).toEqual(['a.txt:1:x', 'a.txt:3:x', 'b.txt:2:x two']);
  });

  it('stops at the limit', async () => {
    put({ 'a.txt': 'x\nx\nx\n', 'b.txt': 'x\n' });
    expect((await scan(search(), { limit: 2 })).length).toBe(2);
  });

  it('leaves out binary files and files over 2 MB', async () => {
    put({ 'a.bin': Uint8Array.from([0x78, 0]), 'large.txt': `x\n${'y'.repeat(2 * 1024 * 1024)}`, 'small.txt': 'x' });
    expect((await scan(search())).map(({ path }) => path)).toEqual([join(root, 'small.txt')]);
  });

  it('ends with the reason of a stop, even while the disk does not answer', async () => {
    put({ 'a.txt': 'x' });
    const controller = new AbortController();
    const hanging: FolderReader = {
      ...diskReader,
      read: () => new Promise(() => setTimeout(() => controller.abort(new Error('stopped')), 5)),
    };
    await expect(scan(search(), { signal: controller.signal, reader: hanging })).rejects.toThrow('stopped');
  });

  it('yields to other work', async () => {
    put({ 'a.txt': 'y\n'.repeat(100_000) });
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await scanFolder(
      { root, reader: diskReader, excludes: [], search: search(), accepts: () => true, limit: 1, signal: never },
      new Pace(0),
    );
    clearInterval(timer);
    expect(turns).toBeGreaterThan(1);
  });
});
