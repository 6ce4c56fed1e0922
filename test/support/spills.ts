import { randomUUID } from 'node:crypto';
import type { Clock } from '../../src/base/clock';
import type { Log } from '../../src/base/log';
import type { FileSystem } from '../../src/store/engine/fileSystem';
import type { Sqlite } from '../../src/store/engine/sqlite';
import type { SessionStore } from '../../src/store/sessionStore';
import { setSpillAside } from '../../src/store/spill/foundSpills';
import { SpillingStore } from '../../src/store/spill/spillingStore';
import { openSpillStore } from '../../src/store/spill/spillStore';
import type { SpillHome } from '../../src/store/spill/turnSpill';
import { inProcessRunningStore } from './inProcessStore';

export interface SpillOptions {
  readonly folders: readonly string[];
  /** What the person says to the temporary folder; without it, nothing. */
  readonly temporaryFolder?: () => string | null;
}

/** Spills without a thread, on any file system. */
export function testSpillHome(
  sqlite: Sqlite,
  fileSystem: FileSystem,
  now: () => number,
  { folders, temporaryFolder }: SpillOptions,
): SpillHome {
  return {
    folders,
    temporaryFolder: () => Promise.resolve(temporaryFolder?.() ?? null),
    open: async (place) => {
      const opened = openSpillStore({ sqlite, fileSystem, now }, place);
      return { store: inProcessRunningStore(opened), path: opened.report.path };
    },
    remove: (path) => fileSystem.remove(path),
    setAside: (path) => setSpillAside(fileSystem, path),
  };
}

export function spillingOver(inner: SessionStore, home: SpillHome, clock: Clock, log: Log): SpillingStore {
  return new SpillingStore(inner, home, clock, log, randomUUID);
}
