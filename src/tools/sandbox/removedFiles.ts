import { lstatSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { RemovedFiles, TakenOut } from './git/gitGuard';
import { errorMessage } from '../../base/errorMessage';

/** True when the editor wrote the present content of the file: the user did, or the agent with the user's approval. */
export type IsWritten = (path: string) => Promise<boolean>;

/** Moves the files and folders to `aside`, except files that the editor wrote. Each name is judged by itself, and what
 *  cannot be judged is moved. Never rejects. */
export async function removeInstructionFiles(
  made: readonly string[],
  aside: string,
  isWritten: IsWritten,
): Promise<RemovedFiles> {
  const taken: TakenOut[] = [];
  const left: { path: string; reason: string }[] = [];
  for (const path of made) {
    for (const part of await partsToTake(path, isWritten)) {
      const kept = join(aside, `${taken.length + 1}`, basename(part));
      const reason = await move(part, kept).then(() => null, errorMessage);
      if (reason === null) taken.push({ path: part, kept });
      else left.push({ path: part, reason });
    }
  }
  return { taken, left };
}

/** Restores files that were moved out. Returns those that could not be restored, because something else is in their
 *  place now. */
export async function putBack(taken: readonly TakenOut[]): Promise<readonly TakenOut[]> {
  const left: TakenOut[] = [];
  for (const each of taken) {
    if (isThere(each.path)) left.push(each);
    else await move(each.kept, each.path);
  }
  return left;
}

/** All files of a folder, or the file itself. Does not follow links. */
export async function filesIn(path: string): Promise<readonly string[]> {
  if (!lstatSync(path).isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
}

/** Returns the whole path if the editor wrote nothing in it or that is not known, else each file that the editor did
 *  not write. */
async function partsToTake(path: string, isWritten: IsWritten): Promise<readonly string[]> {
  try {
    await mend(path);
    const files = await filesIn(path);
    const theirs = await Promise.all(files.map(isWritten));
    return theirs.includes(true) ? files.filter((_, index) => theirs[index] === false) : [path];
  } catch {
    return [path];
  }
}

/** Makes everything below a path readable and movable: a command can take these permissions away. */
async function mend(path: string, isDeep = true): Promise<void> {
  const found = lstatSync(path);
  if (found.isSymbolicLink()) return;
  if ((found.mode & 0o600) !== 0o600 || (found.isDirectory() && (found.mode & 0o700) !== 0o700))
    await chmod(path, (found.mode & 0o7777) | (found.isDirectory() ? 0o700 : 0o600));
  if (isDeep && found.isDirectory()) for (const name of await readdir(path)) await mend(join(path, name));
}

async function move(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  // Fails for a folder of another user; the move fails too then, and says why.
  await mend(dirname(from), false).catch(() => undefined);
  await rename(from, to).catch(async () => {
    await cp(from, to, { recursive: true, verbatimSymlinks: true });
    await rm(from, { recursive: true });
  });
}

/** True also for a link that leads nowhere. */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path) !== undefined;
  } catch {
    return false;
  }
}
