import { lstat, opendir, readFile, readlink } from 'node:fs/promises';
import * as path from 'node:path';
import type { Clock } from '../../../base/clock';
import { hashOf } from './contentHash';
import { type DiscardedFiles, NotWatched, type FileDifference, type Snapshot, type SnapshotTaker } from './snapshot';
import { mayDelete, statKey, Unseen } from './unseen';

const mostFiles = 20_000;
const mostFileBytes = 1024 * 1024;
const mostBytes = 128 * 1024 * 1024;

/** Folders that tools generate or manage. */
export const generatedFolders: ReadonlySet<string> = new Set(
  (
    'node_modules .git .hg .svn .venv venv __pycache__ .mypy_cache .pytest_cache .tox .gradle .idea .vs target dist ' +
    'build out bin obj .next .nuxt .turbo .cache coverage vendor .terraform bower_components'
  ).split(' '),
);

interface ScannedFile {
  readonly key: string;
  readonly hash: string;
  readonly bytes: Uint8Array;
  readonly inode: bigint;
}

interface Scan {
  readonly files: ReadonlyMap<string, ScannedFile>;
  readonly unseen: Unseen;
}

/** Takes snapshots of folders without Git. Reads files into memory, and again only when their time or size changes.
 *  Leaves out large files, folders that tools fill, and links. */
export class ScanSnapshots implements SnapshotTaker {
  private known: { readonly folder: string; readonly files: ReadonlyMap<string, ScannedFile> } | null = null;

  constructor(private readonly clock: Clock) {}

  async take(folder: string, timeoutMs: number): Promise<Snapshot> {
    const before = await this.scan(folder, this.clock.monotonicMs() + timeoutMs);
    return {
      differences: async (timeoutMs) => {
        const after = await this.scan(folder, this.clock.monotonicMs() + timeoutMs);
        const { files, unknown } = await differences(before, after);
        return { files, unknown: unknown.map((file) => path.relative(folder, file)).sort() };
      },
    };
  }

  async holds(folder: string, { paths, tree }: DiscardedFiles, timeoutMs: number): Promise<boolean> {
    if (tree !== null) return false;
    const scanned = await this.scan(folder, this.clock.monotonicMs() + timeoutMs);
    return paths.every((file) => scanned.files.has(file));
  }

  /** Drops the cached contents. */
  clear(): void {
    this.known = null;
  }

  private async scan(folder: string, until: number): Promise<Scan> {
    const known = this.known?.folder === folder ? this.known.files : new Map<string, ScannedFile>();
    const files = new Map<string, ScannedFile>();
    const unseen = new Unseen(path.sep);
    let bytes = 0;
    for (const waiting = [folder]; ;) {
      const next = waiting.pop();
      if (next === undefined) break;
      const entries = await opendir(next).catch(() => null);
      if (entries === null) unseen.add(`${next}${path.sep}`);
      for await (const entry of entries ?? []) {
        if (this.clock.monotonicMs() > until) throw new NotWatched('looking at the folder takes too long');
        const file = path.join(next, entry.name);
        if (entry.isDirectory()) {
          if (generatedFolders.has(entry.name)) unseen.add(`${file}${path.sep}`);
          else waiting.push(file);
          continue;
        }
        const scanned = entry.isFile() ? await scanFile(file, known.get(file)) : await otherState(file);
        if (typeof scanned === 'string') unseen.add(file, scanned);
        if (scanned === null || typeof scanned === 'string') continue;
        files.set(file, scanned);
        bytes += scanned.bytes.length;
        if (files.size > mostFiles)
          throw new NotWatched(`the folder holds more than ${mostFiles} files and is not in Git`);
        if (bytes > mostBytes) throw new NotWatched('the folder holds too much and is not in Git');
      }
    }
    this.known = { folder, files };
    return { files, unseen };
  }
}

/** State of a file whose content is left out; null when it has been deleted meanwhile. */
async function scanFile(file: string, known: ScannedFile | undefined): Promise<ScannedFile | string | null> {
  const stat = await lstat(file, { bigint: true }).catch(() => null);
  if (stat === null) return null;
  const key = `${statKey(stat)} ${stat.ino}`;
  if (stat.size > mostFileBytes) return key;
  if (known?.key === key) return known;
  const bytes = await readFile(file).catch(() => null);
  return bytes === null ? key : { key, bytes, hash: hashOf(bytes) ?? '', inode: stat.ino & 0xffffffffn };
}

/** State of a link; of anything else only that it is there. */
async function otherState(file: string): Promise<string> {
  return readlink(file).then(
    (target) => `to ${target}`,
    () => 'other',
  );
}

async function differences(
  before: Scan,
  after: Scan,
): Promise<{ readonly files: readonly FileDifference[]; readonly unknown: readonly string[] }> {
  const files: FileDifference[] = [];
  const unknown = new Set(before.unseen.changedIn(after.unseen));
  const changed = [...new Set([...before.files.keys(), ...after.files.keys()])].filter(
    (file) => before.files.get(file)?.hash !== after.files.get(file)?.hash,
  );
  const gone = changed.flatMap((file) => before.files.get(file) ?? []);
  const known = {
    hashes: new Set(gone.map(({ hash }) => hash)),
    inodes: new Set(gone.map(({ inode }) => inode)),
  };
  for (const file of changed) {
    const [from, to] = [before.files.get(file), after.files.get(file)];
    if (from === undefined ? await isCreated(before.unseen, file, to, known) : !after.unseen.has(file))
      files.push({
        before: { path: file, bytes: from?.bytes ?? null },
        after: { path: file, bytes: to?.bytes ?? null },
      });
    else if (!before.unseen.has(file) || (await before.unseen.stampsOf(file))?.isTouched === true) unknown.add(file);
  }
  return { files, unknown: [...unknown] };
}

async function isCreated(
  unseen: Unseen,
  file: string,
  to: ScannedFile | undefined,
  gone: Parameters<typeof mayDelete>[3],
): Promise<boolean> {
  return !unseen.has(file) && mayDelete(unseen, file, to?.hash ?? null, gone);
}
