import { createHash } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { changeReasons } from '../pathTreatment';
import { realPath } from '../../base/realPath';

/** Larger files are not instruction files. */
const maxBytes = 1_000_000;

/** Instruction files for editors and agents that the user has: written through the editor in this window, or there
 *  while no confined command ran. With hashes of their contents: after a confined command changes such a file, it no
 *  longer counts as the user's. */
export class WrittenOrders {
  private readonly contents = new Map<string, Set<string>>();
  /** State in which files were read, by their paths. */
  private readonly looked = new Map<string, string>();

  /** Records a file that the editor wrote with this content. */
  note(path: string, content: string | Uint8Array): void {
    if (changeReasons(path).length === 0) return;
    const key = keyOf(path);
    this.contents.set(key, (this.contents.get(key) ?? new Set()).add(markOf(content)));
  }

  /** Records a file that the editor put there, with its present content. */
  async noteAsItIs(path: string): Promise<void> {
    if (changeReasons(path).length === 0) return;
    const content = await contentOf(path);
    if (content !== null) this.note(path, content);
  }

  /** Records files that are the user's, each again only when its time or size changes. */
  async noteOwn(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const found = await lstat(path).catch(() => null);
      const state = `${found?.mtimeMs} ${found?.ctimeMs} ${found?.size}`;
      if (this.looked.get(path) !== state) await this.noteAsItIs(path);
      this.looked.set(path, state);
    }
  }

  async has(path: string): Promise<boolean> {
    const written = this.contents.get(keyOf(path));
    if (written === undefined) return false;
    const content = await contentOf(path);
    return content !== null && written.has(markOf(content));
  }
}

function keyOf(path: string): string {
  return join(realPath(dirname(path)), basename(path));
}

async function contentOf(path: string): Promise<Uint8Array | null> {
  const found = await lstat(path).catch(() => null);
  return found === null || !found.isFile() || found.size > maxBytes ? null : readFile(path).catch(() => null);
}

/** Same hash for a text and for its bytes: ignores a byte order mark, which a document does not include. */
function markOf(content: string | Uint8Array): string {
  const text = typeof content === 'string' ? content : Buffer.from(content).toString('utf8');
  return createHash('sha256')
    .update(text.replace(/^\uFEFF/, ''))
    .digest('hex');
}
