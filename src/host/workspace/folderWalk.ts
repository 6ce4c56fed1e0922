import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import type { DirectoryEntry } from '../../tools/workspaceFiles';
import { globMatcher } from './globPattern';
import type { Pace } from './pace';

/** File system for a walk. A missing or unreadable folder is empty; such a file is null. */
export interface FolderReader {
  list(path: string): Promise<readonly DirectoryEntry[]>;
  /** Null also for a file of more than `maxBytes`. */
  read(path: string, maxBytes: number): Promise<Uint8Array | null>;
}

export interface FolderWalk {
  readonly root: string;
  readonly reader: FolderReader;
  /** Globs of the editor's own exclude settings. */
  readonly excludes: readonly string[];
  readonly signal: AbortSignal;
  readonly pace: Pace;
}

/** Files with ignore rules. A later one wins. */
const ignoreFiles = ['.gitignore', '.ignore', '.rgignore'];
const maxIgnoreFileBytes = 1024 * 1024;
const neverEntered = ['.git', 'node_modules'];

/** Yields paths of all files below the root (forward slashes), folder by folder in the order of names. Leaves out
 *  files that the ignore files of the root and its folders name. Does not follow links. Does not read ignore files
 *  above the root or those of the user's Git settings. */
export async function* walkFolder(walk: FolderWalk): AsyncGenerator<string> {
  const excluded = walk.excludes.map(globMatcher);
  yield* walkBelow(walk, '', [], (path) => excluded.some((matches) => matches(path)));
}

interface IgnoreRules {
  /** Folder of the ignore files, with a trailing slash; "" for the root. */
  readonly folder: string;
  readonly rules: Ignore;
}

async function* walkBelow(
  walk: FolderWalk,
  folder: string,
  above: readonly IgnoreRules[],
  isExcluded: (path: string) => boolean,
): AsyncGenerator<string> {
  await walk.pace.breathe(walk.signal);
  const entries = [...(await walk.reader.list(join(walk.root, folder)))].sort((left, right) =>
    left.name < right.name ? -1 : 1,
  );
  walk.signal.throwIfAborted();
  const own = await readRules(walk, folder, entries);
  const rules = own === null ? above : [own, ...above];
  for (const { name, kind } of entries) {
    const path = folder + name;
    await walk.pace.breathe(walk.signal);
    if (kind === 'other' || (kind === 'directory' && neverEntered.includes(name))) continue;
    if (isExcluded(path) || isIgnored(kind === 'directory' ? `${path}/` : path, rules)) continue;
    if (kind === 'directory') yield* walkBelow(walk, `${path}/`, rules, isExcluded);
    else yield path;
  }
}

async function readRules(
  walk: FolderWalk,
  folder: string,
  entries: readonly DirectoryEntry[],
): Promise<IgnoreRules | null> {
  const present = ignoreFiles.filter((name) => entries.some((entry) => entry.name === name && entry.kind === 'file'));
  if (present.length === 0) return null;
  const rules = ignore({ ignorecase: false });
  for (const name of present) {
    const bytes = await walk.reader.read(join(walk.root, folder, name), maxIgnoreFileBytes);
    if (bytes !== null) rules.add(new TextDecoder('utf-8').decode(bytes));
  }
  return { folder, rules };
}

/** The nearest rules that match decide. */
function isIgnored(path: string, rules: readonly IgnoreRules[]): boolean {
  for (const { folder, rules: own } of rules) {
    const { ignored, unignored } = own.test(path.slice(folder.length));
    if (ignored || unignored) return ignored;
  }
  return false;
}

/** Folders on this machine's disk, read without the editor: a search reads tens of thousands of files. */
export const diskReader: FolderReader = {
  async list(path) {
    const entries = await fs.readdir(path, { withFileTypes: true }).catch(() => []);
    return entries.map((entry) => ({
      name: entry.name,
      kind: entry.isDirectory() ? 'directory' : entry.isFile() ? 'file' : 'other',
    }));
  },
  async read(path, maxBytes) {
    try {
      return (await fs.stat(path)).size > maxBytes ? null : await fs.readFile(path);
    } catch {
      return null; // gone or unreadable: treat as missing
    }
  },
};
