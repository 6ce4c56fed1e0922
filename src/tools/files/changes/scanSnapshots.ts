import { lstat, opendir, readFile } from 'node:fs/promises';
import * as path from 'node:path';
import type { Clock } from '../../../base/clock';
import { hashOf } from './contentHash';
import { NotWatched, type DiscardedFiles, type FileDifference, type Snapshot, type SnapshotTaker } from './snapshot';

const mostFiles = 20_000;
const mostFileBytes = 1024 * 1024;
const mostBytes = 128 * 1024 * 1024;

/** Folders that tools generate or manage. */
export const generatedFolders: ReadonlySet<string> = new Set([
  'node_modules',
  '.git',
  '.hg',
  '.svn',
  '.venv',
  'venv',
  '__pycache__',
  '.mypy_cache',
  '.pytest_cache',
  '.tox',
  '.gradle',
  '.idea',
  '.vs',
  'target',
  'dist',
  'build',
  'out',
  'bin',
  'obj',
  '.next',
  '.nuxt',
  '.turbo',
  '.cache',
  'coverage',
  'vendor',
  '.terraform',
  'bower_components',
]);

interface ScannedFile {
  readonly key: string;
  readonly hash: string;
  readonly bytes: Uint8Array;
}

/** Takes snapshots of folders without Git. Reads files into memory, and again only when their time or size changes.
 *  Leaves out large files, folders that tools fill, and links. */
export class ScanSnapshots implements SnapshotTaker {
  private known: { readonly folder: string; readonly files: ReadonlyMap<string, ScannedFile> } | null = null;

  constructor(private readonly clock: Clock) {}

  async take(folder: string, patienceMs: number): Promise<Snapshot> {
    const before = await this.scan(folder, this.clock.monotonicMs() + patienceMs);
    return {
      differences: async (patience) => {
        const after = await this.scan(folder, this.clock.monotonicMs() + patience);
        return { files: differences(before, after), unsure: 0 };
      },
    };
  }

  async holds(folder: string, { paths, tree }: DiscardedFiles, patienceMs: number): Promise<boolean> {
    if (tree !== null) return false;
    const scanned = await this.scan(folder, this.clock.monotonicMs() + patienceMs);
    return paths.every((file) => scanned.has(file));
  }

  /** Drops the cached contents. */
  clear(): void {
    this.known = null;
  }

  private async scan(folder: string, until: number): Promise<ReadonlyMap<string, ScannedFile>> {
    const known = this.known?.folder === folder ? this.known.files : new Map<string, ScannedFile>();
    const files = new Map<string, ScannedFile>();
    let bytes = 0;
    for (const waiting = [folder]; ;) {
      const next = waiting.pop();
      if (next === undefined) break;
      for await (const entry of await opendir(next).catch(() => [])) {
        if (this.clock.monotonicMs() > until) throw new NotWatched('looking at the folder takes too long');
        const file = path.join(next, entry.name);
        if (entry.isDirectory() && !generatedFolders.has(entry.name)) waiting.push(file);
        if (!entry.isFile()) continue;
        const scanned = await scanFile(file, known.get(file));
        if (scanned === null) continue;
        files.set(file, scanned);
        bytes += scanned.bytes.length;
        if (files.size > mostFiles)
          throw new NotWatched(`the folder holds more than ${mostFiles} files and is not in Git`);
        if (bytes > mostBytes) throw new NotWatched('the folder holds too much and is not in Git');
      }
    }
    this.known = { folder, files };
    return files;
  }
}

/** Null for a file that is too large or has been deleted meanwhile. */
async function scanFile(file: string, known: ScannedFile | undefined): Promise<ScannedFile | null> {
  const stat = await lstat(file, { bigint: true }).catch(() => null);
  if (stat === null || stat.size > mostFileBytes) return null;
  const key = `${stat.mtimeNs} ${stat.ctimeNs} ${stat.size} ${stat.ino}`;
  if (known?.key === key) return known;
  const bytes = await readFile(file).catch(() => null);
  return bytes === null ? null : { key, bytes, hash: hashOf(bytes) ?? '' };
}

function differences(
  before: ReadonlyMap<string, ScannedFile>,
  after: ReadonlyMap<string, ScannedFile>,
): readonly FileDifference[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((file) => {
    const [from, to] = [before.get(file), after.get(file)];
    if (from?.hash === to?.hash) return [];
    return [{ before: { path: file, bytes: from?.bytes ?? null }, after: { path: file, bytes: to?.bytes ?? null } }];
  });
}
