/** Maximum bytes of a line. Of a longer one only the beginning is kept. */
const longestLine = 32 * 1024 * 1024;
const keptOfLonger = 64 * 1024;

/** A line without its end. `bytes`: its whole length, when it was too long and only its beginning is in `text`. */
export interface ReadLine {
  readonly text: string;
  readonly bytes?: number;
}

/** Splits bytes into lines. A line that does not end before the stream does is never reported: an agent that dies
 *  within a line has said nothing with it. */
export class LineReader {
  private pieces: Uint8Array[] = [];
  private length = 0;

  constructor(
    private readonly onLine: (line: ReadLine) => void,
    private readonly longest = longestLine,
  ) {}

  push(bytes: Uint8Array): void {
    let rest = bytes;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      this.add(rest.subarray(0, end));
      this.finish();
      rest = rest.subarray(end + 1);
    }
    this.add(rest);
  }

  private add(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.length += piece.length;
    if (this.length <= this.longest) this.pieces.push(piece);
    else if (this.pieces.length > 0 || this.length === piece.length) {
      const kept = Buffer.concat([...this.pieces, piece]).subarray(0, keptOfLonger);
      this.pieces = [];
      this.head = Buffer.from(kept);
    }
  }

  /** Beginning of a line that is too long. */
  private head: Uint8Array | null = null;

  private finish(): void {
    const bytes = this.head ?? Buffer.concat(this.pieces);
    const text = new TextDecoder().decode(bytes).replace(/\r$/, '');
    const line = this.head === null ? { text } : { text, bytes: this.length };
    this.pieces = [];
    this.head = null;
    this.length = 0;
    if (line.text.trim() !== '') this.onLine(line);
  }
}
