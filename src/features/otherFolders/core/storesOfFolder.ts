import type { FolderLabel } from '../../../store/library/folderLabel';
import type { OtherStore } from '../../../store/library/otherStore';

/** Reasons why another store's sessions may belong to this folder or workspace, the most certain first. path: the same
 *  path, other storage · place: the same folder of the disk under another name · clone: the same working copy · remote:
 *  a clone of the same repository · name: only the same name · firstFolder: a workspace and its first folder, or two
 *  workspaces with the same first folder · folder: a workspace and another of its folders. */
const belongings = ['path', 'place', 'clone', 'remote', 'name', 'firstFolder', 'folder'] as const;
export type Belonging = (typeof belongings)[number];

/** Current state of the path where another store's folder was. */
export type OldPlace = { readonly isThere: boolean; readonly place: string | null };

/** Stores that seem to hold this folder's earlier sessions, the most certain first, then the most recently used.
 *  A folder becomes a workspace, and the reverse, while both still exist. Otherwise excludes what still exists at its
 *  old path: this folder is then a copy, a second clone or a worktree of it. `oldPlace` examines a path. */
export async function storesOfThisFolder<S extends OtherStore>(
  own: FolderLabel,
  stores: readonly S[],
  oldPlace: (path: string) => Promise<OldPlace>,
): Promise<readonly { readonly store: S; readonly why: Belonging }[]> {
  const found: { readonly store: S; readonly why: Belonging }[] = [];
  for (const store of stores) {
    const { label } = store;
    if (label === null || store.sessions === 0 || store.problem !== null) continue;
    const why = belonging(own, label);
    if (why === null) continue;
    const mustBeGone = why !== 'path' && label.kind === own.kind;
    if (mustBeGone && label.path !== null && stillThere(label, await oldPlace(label.path))) continue;
    found.push({ store, why });
  }
  return found.sort(
    (one, other) =>
      belongings.indexOf(one.why) - belongings.indexOf(other.why) || other.store.lastActiveAt - one.store.lastActiveAt,
  );
}

function stillThere(label: FolderLabel, now: OldPlace): boolean {
  if (!now.isThere) return false;
  return label.place === null || now.place === null || label.place === now.place;
}

function belonging(own: FolderLabel, other: FolderLabel): Belonging | null {
  if (own.kind === 'window' || other.kind === 'window') return null;
  return (own.kind === other.kind ? sameThing(own, other) : null) ?? sharedFolder(own, other);
}

function sameThing(own: FolderLabel, other: FolderLabel): Belonging | null {
  if (isSame(own.path, other.path)) return 'path';
  if (isSame(own.place, other.place)) return 'place';
  // One repository may contain several workspace files.
  const isSameFile = own.kind === 'folder' || own.name === other.name;
  if (isSameFile && isSame(own.git?.birth, other.git?.birth)) return 'clone';
  if (isSameFile && isSame(own.git?.remote, other.git?.remote)) return 'remote';
  return own.git === null && other.git === null && own.name === other.name ? 'name' : null;
}

function sharedFolder(own: FolderLabel, other: FolderLabel): Belonging | null {
  const [ours, theirs] = [rootsOf(own), rootsOf(other)];
  const isShared = (one: Root, two: Root): boolean => one.path === two.path || isSame(one.place, two.place);
  const [first, theirFirst] = [ours[0], theirs[0]];
  if (first !== undefined && theirFirst !== undefined && isShared(first, theirFirst)) return 'firstFolder';
  if (own.kind === other.kind) return null;
  return ours.some((one) => theirs.some((two) => isShared(one, two))) ? 'folder' : null;
}

type Root = FolderLabel['roots'][number];

function rootsOf({ kind, path, place, roots }: FolderLabel): readonly Root[] {
  return kind === 'folder' && path !== null ? [{ path, place }] : roots;
}

function isSame(one: string | null | undefined, two: string | null | undefined): boolean {
  return one !== null && one !== undefined && one === two;
}
