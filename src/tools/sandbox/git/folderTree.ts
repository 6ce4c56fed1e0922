import { type FSWatcher, lstatSync, readdirSync, readFileSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { statOf } from './gitFolders';

/** Nanoseconds within which a folder can change twice without showing it. */
const racyNs = 50_000_000n;
/** Folders of Git without anything that it runs, and with many entries. */
const skipped = new Set(['objects', 'refs', 'logs', 'lfs', 'rr-cache']);

/** Most watches of this process, because the editor and others need some too. */
const mostWatches = Math.floor(limitOfSystem() / 4);

interface Seen {
  /** Change time in nanoseconds; 0 when it may have changed since. Unlike the modification time no program sets it. */
  readonly changed: bigint;
  readonly inode: bigint;
  readonly watcher: FSWatcher | null;
}

/** All folders below some roots, watched. Calls `onEntry` for each entry of a folder that is new or has changed.
 *  Watching makes it fast. `look` finds all changes, also those that a watch has lost. */
export class FolderTree {
  private readonly folders = new Map<string, Seen>();
  private readonly roots = new Set<string>();
  /** Roots without the folders below them. */
  private readonly shallow = new Set<string>();
  private watches = 0;

  constructor(private readonly onEntry: (path: string) => void) {}

  add(folder: string, isShallow = false): void {
    if (isShallow && !this.folders.has(folder)) this.shallow.add(folder);
    else if (!isShallow) {
      if (this.shallow.delete(folder)) this.forget(folder);
      this.roots.add(folder);
    }
    this.visit(folder);
  }

  /** True when a change at this path is seen, whether it exists or not. */
  covers(path: string): boolean {
    for (let at = path; ; at = dirname(at)) {
      if (this.roots.has(at)) return true;
      if (at === dirname(at) || !this.isPart(dirname(at), at)) return false;
    }
  }

  /** Reports every entry of every folder that has changed since it was last seen. */
  look(): void {
    for (const folder of [...this.folders.keys()]) this.visit(folder);
  }

  dispose(): void {
    for (const { watcher } of this.folders.values()) watcher?.close();
    this.folders.clear();
  }

  private visit(folder: string): void {
    const waiting = [folder];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) waiting.push(...this.changedIn(next));
  }

  /** Folders in it that were not seen before. */
  private changedIn(folder: string): readonly string[] {
    const seen = this.folders.get(folder);
    try {
      const { ctimeNs, ino: inode } = lstatSync(folder, { bigint: true });
      if (seen?.changed === ctimeNs && seen.inode === inode) return [];
      if (seen?.inode !== inode) seen?.watcher?.close();
      // The watch comes first, so that nothing is missed between the two.
      const watcher = (seen?.inode === inode ? seen.watcher : null) ?? this.watched(folder);
      const isRacy = BigInt(Date.now()) * 1_000_000n - ctimeNs < racyNs;
      this.folders.set(folder, { changed: 0n, inode, watcher });
      const entries = readdirSync(folder, { withFileTypes: true });
      this.folders.set(folder, { changed: isRacy ? 0n : ctimeNs, inode, watcher });
      return entries.flatMap((entry) => {
        const path = join(folder, entry.name);
        this.onEntry(path);
        return entry.isDirectory() && this.isPart(folder, path) && !this.folders.has(path) ? [path] : [];
      });
    } catch (error) {
      // A folder that cannot be read now is tried again. Git cannot read it either.
      if (isGone(error)) this.forget(folder);
      return [];
    }
  }

  private watched(folder: string): FSWatcher | null {
    if (this.watches >= mostWatches) return null;
    try {
      const watcher = watch(folder, { persistent: false }, (kind, name) => this.changed(folder, kind, name));
      this.watches++;
      watcher.on('close', () => this.watches--).on('error', () => watcher.close());
      return watcher;
    } catch {
      // Not readable, or the machine has no more watches: `look` finds what happens here.
      return null;
    }
  }

  private changed(folder: string, kind: string, name: string | null): void {
    if (name === null) return this.visit(folder);
    const path = join(folder, name);
    const isFolder = statOf(path)?.isDirectory() === true;
    // Another folder may have come to this name.
    if (kind === 'rename' || !isFolder) this.forget(path);
    this.onEntry(path);
    if (isFolder && this.isPart(folder, path)) this.visit(path);
  }

  private isPart(folder: string, path: string): boolean {
    return !this.shallow.has(folder) && !(skipped.has(basename(path)) && /(^|\/)\.git(\/|$)|\.git$/.test(folder));
  }

  /** Forgets a folder with all below it. */
  private forget(folder: string): void {
    if (!this.folders.has(folder)) return;
    for (const [path, { watcher }] of this.folders)
      if (path === folder || path.startsWith(`${folder}/`)) {
        watcher?.close();
        this.folders.delete(path);
      }
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

function limitOfSystem(): number {
  try {
    return Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8'));
  } catch {
    return 32_768;
  }
}
