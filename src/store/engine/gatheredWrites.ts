import type { OpenFile } from './fileSystem';

/** Bytes; more than one turn writes. A larger transaction goes to the disk in pieces of this size. */
const mostBytes = 1 << 20;

/** Gathers consecutive writes to a file and hands them to the disk as one. SQLite writes a transaction to its log in
 *  two pieces per page, about a hundred for a turn, and each disk call costs more than the bytes it carries. Callers
 *  must `flush` before they read the file, get its size or sync it. Bytes that are left when the file is closed were
 *  never committed. */
export class GatheredWrites {
  private bytes = new Uint8Array(1 << 16);
  private start = 0;
  private length = 0;

  constructor(private readonly file: OpenFile) {}

  /** Copies the bytes. Throws the disk's error for earlier writes if those have to be flushed first. */
  write(from: Uint8Array, position: number): void {
    if (position !== this.start + this.length || this.length + from.length > mostBytes) this.flush();
    if (this.length === 0) this.start = position;
    this.grow(this.length + from.length);
    this.bytes.set(from, this.length);
    this.length += from.length;
  }

  /** Throws the disk's error. Then drops the gathered bytes, as after any failed write: a part of them may be on
   *  disk. */
  flush(): void {
    const { length } = this;
    this.length = 0;
    if (length > 0) this.file.write(this.bytes.subarray(0, length), this.start);
  }

  private grow(size: number): void {
    if (size <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(size, this.bytes.length * 2));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
}
