import { createHash } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { realPath } from './foundFiles';
import { isBelowOrders } from './setAside';

/** More than this is not a file that gives orders. */
const maxBytes = 1_000_000;

/** Files that give orders to editors and agents and were written through the editor in this window, each by its content: what a confined command does
 *  to such a file afterwards is not the editor's any more. */
export class WrittenOrders {
  private readonly contents = new Map<string, string>();

  /** Of a file that the editor has written with this content. */
  note(path: string, content: string | Uint8Array): void {
    if (isBelowOrders(path)) this.contents.set(keyOf(path), markOf(content));
  }

  /** Of a file that the editor has put there: its content is the one it has now. */
  async noteAsItIs(path: string): Promise<void> {
    if (!isBelowOrders(path)) return;
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

/** The same for a text and for its bytes. A document does not hold the mark that a file may begin with. */
function markOf(content: string | Uint8Array): string {
  const text = typeof content === 'string' ? content : Buffer.from(content).toString('utf8');
  return createHash('sha256')
    .update(text.replace(/^\uFEFF/, ''))
    .digest('hex');
}
