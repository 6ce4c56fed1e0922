import type { FileSystem } from '../engine/fileSystem';
import type { Sqlite } from '../engine/sqlite';
import type { StoreFiles } from './storeFiles';
import { pendingPath } from './storeFiles';

/** A damaged file set aside, to be read as far as it can be. */
export class DamagedCopy {
  readonly path: string;

  constructor(
    readonly sqlite: Sqlite,
    readonly fileSystem: FileSystem,
    readonly files: StoreFiles,
    readonly stamp: string,
  ) {
    this.path = pendingPath(files.folder, stamp);
  }
}
