import { realpath, stat } from 'node:fs/promises';
import type { FolderLabel } from './folderLabel';
import { gitIdentityOf } from './gitIdentity';

/** What a window has open. */
export interface OpenFolder {
  readonly kind: FolderLabel['kind'];
  /** Of the folder or the workspace file, on the machine the store is on; null where there is none. */
  readonly path: string | null;
  readonly name: string;
  /** The folder whose git identity counts: the folder itself, or the first one of a workspace. */
  readonly root: string | null;
}

/** A folder's label, as it is now. */
export async function describeFolder({ kind, path, name, root }: OpenFolder): Promise<FolderLabel> {
  return {
    version: 1,
    kind,
    path,
    name,
    place: path === null ? null : await placeOf(path),
    git: root === null ? null : await gitIdentityOf(await realpath(root).catch(() => root)),
  };
}

/** What a folder keeps when it gets another name or is moved within its disk: number and time of birth. Null when there is none, or where a
 *  file system does not know when a folder was made: without that a number may have been given to another one. */
export async function placeOf(path: string): Promise<string | null> {
  try {
    const { ino, birthtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return birthtimeNs === 0n || birthtimeNs === ctimeNs ? null : `${ino}:${birthtimeNs}`;
  } catch {
    return null;
  }
}

/** Whether there is anything at a path. */
export async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
