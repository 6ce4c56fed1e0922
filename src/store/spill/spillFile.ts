import { join } from 'node:path';
import { errnoOf, type FileSystem, type OpenFile } from '../engine/fileSystem';
import { diskError } from '../engine/sqlFailure';
import type { SpilledRequest } from '../sessionStore';
import { encodeHeader, encodeRequest, spillFileName, type SpillHeader } from './spillFormat';

const mostNames = 100;

/** The file of a spilled turn, one line per request, each synced before it counts. Only its owner may read it
 *  (0600). */
export class SpillFile {
  private size = 0;
  private requests = 0;
  private broken = false;

  private constructor(
    readonly path: string,
    private readonly file: OpenFile,
  ) {}

  /** Creates a new file in this folder, and the folder if it is missing. Never continues an existing file: its end
   *  may be torn. Throws a `StoreError` and leaves no file. */
  static create(fileSystem: FileSystem, folder: string, header: SpillHeader): SpillFile {
    try {
      fileSystem.makeFolder(folder);
      const [path, file] = openNew(fileSystem, folder, header.turn.sessionId);
      const created = new SpillFile(path, file);
      try {
        created.write(encodeHeader(header));
        fileSystem.syncFolder(folder);
      } catch (error) {
        file.close();
        fileSystem.remove(path);
        throw error;
      }
      return created;
    } catch (error) {
      throw diskError('write a spill file in', folder, errnoOf(error));
    }
  }

  /** Appends a request; after the return it survives a power cut. Throws a `StoreError`; the file then ends after
   *  the last request that counts. */
  append(request: SpilledRequest): void {
    try {
      this.write(encodeRequest(this.requests + 1, request));
      this.requests++;
    } catch (error) {
      throw diskError('append to', this.path, errnoOf(error));
    }
  }

  close(): void {
    this.file.close();
  }

  private write(line: string): void {
    // After a failed sync, or a line that could not be truncated, the content on disk is unknown.
    if (this.broken) throw new Error('the spill file failed before');
    const bytes = new TextEncoder().encode(line);
    try {
      this.file.write(bytes, this.size);
    } catch (error) {
      this.takeBack();
      throw error;
    }
    try {
      this.file.sync();
    } catch (error) {
      this.broken = true;
      throw error;
    }
    this.size += bytes.length;
  }

  private takeBack(): void {
    try {
      this.file.truncate(this.size);
    } catch {
      this.broken = true;
    }
  }
}

function openNew(fileSystem: FileSystem, folder: string, sessionId: string): readonly [string, OpenFile] {
  for (let attempt = 0; ; attempt++) {
    const path = join(folder, spillFileName(sessionId, attempt));
    try {
      return [path, fileSystem.open(path, 'createNew')];
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST' || attempt >= mostNames) throw error;
    }
  }
}
