import type { DeliveredKind } from './part';

/** Entry of a view's delivery report about one delivered part that it got and rendered: its length and hash, never
 *  the text itself. */
export interface DeliveryEntry {
  readonly messageUid: string;
  readonly turnUid: string | null;
  /** Index of the part in its message. */
  readonly part: number;
  readonly kind: DeliveredKind;
  /** In UTF-16 units. */
  readonly length: number;
  /** `textHash` of the first `length` units. */
  readonly hash: string;
}

/** Two 32-bit lanes over UTF-16 units, without a final step, so that a hash can be continued. Detects accidental
 *  loss, duplication, or change; it does not protect against deliberate forgery. */
export interface HashState {
  readonly a: number;
  readonly b: number;
}

export const emptyHash: HashState = { a: 0x811c9dc5, b: 0x9747b28c };

/** Continues the hash `state` of earlier text with `text` from `start`. The cost depends only on the new text. */
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

/** State of a hash; the empty state when the text is not a hash. */
export function hashFrom(word: string): HashState {
  return hashPattern.test(word)
    ? { a: Number.parseInt(word.slice(0, 8), 16), b: Number.parseInt(word.slice(8), 16) }
    : emptyHash;
}

/** Hash of the first `length` units of a text. */
export function textHash(text: string, length = text.length): string {
  return hashWord(hashOn(emptyHash, text, 0, Math.min(length, text.length)));
}

/** True when a text begins with the content of the delivery report. */
export function beginsAs(text: string, { length, hash }: Pick<DeliveryEntry, 'length' | 'hash'>): boolean {
  return text.length >= length && textHash(text, length) === hash;
}
