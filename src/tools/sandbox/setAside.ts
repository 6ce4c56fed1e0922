import { lstatSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorMessage } from '../../base/errorMessage';
import { realPath } from './foundFiles';

/** Files in an open folder that give an editor, a shell, or an agent instructions. While one is missing, the sandbox
 *  could prevent its creation only by leaving a visible empty file there. So files created under these names are
 *  moved out afterwards. */
const names: readonly string[] = [
  '.vscode',
  '.idea',
  '.husky',
  '.githooks',
  '.devcontainer',
  '.devcontainer.json',
  '.github/workflows',
  '.github/copilot-instructions.md',
  '.claude',
  '.cursor',
  '.codex',
  '.gemini',
  '.windsurf',
  '.continue',
  '.cline',
  '.roo',
  '.kiro',
  '.hermes',
  '.agents',
  'AGENTS.md',
  'CLAUDE.md',
  'GEMINI.md',
  'HERMES.md',
  '.cursorrules',
  '.windsurfrules',
  '.clinerules',
  '.mcp.json',
  'mcp.json',
  '.envrc',
  '.mise.toml',
  'mise.toml',
  '.pnpmfile.cjs',
  '.npmrc',
  '.yarnrc.yml',
  'lefthook.yml',
  '.pre-commit-config.yaml',
];

/** Missing file or folder that would give editors and agents instructions. */
interface MissingOrders {
  readonly path: string;
  /** Its parent folder, with links resolved. */
  readonly place: string;
}

/** File or folder that was moved out of an open folder, and its new place. */
interface TakenOut {
  readonly path: string;
  readonly kept: string;
}

export interface SetAside {
  readonly taken: readonly TakenOut[];
  /** Files that could not be moved and are still there, each with the reason. */
  readonly left: readonly { readonly path: string; readonly reason: string }[];
}

/** True when the editor wrote the present content of the file: the user did, or the agent with the user's approval. */
export type IsWritten = (path: string) => Promise<boolean>;

/** Entries that are missing in the folders now. */
export function missingOrders(folders: readonly string[]): readonly MissingOrders[] {
  const paths = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return paths.filter((path) => !isThere(path)).map((path) => ({ path, place: realPath(dirname(path)) }));
}

/** True when a path is checked after a command ends. */
export function isBelowOrders(path: string): boolean {
  const all = `${path.replaceAll('\\', '/')}/`;
  return names.some((name) => all.includes(`/${name}/`));
}

/** Moves the entries that exist now to `aside`, except files that the editor wrote. Each name is judged by itself, and
 *  what cannot be judged is moved. Never rejects. */
export async function setAside(
  missing: readonly MissingOrders[],
  aside: string,
  isWritten: IsWritten,
): Promise<SetAside> {
  const taken: TakenOut[] = [];
  const left: { path: string; reason: string }[] = [];
  for (const { path, place } of missing) {
    await mendFolderOf(path);
    const made = realPath(dirname(path)) === place ? path : replacedFolder(path);
    if (made === null || !isThere(made) || taken.some((each) => each.path === made)) continue;
    for (const part of await partsToTake(made, isWritten)) {
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

/** If the folder of a path was replaced by a link, the command made that link; the link's target is not the
 *  command's. */
function replacedFolder(path: string): string | null {
  const folder = dirname(path);
  return isThere(folder) && lstatSync(folder).isSymbolicLink() ? folder : null;
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

async function mendFolderOf(path: string): Promise<void> {
  // Fails for a folder of another user. A move out of it fails too then, and says why.
  await mend(dirname(path), false).catch(() => undefined);
}

async function move(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await mendFolderOf(from);
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
