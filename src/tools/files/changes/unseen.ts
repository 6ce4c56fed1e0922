import { lstat } from 'node:fs/promises';
import * as path from 'node:path';

/** Milliseconds by which a file system's stamps may be behind the clock. */
const stampLag = 20;

/** Whether a file was made since a moment, by the file system's own stamps. */
export interface FileStamps {
  /** True when the file was made before: it was moved here, so here may be its only copy. */
  readonly isOlder: boolean;
  /** False when nothing of it was touched since. */
  readonly isTouched: boolean;
  readonly inode: bigint;
}

/** What a look at a folder left out although it is there: ignored and nested folders, large files, links. What is
 *  absent from a snapshot did not have to be absent from the disk, so a revert must not delete it as new. */
export class Unseen {
  /** State of each left-out path; null where only its existence is known. A folder ends with its separator. */
  private readonly paths = new Map<string, string | null>();
  private readonly begunAt = BigInt(Date.now() - stampLag) * 1_000_000n;

  constructor(private readonly separator = '/') {}

  add(name: string, state: string | null = null): void {
    this.paths.set(name, state);
  }

  /** True when this path, or a folder that it is in, was there and was left out. */
  has(name: string): boolean {
    if (this.paths.has(name)) return true;
    for (let at = name.indexOf(this.separator); at !== -1; at = name.indexOf(this.separator, at + 1))
      if (this.paths.has(name.slice(0, at + 1))) return true;
    return false;
  }

  /** Left-out paths whose state is known and is another one in `later`, or that appeared there. */
  changedIn(later: Unseen): readonly string[] {
    return [...new Set([...this.paths.keys(), ...later.paths.keys()])].filter((name) => {
      const [before, after] = [this.paths.get(name), later.paths.get(name)];
      return before !== null && after !== null && before !== after && (after !== undefined || !later.has(name));
    });
  }

  /** Null when there is no such file any more. */
  async stampsOf(file: string): Promise<FileStamps | null> {
    const stat = await lstat(file, { bigint: true }).catch(() => null);
    if (stat === null) return null;
    // Some file systems do not record when a file was made.
    const madeAt = stat.birthtimeNs === 0n ? stat.mtimeNs : stat.birthtimeNs;
    return { isOlder: madeAt < this.begunAt, isTouched: stat.ctimeNs >= this.begunAt, inode: stat.ino };
  }
}

/** True when a revert may delete a file that appeared: it was made since the look, or moved from a place that the look
 *  saw, where its content is restored. `gone`: content hashes and inodes (lower 32 bits) of the files that the look saw
 *  and that are changed or gone. */
export async function mayDelete(
  unseen: Unseen,
  file: string,
  hash: string | null,
  gone: { readonly hashes: ReadonlySet<string>; readonly inodes: ReadonlySet<bigint> },
): Promise<boolean> {
  const stamps = await unseen.stampsOf(file);
  if (stamps === null || !stamps.isOlder) return true;
  return (hash !== null && gone.hashes.has(hash)) || gone.inodes.has(stamps.inode & 0xffffffffn);
}

export function statKey(stat: { readonly size: bigint; readonly mtimeNs: bigint; readonly ctimeNs: bigint }): string {
  return `${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
}

/** Names for a sentence, at most five. */
export function someOf(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => name.split(path.sep).join('/'));
  return names.length > shown.length ? `${shown.join(', ')} and ${names.length - shown.length} more` : shown.join(', ');
}
