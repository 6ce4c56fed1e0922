import { createHash } from 'node:crypto';
import type { ContentHash, FileContent } from '../../../store/fileChanges';

/** SHA-256 of a file's bytes in hex; null when there is no file. */
export function hashOf(bytes: Uint8Array | null): ContentHash {
  return bytes === null ? null : createHash('sha256').update(bytes).digest('hex');
}

/** Largest file whose content is stored, in bytes. For a larger file only the hash is stored: a change is detected
 *  but cannot be reverted. */
export const largestKept = 10 * 1024 * 1024;

/** Contents to store, each once. */
export function keptContents(files: readonly (Uint8Array | null)[], largest = largestKept): readonly FileContent[] {
  const kept = new Map<string, FileContent>();
  for (const bytes of files) {
    const hash = hashOf(bytes);
    if (bytes !== null && hash !== null && bytes.length <= largest) kept.set(hash, { hash, bytes });
  }
  return [...kept.values()];
}
