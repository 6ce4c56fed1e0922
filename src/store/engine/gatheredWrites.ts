import type { OpenFile } from './fileSystem';

/** More than a turn writes. A transaction that is larger goes to the disk in pieces of this size. */
const mostBytes = 1 << 20;

/** Writes that follow one another in a file, handed to the disk as one. SQLite writes a transaction to its log in two pieces per page, about a
 *  hundred for a turn, and each call of the disk costs more than the bytes it carries. Whoever reads the file, asks for its size or syncs it
 *  has to `flush` before; what is left when the file is closed was never committed. */
export class GatheredWrites {
  private bytes = new Uint8Array(1 << 16);
  private start = 0;
  private length = 0;

  constructor(private readonly file: OpenFile) {}

  /** Takes a copy. Throws what the disk says of the writes before this one, where they have to go first. */
  write(from: Uint8Array, position: number): void {
    if (position !== this.start + this.length || this.length + from.length > mostBytes) this.flush();
    if (this.length === 0) this.start = position;
    this.makeRoom(this.length + from.length);
    this.bytes.set(from, this.length);
    this.length += from.length;
  }

  /** Throws what the disk says. What could not be written is forgotten then, as after any failed write: a part of it may be there. */
  flush(): void {
    const { length } = this;
    this.length = 0;
    if (length > 0) this.file.write(this.bytes.subarray(0, length), this.start);
  }

  private makeRoom(size: number): void {
    if (size <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(size, this.bytes.length * 2));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
}
