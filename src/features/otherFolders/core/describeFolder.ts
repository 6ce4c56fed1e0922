import { realpath, stat } from 'node:fs/promises';
import type { FolderLabel } from '../../../store/library/folderLabel';
import { gitIdentityOf } from '../../../store/library/gitIdentity';

/** The folder or workspace that a window has open. */
export interface OpenFolder {
  readonly kind: FolderLabel['kind'];
  /** Path of the folder or the workspace file, on the machine that holds the store; null when there is none. */
  readonly path: string | null;
  readonly name: string;
  /** Paths of the open folders: the folder itself, or those of a workspace. The first one's git identity counts. */
  readonly roots: readonly string[];
}

/** Describes a folder in its current state. */
export async function describeFolder({ kind, path, name, roots }: OpenFolder): Promise<FolderLabel> {
  const [root] = roots;
  const ofWorkspace = kind === 'workspace' ? roots : [];
  return {
    version: 1,
    kind,
    path,
    name,
    place: path === null ? null : await placeOf(path),
    git: root === undefined ? null : await gitIdentityOf(await realpath(root).catch(() => root)),
    roots: await Promise.all(ofWorkspace.map(async (each) => ({ path: each, place: await placeOf(each) }))),
  };
}

/** Inode number and creation time of a folder: they survive a rename or a move within its disk. Null when there is
 *  no folder, or when a file system does not record the creation time: without that the number may have been reused
 *  for another folder. */
export async function placeOf(path: string): Promise<string | null> {
  try {
    const { ino, birthtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return birthtimeNs === 0n || birthtimeNs === ctimeNs ? null : `${ino}:${birthtimeNs}`;
  } catch {
    return null;
  }
}

/** True when anything exists at the path. */
export async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
