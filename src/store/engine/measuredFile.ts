import { FileSystemError, type OpenFile } from './fileSystem';

/** The errno of a write that would hide that a file was cut short: beyond its end the disk would show zeros. */
const cutShort = 'ECUTSHORT';

/** An open file that knows how long it has to be: as long as it was found, written and cut through this handle. */
export class MeasuredFile implements OpenFile {
  private least: number;

  constructor(
    private readonly file: OpenFile,
    private readonly path: string,
  ) {
    this.least = file.size();
  }

  /** Bytes that are there unless somebody else took them. */
  get leastSize(): number {
    return this.least;
  }

  /** Whether another program has cut the end of it off. */
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
