import {
  closeSync,
  constants,
  cpSync,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorMessage } from '../../../base/errorMessage';
import { FolderTree } from './folderTree';
import {
  dangersIn,
  followedFrom,
  followedNames,
  gitFileTarget,
  isGitFolder,
  isOwnCommondir,
  ownCommondir,
  statOf,
} from './gitFolders';

/** File or folder that was moved out of an open folder, and its new place. */
export interface TakenOut {
  readonly path: string;
  readonly kept: string;
}

export interface RemovedFiles {
  readonly taken: readonly TakenOut[];
  /** Files that could not be moved and are still there, each with the reason. */
  readonly left: readonly { readonly path: string; readonly reason: string }[];
}

/** Bytes of a `.git` file that are read. */
const mostOfGitFile = 100_000;

/** Places in which a command can make what Git follows. Absolute paths, with links resolved. */
export interface GitPlaces {
  /** Searched with everything below them. */
  readonly folders: readonly string[];
  /** Searched for their own entries only. */
  readonly above: readonly string[];
  readonly home: string;
  /** Folder for files that are taken out. */
  readonly aside: string;
}

interface Run {
  readonly aside: string;
  readonly taken: RemovedFiles['taken'][number][];
  readonly left: Map<string, string>;
  readonly onDanger: () => void;
}

/** Keeps commands from making files that Git outside of the sandbox runs or follows. Repositories that exist when a
 *  command starts are protected by its limits. Of those that appear while one runs, what makes Git run a program is
 *  taken out at once. */
export class GitGuard {
  private readonly tree = new FolderTree((path) => this.look(path));
  /** Git folders that no running command can have made. */
  private readonly before = new Set<string>();
  /** Git folders that were found while a command ran. */
  private readonly fresh = new Set<string>();
  /** Missing files that a configuration names. */
  private readonly absent = new Set<string>();
  /** Files that this made, so that they can be protected. */
  private readonly placed = new Set<string>();
  private readonly runs = new Map<string, Run>();

  /** Begins to guard a command. Returns what it may not change. Throws when it cannot be guarded. */
  begin(id: string, places: GitPlaces, onDanger: () => void): readonly string[] {
    for (const folder of places.above) this.tree.add(folder, true);
    for (const folder of places.folders) this.tree.add(folder);
    // Without a running command this notes what is there. Else it judges what appeared.
    this.tree.look();
    const kept = this.followed(places.home);
    this.runs.set(id, { aside: join(places.aside, 'git'), taken: [], left: new Map(), onDanger });
    return kept;
  }

  /** Call when none of the command's processes runs anymore. */
  end(id: string): RemovedFiles {
    const run = this.runs.get(id);
    if (run === undefined) return { taken: [], left: [] };
    this.tree.look();
    for (const folder of this.fresh) this.judge(folder);
    for (const path of this.absent) if (statOf(path) !== null) this.takeOut([path]);
    this.runs.delete(id);
    if (this.runs.size === 0) this.rest();
    const left = [...run.left].filter(([path]) => statOf(path) !== null);
    return { taken: run.taken, left: left.map(([path, reason]) => ({ path, reason })) };
  }

  /** Removes what it made. */
  dispose(): void {
    this.tree.dispose();
    this.rest();
  }

  private rest(): void {
    for (const path of this.placed) if (isOwn(path)) rmSync(path, { force: true });
    for (const folder of this.fresh) this.before.add(folder);
    for (const each of [this.placed, this.fresh, this.absent]) each.clear();
  }

  private followed(home: string): readonly string[] {
    const kept = new Set<string>();
    for (const folder of this.before) {
      if (basename(folder) === '.git' && statOf(folder)?.isFile() === true) {
        kept.add(folder);
        const target = gitFileTarget(folder);
        if (target !== null && isGitFolder(target)) this.before.add(target);
      } else if (!isGitFolder(folder)) this.before.delete(folder);
      else {
        const followed = followedFrom(folder, home);
        for (const path of followed.folders) if (isGitFolder(path)) this.before.add(path);
        for (const path of followed.absent) this.absent.add(path);
        for (const path of followed.kept) kept.add(this.made(path));
      }
    }
    return [...kept];
  }

  /** Makes a missing file that Git would read, because only a file that exists can be protected. */
  private made(path: string): string {
    const name = basename(path);
    if ((name !== 'commondir' && name !== 'config.worktree') || process.platform === 'darwin') return path;
    const isMissing = statOf(path) === null;
    try {
      if (isMissing) writeFileSync(path, name === 'commondir' ? ownCommondir : '', { flag: 'wx', mode: 0o444 });
    } catch (error) {
      // On a read-only disk no command makes it either.
      if (!(error instanceof Error && 'code' in error && error.code === 'EROFS')) throw error;
    }
    // Also one that a killed window left.
    if (isMissing || isOwnCommondir(path)) this.placed.add(path);
    return path;
  }

  /** Judges an entry that is new or has changed. */
  private look(path: string): void {
    const name = basename(path);
    const folder = dirname(path);
    if (this.absent.size > 0) this.takeOut([...this.absent].filter((each) => leadsTo(path, each)).map(() => path));
    if (name === '.git') this.found(path);
    else if (followedNames.includes(name)) {
      if (basename(folder) === '.git' || isGitFolder(folder)) this.found(folder);
      if (name === 'commondir' && this.before.has(folder)) this.takeOut(this.dangers(folder).filter(isCommondir));
    } else if (basename(folder) === 'hooks' && this.fresh.has(dirname(folder))) this.judge(dirname(folder));
  }

  private found(folder: string): void {
    if (this.runs.size === 0) this.before.add(folder);
    else if (!this.before.has(folder)) {
      this.fresh.add(folder);
      this.judge(folder);
    }
  }

  private judge(folder: string): void {
    const found = statOf(folder);
    if (found === null) return;
    if (found.isDirectory()) return this.takeOut(this.dangers(folder));
    const target = found.isFile() ? gitFileTarget(folder) : null;
    // A link may lead elsewhere later on. Where nothing is watched, anything may appear.
    if (found.isSymbolicLink() || found.size > mostOfGitFile || (target !== null && !this.tree.covers(target)))
      return this.takeOut([folder]);
    if (target !== null && isGitFolder(target)) this.found(target);
  }

  private dangers(folder: string): readonly string[] {
    return dangersIn(folder, (common) => this.before.has(common) || this.fresh.has(common));
  }

  private takeOut(paths: readonly string[]): void {
    const run = [...this.runs.values()].at(-1);
    if (run === undefined || paths.length === 0) return;
    for (const path of paths) {
      // Not by its own name: below an open folder it would be found again.
      const kept = join(run.aside, `${run.taken.length + 1}`, basename(path).replace(/^\./, ''));
      try {
        moveOut(path, kept);
        run.taken.push({ path, kept });
      } catch (error) {
        run.left.set(path, errorMessage(error));
      }
    }
    // It cannot be known which of them made it.
    for (const { onDanger } of this.runs.values()) onDanger();
  }
}

function isCommondir(path: string): boolean {
  return basename(path) === 'commondir';
}

/** Of the files that `made` makes. */
function isOwn(path: string): boolean {
  return isCommondir(path) ? isOwnCommondir(path) : statOf(path)?.size === 0;
}

/** True for the path itself, and for a link above it. */
function leadsTo(path: string, absent: string): boolean {
  return path === absent || (absent.startsWith(`${path}/`) && statOf(path)?.isSymbolicLink() === true);
}

/** Moves a file that a command, which may still run, has made. Throws when it cannot be moved. */
function moveOut(path: string, kept: string): void {
  mkdirSync(dirname(kept), { recursive: true });
  // Through the opened folder: the command may put a link in its place, and what that leads to is not the command's.
  const folder = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const opened = process.platform === 'linux' ? `/proc/self/fd/${folder}` : dirname(path);
    if (realpathSync(opened) !== dirname(path)) throw new Error('its folder was replaced');
    const from = `${opened}/${basename(path)}`;
    try {
      fchmodSync(folder, (fstatSync(folder).mode & 0o7777) | 0o700);
      renameSync(from, kept);
    } catch {
      cpSync(from, kept, { recursive: true, verbatimSymlinks: true });
      rmSync(from, { recursive: true });
    }
  } finally {
    closeSync(folder);
  }
}
