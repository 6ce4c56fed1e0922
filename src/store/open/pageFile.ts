import type { FileSystem, OpenFile } from '../engine/fileSystem';
import { pageSize as usualPageSize, parseHeader } from './fileHeader';
import { readLog, type LogPages } from './logPages';
import { logOf } from './storeFiles';

const olderPageSize = 4096;

/** The pages of a database file and its log as of the last commit, read without SQLite and in any state. */
export class PageFile {
  readonly pageSize: number;
  /** Highest valid page number. */
  readonly pages: number;
  private readonly file: OpenFile;
  private readonly log: LogPages | undefined;

  /** The file must exist. The caller must close this object. */
  constructor(fileSystem: FileSystem, path: string) {
    this.file = fileSystem.open(path, 'read');
    const start = new Uint8Array(usualPageSize);
    const header = parseHeader(start.subarray(0, this.file.read(start, 0)));
    this.log = readLog(fileSystem, logOf(path), 'salts');
    this.pageSize = this.log?.pageSize ?? (header?.sound === true ? header.pageSize : this.likelyPageSize());
    this.pages = Math.max(Math.ceil(this.file.size() / this.pageSize), this.log?.databasePages ?? 0);
  }

  /** The page with this number, counted from 1; undefined when it is missing or incomplete. */
  read(page: number): Uint8Array | undefined {
    if (page < 1 || page > this.pages) return undefined;
    const inLog = this.log?.pages.get(page);
    if (inLog !== undefined) return inLog;
    const bytes = new Uint8Array(this.pageSize);
    return this.file.read(bytes, (page - 1) * this.pageSize) === this.pageSize ? bytes : undefined;
  }

  /** For a file whose first page is lost: 4096, as older stores have, unless pages begin between those. */
  private likelyPageSize(): number {
    const page = new Uint8Array(usualPageSize);
    for (let at = usualPageSize; this.file.read(page, at) === usualPageSize; at += olderPageSize)
      if (isTreePage(page)) return usualPageSize;
    return olderPageSize;
  }

  close(): void {
    this.file.close();
  }
}

/** True for the beginning of a page of a tree: its kind, and cells that are in it. */
function isTreePage(page: Uint8Array): boolean {
  const view = new DataView(page.buffer);
  const [cells, content] = [view.getUint16(3), view.getUint16(5)];
  return [2, 5, 10, 13].includes(view.getUint8(0)) && cells > 0 && content <= page.length && content >= 8 + cells * 2;
}
