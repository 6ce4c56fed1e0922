import type { FolderLabel } from './folderLabel';
import type { OtherStore } from './otherStore';

/** Reasons why another store's sessions may belong to this folder, the most certain first. path: the same path,
 *  other storage · place: the same folder of the disk under another name · clone: the same working copy · remote: a
 *  clone of the same repository · name: only the same name. */
const belongings = ['path', 'place', 'clone', 'remote', 'name'] as const;
type Belonging = (typeof belongings)[number];

/** Current state of the path where another store's folder was. */
export type OldPlace = { readonly isThere: boolean; readonly place: string | null };

/** Stores whose folder seems to have become this one, the most certain first, then the most recently used. Excludes
 *  a folder that still exists at its old path: this folder is then a copy, a second clone or a worktree of it.
 *  `oldPlace` examines a path. */
export async function storesOfThisFolder(
  own: FolderLabel,
  stores: readonly OtherStore[],
  oldPlace: (path: string) => Promise<OldPlace>,
): Promise<readonly OtherStore[]> {
  const found: { readonly store: OtherStore; readonly rank: number }[] = [];
  for (const store of stores) {
    if (store.label === null || store.sessions === 0 || store.problem !== null) continue;
    const why = belonging(own, store.label);
    if (why === null) continue;
    if (why !== 'path' && store.label.path !== null && stillThere(store.label, await oldPlace(store.label.path)))
      continue;
    found.push({ store, rank: belongings.indexOf(why) });
  }
  return found
    .sort((one, other) => one.rank - other.rank || other.store.lastActiveAt - one.store.lastActiveAt)
    .map(({ store }) => store);
}

function stillThere(label: FolderLabel, now: OldPlace): boolean {
  if (!now.isThere) return false;
  return label.place === null || now.place === null || label.place === now.place;
}

function belonging(own: FolderLabel, other: FolderLabel): Belonging | null {
  if (own.kind === 'window' || own.kind !== other.kind) return null;
  const same = <T>(one: T | null | undefined, two: T | null | undefined): boolean =>
    one !== null && one !== undefined && one === two;
  if (same(own.path, other.path)) return 'path';
  if (same(own.place, other.place)) return 'place';
  // One repository may contain several workspace files.
  const isSameFile = own.kind === 'folder' || own.name === other.name;
  if (isSameFile && same(own.git?.birth, other.git?.birth)) return 'clone';
  if (isSameFile && same(own.git?.remote, other.git?.remote)) return 'remote';
  return own.git === null && other.git === null && own.name === other.name ? 'name' : null;
}
