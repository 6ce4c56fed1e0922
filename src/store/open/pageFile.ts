import { openLog } from '../engine/compactLog';
import type { FileSystem, OpenFile } from '../engine/fileSystem';
import { pageSize as usualPageSize, parseHeader } from './fileHeader';
import { readLog } from './logContent';
import { logOf } from './storeFiles';

/** The pages of a database file and its log as of the last commit, read without SQLite and in any state. */
export class PageFile {
  readonly pageSize: number;
  /** Highest valid page number. */
  readonly pages: number;
  private readonly file: OpenFile;
  private readonly log: OpenFile | null;
  private readonly inLog: ReadonlyMap<number, number>;

  /** The file must exist. The caller must close this object. */
  constructor(fileSystem: FileSystem, path: string) {
    this.file = fileSystem.open(path, 'read');
    const start = new Uint8Array(usualPageSize);
    const header = parseHeader(start.subarray(0, this.file.read(start, 0)));
    const log = readLog(fileSystem, logOf(path));
    this.pageSize = log?.pageSize ?? (header?.sound === true ? header.pageSize : usualPageSize);
    this.log = log === undefined ? null : openLog(fileSystem, logOf(path));
    this.inLog = log?.pages ?? new Map<number, number>();
    this.pages = Math.max(Math.ceil(this.file.size() / this.pageSize), log?.databasePages ?? 0);
  }

  /** The page with this number, counted from 1; undefined when it is missing or incomplete. */
  read(page: number): Uint8Array | undefined {
    if (page < 1 || page > this.pages) return undefined;
    const bytes = new Uint8Array(this.pageSize);
    const inLog = this.inLog.get(page);
    const count =
      inLog === undefined ? this.file.read(bytes, (page - 1) * this.pageSize) : (this.log?.read(bytes, inLog) ?? 0);
    return count === this.pageSize ? bytes : undefined;
  }

  close(): void {
    this.file.close();
    this.log?.close();
  }
}
