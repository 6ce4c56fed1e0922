import { createHash } from 'node:crypto';
import type { ContentHash, FileContent } from '../../../store/fileChanges';

/** What a file is known by: SHA-256 of its bytes in hex; null where there is none. */
export function hashOf(bytes: Uint8Array | null): ContentHash {
  return bytes === null ? null : createHash('sha256').update(bytes).digest('hex');
}

/** Of a larger file only what it is known by is kept, not what it held: it can be told that it changed, and it cannot be reverted. */
export const largestKept = 10 * 1024 * 1024;

/** The contents to be stored, each once. */
export function keptContents(files: readonly (Uint8Array | null)[], largest = largestKept): readonly FileContent[] {
  const kept = new Map<string, FileContent>();
  for (const bytes of files) {
    const hash = hashOf(bytes);
    if (bytes !== null && hash !== null && bytes.length <= largest) kept.set(hash, { hash, bytes });
  }
  return [...kept.values()];
}
