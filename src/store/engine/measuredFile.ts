import { FileSystemError, type OpenFile } from './fileSystem';

/** The errno of a refused write that would hide a truncation: beyond the end of the file the disk would show zeros. */
const cutShort = 'ECUTSHORT';

/** An open file that tracks its expected length: its size at opening, updated by writes and truncations through this
 *  handle. */
export class MeasuredFile implements OpenFile {
  private least: number;

  constructor(
    private readonly file: OpenFile,
    private readonly path: string,
  ) {
    this.least = file.size();
  }

  /** Bytes that must be there unless another program removed them. */
  get leastSize(): number {
    return this.least;
  }

  /** True when another program has truncated it. */
  isCutShort(): boolean {
    return this.file.size() < this.least;
  }

  write(from: Uint8Array, position: number): void {
    if (this.isCutShort()) throw new FileSystemError(cutShort, 'write', this.path);
    this.file.write(from, position);
    this.least = Math.max(this.least, position + from.length);
  }

  truncate(size: number): void {
    if (this.isCutShort()) throw new FileSystemError(cutShort, 'truncate', this.path);
    this.file.truncate(size);
    this.least = size;
  }

  read(into: Uint8Array, position: number): number {
    return this.file.read(into, position);
  }

  sync(): void {
    this.file.sync();
  }

  size(): number {
    return this.file.size();
  }

  identity(): string {
    return this.file.identity();
  }

  isUnlinked(): boolean {
    return this.file.isUnlinked();
  }

  close(): void {
    this.file.close();
  }
}
