import { Decompress } from 'fzstd';
import { t } from '../../../../../base/translate';
import type { ByteRange, FileFacts, FolderEntry, HistoryFiles } from './historyFiles';

/** True for a file that begins as zstd's frames do, whatever its name is. */
export async function isZstd(files: HistoryFiles, path: string): Promise<boolean> {
  const [a, b, c, d] = await firstBytes(files, path, 4);
  return a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd;
}

/** Bytes of the largest window that is decompressed, as in zstd itself. */
const largestWindow = 128 * 2 ** 20;

/** Files whose zstd content is read decompressed, piece by piece. `stat` tells the size of the compressed file. */
export class ZstdFiles implements HistoryFiles {
  /** Why the file that was read last has no more content. Default: null. A sentence. */
  damage: string | null = null;

  constructor(private readonly files: HistoryFiles) {}

  list(folder: string): Promise<readonly FolderEntry[]> {
    return this.files.list(folder);
  }

  stat(path: string): Promise<FileFacts | null> {
    return this.files.stat(path);
  }

  /** Ends early, and sets `damage`, where the content is damaged. */
  async *read(path: string, { start = 0, end = Infinity }: ByteRange = {}): AsyncGenerator<Uint8Array> {
    this.damage = null;
    let at = 0;
    for await (const piece of this.unpacked(path)) {
      const part = piece.subarray(Math.max(0, start - at), Math.max(0, end - at));
      at += piece.length;
      if (part.length > 0) yield part;
      if (at >= end) return;
    }
  }

  private async *unpacked(path: string): AsyncGenerator<Uint8Array> {
    let ready: Uint8Array[] = [];
    const decompress = new Decompress((piece) => ready.push(piece));
    if (windowOf(await firstBytes(this.files, path, 14)) > largestWindow) {
      this.damage = undecipherable();
      return;
    }
    for await (const piece of this.files.read(path)) {
      const isSound = this.push(decompress, piece, false);
      yield* ready;
      ready = [];
      if (!isSound) return;
    }
    this.push(decompress, new Uint8Array(), true);
    yield* ready;
  }

  /** A copy of the piece goes in, because the decompressor keeps what it cannot use yet. */
  private push(decompress: Decompress, piece: Uint8Array, isLast: boolean): boolean {
    try {
      decompress.push(piece.slice(), isLast);
      return true;
    } catch {
      this.damage = undecipherable();
      return false;
    }
  }
}

function undecipherable(): string {
  return t('The file, or the rest of it, can’t be decompressed.');
}

/** Size of the window that a frame asks for (RFC 8878, 3.1.1.1). Infinity for no frame. */
function windowOf(head: Uint8Array): number {
  const [descriptor = 0, window = 0] = head.subarray(4);
  if (head.length < 6) return Infinity;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  if (!isSingleSegment) return 2 ** (10 + (window >> 3)) * (1 + (window & 7) / 8);
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const sizeBytes = [1, 2, 4, 8][descriptor >> 6] ?? 1;
  const size = head.subarray(5 + dictionaryBytes, 5 + dictionaryBytes + sizeBytes);
  return size.reduceRight((sum, byte) => sum * 256 + byte, 0) + (sizeBytes === 2 ? 256 : 0);
}

async function firstBytes(files: HistoryFiles, path: string, count: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of files.read(path, { end: count })) pieces.push(piece);
  return Buffer.concat(pieces);
}
