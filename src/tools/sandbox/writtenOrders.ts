import { createHash } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { changeReasons } from '../pathTreatment';
import { realPath } from './realPath';

/** Larger files are not instruction files. */
const maxBytes = 1_000_000;

/** Instruction files for editors and agents that were written through the editor in this window, with a hash of
 *  their content. After a confined command changes such a file, it no longer counts as the editor's. */
export class WrittenOrders {
  private readonly contents = new Map<string, string>();

  /** Records a file that the editor wrote with this content. */
  note(path: string, content: string | Uint8Array): void {
    if (changeReasons(path).length > 0) this.contents.set(keyOf(path), markOf(content));
  }

  /** Records a file that the editor put there, with its present content. */
  async noteAsItIs(path: string): Promise<void> {
    if (changeReasons(path).length === 0) return;
    const content = await contentOf(path);
    if (content !== null) this.note(path, content);
  }

  async has(path: string): Promise<boolean> {
    const written = this.contents.get(keyOf(path));
    if (written === undefined) return false;
    const content = await contentOf(path);
    return content !== null && markOf(content) === written;
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
