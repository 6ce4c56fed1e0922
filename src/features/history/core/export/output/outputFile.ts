import { dirname } from 'node:path';
import type { FileSystem, OpenFile } from '../../../../../store/engine/fileSystem';

const bufferBytes = 1 << 18;

/** A file that appears whole or not at all: written under a temporary name, synced, then renamed. A process that dies
 *  leaves only the temporary file, and the next export to the same path removes it. */
export class OutputFile {
  private readonly file: OpenFile;
  private pieces: Uint8Array[] = [];
  private buffered = 0;
  private written = 0;

  constructor(
    private readonly fileSystem: FileSystem,
    readonly path: string,
  ) {
    if (fileSystem.stat(this.unfinished) !== undefined) fileSystem.remove(this.unfinished);
    this.file = fileSystem.open(this.unfinished, 'createNew');
  }

  get unfinished(): string {
    return `${this.path}.unfinished`;
  }

  /** Bytes so far. */
  get size(): number {
    return this.written + this.buffered;
  }

  write(content: string | Uint8Array): void {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
    this.pieces.push(bytes);
    this.buffered += bytes.length;
    if (this.buffered >= bufferBytes) this.flush();
  }

  /** Makes the file durable and gives it its name. */
  finish(): void {
    this.flush();
    this.file.sync();
    this.file.close();
    this.fileSystem.rename(this.unfinished, this.path);
    this.fileSystem.syncFolder(dirname(this.path));
  }

  /** Removes what was written. A file that had the name before stays as it was. */
  discard(): void {
    this.file.close();
    this.fileSystem.remove(this.unfinished);
  }

  private flush(): void {
    const bytes = Buffer.concat(this.pieces);
    this.file.write(bytes, this.written);
    this.written += bytes.length;
    [this.pieces, this.buffered] = [[], 0];
  }
}

/** Writes a file with `write`; an error, or a stop, removes the temporary file. */
export async function writeWhole<T>(output: OutputFile, write: (output: OutputFile) => Promise<T>): Promise<T> {
  let value: T;
  try {
    value = await write(output);
  } catch (error) {
    output.discard();
    throw error;
  }
  output.finish();
  return value;
}
