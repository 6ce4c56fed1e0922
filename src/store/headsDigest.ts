import { createHash } from 'node:crypto';

/** Tail of a conversation that was forgotten. */
export const erasedTail = 'erased';

/** Hexadecimal digits of a hash: as many as a number holds. */
const digits = 13;

interface Head {
  readonly conversationId: string;
  readonly version: number;
  readonly tail: string | null;
}

/** The exclusive or of a hash of each head. So one head is exchanged for another by adding both. A conversation without
 *  a version counts as none. Detects differences; proves nothing. */
export function headsDigest(heads: readonly Head[]): number {
  let sum = 0n;
  for (const { conversationId, version, tail } of heads) {
    if (version === 0) continue;
    const hash = createHash('md5')
      .update(`${conversationId} ${version} ${tail ?? ''}`)
      .digest('hex');
    sum ^= BigInt(`0x${hash.slice(0, digits)}`);
  }
  return Number(sum);
}

/** A digest after heads were added to it. */
export function combined(one: number, other: number): number {
  return Number(BigInt(one) ^ BigInt(other));
}
