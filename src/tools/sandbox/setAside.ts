import { lstatSync } from 'node:fs';
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { realPath } from './foundFiles';

/** What an editor, a shell or an agent takes orders from when it stands in an open folder. While it is missing the sandbox cannot keep it from being made
 *  without leaving an empty file there for everyone to see, so what was made is taken out again. */
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

/** Something that editors and agents take orders from, and that is not there. */
export interface MissingOrders {
  readonly path: string;
  /** Where its folder is, links followed. */
  readonly place: string;
}

/** A file or folder that was moved out of an open folder, and where it is kept. */
export interface TakenOut {
  readonly path: string;
  readonly kept: string;
}

export interface SetAside {
  readonly taken: readonly TakenOut[];
  /** What could not be moved and stands there still, each with the reason. */
  readonly left: readonly { readonly path: string; readonly reason: string }[];
}

/** Whether the editor wrote the file as it is now: the person did, or the agent with the person's permission. */
export type IsWritten = (path: string) => Promise<boolean>;

/** Which of them are missing in the folders now. */
export function missingOrders(folders: readonly string[]): readonly MissingOrders[] {
  const paths = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return paths.filter((path) => !isThere(path)).map((path) => ({ path, place: realPath(dirname(path)) }));
}

/** Whether something at the path would be looked at when a command ends. */
export function isBelowOrders(path: string): boolean {
  const all = `${path.replaceAll('\\', '/')}/`;
  return names.some((name) => all.includes(`/${name}/`));
}

/** Moves those that are there by now into `aside`, but for files that the editor wrote. */
export async function setAside(
  missing: readonly MissingOrders[],
  aside: string,
  isWritten: IsWritten,
): Promise<SetAside> {
  const taken: TakenOut[] = [];
  const left: { path: string; reason: string }[] = [];
  for (const { path, place } of missing) {
    const made = realPath(dirname(path)) === place ? path : replacedFolder(path);
    if (made === null || !isThere(made) || taken.some((each) => each.path === made)) continue;
    for (const part of await partsToTake(made, isWritten)) {
      const kept = join(aside, `${taken.length + 1}`, basename(part));
      const reason = await move(part, kept).then(() => null, String);
      if (reason === null) taken.push({ path: part, kept });
      else left.push({ path: part, reason });
    }
  }
  return { taken, left };
}

/** Puts back what was taken out; returns what could not be put back, because something else stands there by now. */
export async function putBack(taken: readonly TakenOut[]): Promise<readonly TakenOut[]> {
  const left: TakenOut[] = [];
  for (const each of taken) {
    if (isThere(each.path)) left.push(each);
    else await move(each.kept, each.path);
  }
  return left;
}

/** All files of a folder, or the file itself. Links are not followed. */
export async function filesIn(path: string): Promise<readonly string[]> {
  if (!lstatSync(path).isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
}

/** Where the folder of a path was replaced by a link, that link is what was made: what it leads to is not the command's. */
function replacedFolder(path: string): string | null {
  const folder = dirname(path);
  return isThere(folder) && lstatSync(folder).isSymbolicLink() ? folder : null;
}

/** The whole where nothing in it is written by the editor, else each file that is not. */
async function partsToTake(path: string, isWritten: IsWritten): Promise<readonly string[]> {
  const files = await filesIn(path);
  const theirs = await Promise.all(files.map(isWritten));
  return theirs.includes(true) ? files.filter((_, index) => theirs[index] === false) : [path];
}

async function move(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await rename(from, to).catch(async () => {
    await cp(from, to, { recursive: true, verbatimSymlinks: true });
    await rm(from, { recursive: true });
  });
}

/** Also a link that leads nowhere yet. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path) !== undefined;
  } catch {
    return false;
  }
}
