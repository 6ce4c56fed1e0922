import { beginningOf, decodePart, endOf, plainText } from './plainText';

/** Bytes kept of each end. Escape sequences use part of them, so it is more than the text shown. */
const keptBytes = 64 * 1024;

/** Keeps the beginning and the end of output of any length, in constant memory. */
export class OutputEnds {
  private readonly head = Buffer.alloc(keptBytes);
  private headBytes = 0;
  /** Last bytes of the output. When full, the older half is dropped. */
  private readonly recent = Buffer.alloc(2 * keptBytes);
  private recentBytes = 0;
  private total = 0;

  get bytes(): number {
    return this.total;
  }

  add(bytes: Uint8Array): void {
    this.total += bytes.length;
    const first = bytes.subarray(0, keptBytes - this.headBytes);
    this.head.set(first, this.headBytes);
    this.headBytes += first.length;
    const last = bytes.subarray(Math.max(0, bytes.length - keptBytes));
    if (this.recentBytes + last.length > this.recent.length) {
      this.recent.copyWithin(0, this.recentBytes - keptBytes, this.recentBytes);
      this.recentBytes = keptBytes;
    }
    this.recent.set(last, this.recentBytes);
    this.recentBytes += last.length;
  }

  /** End of the output as plain text, within `characters`. */
  tail(characters: number): string {
    return endOf(
      plainText(decodePart(this.recent.subarray(Math.max(0, this.recentBytes - 4 * characters), this.recentBytes))),
      characters,
    );
  }

  /** Whole output as plain text, or its beginning and end within about `characters`. `omitted` supplies the text for
   *  the bytes left out between them. */
  excerpt(characters: number, omitted: (bytes: number) => string): string {
    const recent = plainText(decodePart(this.recent.subarray(0, this.recentBytes)));
    const isAll = this.recentBytes === this.total;
    if (isAll && recent.length <= characters) return recent;
    const head = isAll ? recent : plainText(decodePart(this.head.subarray(0, this.headBytes)));
    const first = beginningOf(head, Math.floor(characters / 3));
    const last = endOf(recent, Math.floor((characters * 2) / 3));
    const between = this.total - Buffer.byteLength(first) - Buffer.byteLength(last);
    return `${first}\n${omitted(Math.max(0, between))}\n${last}`;
  }
}
