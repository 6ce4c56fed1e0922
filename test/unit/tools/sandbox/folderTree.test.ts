import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderTree } from '../../../../src/tools/sandbox/git/folderTree';

// No event of a watch arrives within these tests: they show what `look` finds without one.
describe('a tree of folders', () => {
  let base: string;
  let seen: string[];
  let tree: FolderTree;
  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-tree-')));
    seen = [];
    tree = new FolderTree((path) => void seen.push(relative(base, path)));
    mkdirSync(join(base, 'root/a/b'), { recursive: true });
    mkdirSync(join(base, 'root/.git/objects/00'), { recursive: true });
    tree.add(join(base, 'root'));
  });
  afterEach(() => {
    tree.dispose();
    chmodSync(join(base, 'root'), 0o700);
    rmSync(base, { recursive: true });
  });
  const found = (change: () => void): readonly string[] => {
    seen.length = 0;
    change();
    tree.look();
    return [...new Set(seen)].sort();
  };

  it('shows everything at first, without the objects of Git', () => {
    expect(seen.sort()).toEqual(['root/.git', 'root/.git/objects', 'root/a', 'root/a/b']);
  });

  it('shows what appears, however deep', () => {
    expect(found(() => mkdirSync(join(base, 'root/a/b/c/d/.git'), { recursive: true }))).toEqual(
      expect.arrayContaining(['root/a/b/c', 'root/a/b/c/d', 'root/a/b/c/d/.git']),
    );
  });

  it('shows what appears when the time of its folder is set back', () => {
    const long = new Date(0);
    expect(
      found(() => {
        writeFileSync(join(base, 'root/a/b/HEAD'), '');
        utimesSync(join(base, 'root/a/b'), long, long);
      }),
    ).toContain('root/a/b/HEAD');
  });

  it('shows what another folder of the same name has', () => {
    mkdirSync(join(base, 'other/.git'), { recursive: true });
    expect(
      found(() => {
        renameSync(join(base, 'root/a'), join(base, 'away'));
        renameSync(join(base, 'other'), join(base, 'root/a'));
      }),
    ).toContain('root/a/.git');
  });

  it('shows what a root has that was made again', () => {
    expect(
      found(() => {
        rmSync(join(base, 'root'), { recursive: true });
        mkdirSync(join(base, 'root/x/.git'), { recursive: true });
        tree.add(join(base, 'root'));
      }),
    ).toContain('root/x/.git');
  });

  it('shows of a shallow root its own entries only', () => {
    mkdirSync(join(base, 'above/x/.git'), { recursive: true });
    expect(found(() => tree.add(join(base, 'above'), true)).filter((path) => path.startsWith('above'))).toEqual([
      'above/x',
    ]);
  });

  it('knows which paths it covers', () => {
    expect(
      ['root', 'root/new/x', 'root/.git/worktrees/w', 'root/.git/objects/x', 'rootless', ''].map((path) =>
        tree.covers(join(base, path)),
      ),
    ).toEqual([true, true, true, false, false, false]);
  });
});
