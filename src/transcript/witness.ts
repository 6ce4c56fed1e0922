import type { DeliveredKind } from './part';

/** What a view keeps of one delivered part that it was given and drew: how long it was and what it hashes to, never the text itself. */
export interface WitnessEntry {
  readonly messageUid: string;
  readonly turnUid: string | null;
  /** Number of the part in its message. */
  readonly part: number;
  readonly kind: DeliveredKind;
  /** In UTF-16 units. */
  readonly length: number;
  /** `textHash` of the first `length` units. */
  readonly hash: string;
}

/** Two 32-bit lanes over UTF-16 units, without a final step, so that a hash can be gone on from. It finds what was lost, doubled or altered by
 *  accident; it is no defence against somebody who forges a text to fit. */
export interface HashState {
  readonly a: number;
  readonly b: number;
}

export const emptyHash: HashState = { a: 0x811c9dc5, b: 0x9747b28c };

/** The hash of a text that began with what `state` stands for and goes on with `text` from `start`. Costs what is new. */
export function hashOn(state: HashState, text: string, start = 0, end = text.length): HashState {
  let { a, b } = state;
  for (let index = start; index < end; index++) {
    const unit = text.charCodeAt(index);
    a = Math.imul(a ^ unit, 0x01000193);
    b = (Math.imul(((b << 13) | (b >>> 19)) ^ unit, 0x85ebca6b) + 0xe6546b64) | 0;
  }
  return { a: a >>> 0, b: b >>> 0 };
}

/** Sixteen hexadecimal digits. */
export function hashWord({ a, b }: HashState): string {
  return a.toString(16).padStart(8, '0') + b.toString(16).padStart(8, '0');
}

export const hashPattern = /^[0-9a-f]{16}$/;

/** The state behind a hash; the empty one for what is no hash. */
export function hashFrom(word: string): HashState {
  return hashPattern.test(word)
    ? { a: Number.parseInt(word.slice(0, 8), 16), b: Number.parseInt(word.slice(8), 16) }
    : emptyHash;
}

/** The hash of the first `length` units of a text. */
export function textHash(text: string, length = text.length): string {
  return hashWord(hashOn(emptyHash, text, 0, Math.min(length, text.length)));
}

/** Whether a text begins with what was witnessed. */
export function beginsAs(text: string, { length, hash }: Pick<WitnessEntry, 'length' | 'hash'>): boolean {
  return text.length >= length && textHash(text, length) === hash;
}
