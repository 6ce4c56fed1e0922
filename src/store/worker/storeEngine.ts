import type { FileSystem } from '../engine/fileSystem';
import type { Sqlite } from '../engine/sqlite';

/** Dependencies for opening a store. */
export interface StoreEngine {
  readonly sqlite: Sqlite;
  readonly fileSystem: FileSystem;
  /** Seconds since the epoch. */
  readonly now: () => number;
  /** Monotonic milliseconds. Default: `now`. */
  readonly monotonicMs?: () => number;
}
