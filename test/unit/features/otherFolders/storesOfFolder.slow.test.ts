import { describe, expect, it } from 'vitest';
import { decodeLabel, type FolderLabel } from '../../../../src/store/library/folderLabel';
import { type OldPlace, storesOfThisFolder } from '../../../../src/features/otherFolders/core/storesOfFolder';
import type { OtherStore } from '../../../../src/store/library/otherStore';

const own: FolderLabel = {
  version: 1,
  kind: 'folder',
  path: '/home/me/new-name',
  name: 'new-name',
  place: '7:7',
  git: { remote: 'r', birth: 'b' },
  roots: [],
};
const store = (folder: string, label: Partial<FolderLabel> | null, over: Partial<OtherStore> = {}): OtherStore => ({
  folder,
  uid: folder,
  sessions: 3,
  lastActiveAt: 10,
  inUse: false,
  problem: null,
  label:
    label === null
      ? null
      : {
          version: 1,
          kind: 'folder',
          path: `/home/me/${folder}`,
          name: folder,
          place: null,
          git: null,
          roots: [],
          ...label,
        },
  ...over,
});
const gone = (): Promise<OldPlace> => Promise.resolve({ isThere: false, place: null });
const stands = (place: string | null) => (): Promise<OldPlace> => Promise.resolve({ isThere: true, place });
const found = async (of: FolderLabel, stores: readonly OtherStore[], oldPlace = gone): Promise<readonly string[]> =>
  (await storesOfThisFolder(of, stores, oldPlace)).map(({ store: { folder } }) => folder);

describe('a folder that was renamed or moved', () => {
  it('is recognized by its place on the disk, by its clone, by its remote, in this order, then by the newest use', async () => {
    const stores = [
      store('remote', { git: { remote: 'r', birth: null } }),
      store('clone', { git: { remote: 'x', birth: 'b' } }),
      store('place', { place: '7:7' }),
      store('newer remote', { git: { remote: 'r', birth: 'other' } }, { lastActiveAt: 20 }),
      store('same path', { path: own.path }),
    ];
    expect(await found(own, stores)).toEqual(['same path', 'place', 'clone', 'newer remote', 'remote']);
  });

  it('does not match one that still exists, such as a second clone, but matches one replaced by another folder', async () => {
    const clone = store('clone', { place: '1:1', git: { remote: 'r', birth: null } });
    expect(await found(own, [clone], stands('1:1'))).toEqual([]);
    expect(await found(own, [clone], stands(null))).toEqual([]);
    expect(await found(own, [clone], stands('2:2'))).toEqual(['clone']);
  });

  it('is recognized by name only where neither side has git and the old folder is gone', async () => {
    const plain = { ...own, git: null };
    const named = store('named', { name: 'new-name' });
    expect(await found(plain, [named])).toEqual(['named']);
    expect(await found(plain, [named], stands(null))).toEqual([]);
    expect(await found(own, [named])).toEqual([]);
    expect(await found(plain, [store('named', { name: 'new-name', git: { remote: 'r', birth: null } })])).toEqual([]);
  });

  it('never matches empty or unreadable stores, stores without a label, or another kind of window without a shared folder', async () => {
    const git = { git: { remote: 'r', birth: null } };
    expect(
      await found(own, [
        store('empty', git, { sessions: 0 }),
        store('damaged', git, { problem: 'Damaged.' }),
        store('silent', null),
        store('workspace', { ...git, kind: 'workspace' }),
      ]),
    ).toEqual([]);
    expect(
      await found({ ...own, kind: 'window', path: null, place: null }, [store('other', { ...git, kind: 'window' })]),
    ).toEqual([]);
    expect(
      await found({ ...own, kind: 'workspace' }, [
        store('w', { ...git, kind: 'workspace', name: 'other' }),
        store('v', { ...git, kind: 'workspace', name: 'new-name' }),
      ]),
    ).toEqual(['v']);
  });
});

describe('a folder and workspaces that contain it', () => {
  const root = (name: string) => ({ path: `/home/me/${name}`, place: null });
  const workspace = (...names: readonly string[]): FolderLabel => ({
    ...own,
    kind: 'workspace',
    path: '/home/me/all.code-workspace',
    name: 'all (Workspace)',
    place: null,
    git: null,
    roots: names.map(root),
  });
  const reasons = async (of: FolderLabel, stores: readonly OtherStore[]): Promise<readonly string[]> =>
    (await storesOfThisFolder(of, stores, stands(null))).map(({ store: { folder }, why }) => `${folder}: ${why}`);

  it('belong together although both still exist, the first folder before the others', async () => {
    expect(
      await reasons(workspace('project', 'second'), [store('second', {}), store('project', {}), store('x', {})]),
    ).toEqual(['project: firstFolder', 'second: folder']);
    const folder: FolderLabel = { ...own, ...root('second'), name: 'second', git: null };
    expect(
      await reasons(folder, [store('w', workspace('project', 'second')), store('v', workspace('second', 'project'))]),
    ).toEqual(['v: firstFolder', 'w: folder']);
  });

  it('are recognized by the place of the folder on the disk', async () => {
    const moved: FolderLabel = { ...workspace('new'), roots: [{ path: '/home/me/new', place: '3:3' }] };
    expect(await reasons(moved, [store('old', { place: '3:3' })])).toEqual(['old: firstFolder']);
  });

  it('give a saved workspace the history of the untitled one, and a renamed file that of its old name', async () => {
    const untitled = { ...workspace('project'), path: null, name: 'Untitled (Workspace)' };
    const other = { ...workspace('project'), path: '/home/me/other.code-workspace', name: 'other (Workspace)' };
    expect(await reasons(workspace('project'), [store('untitled', untitled), store('other', other)])).toEqual([
      'untitled: firstFolder',
    ]);
    expect(await found(workspace('project'), [store('other', other)], gone)).toEqual(['other']);
  });

  it('are not known from a label of an earlier version', async () => {
    const { roots, ...old } = workspace('project');
    const label = decodeLabel(JSON.stringify(old));
    expect([roots.length, label?.roots]).toEqual([1, []]);
    expect(await reasons({ ...own, ...root('project') }, [store('w', label)])).toEqual([]);
  });
});
