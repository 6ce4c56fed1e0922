import { MemoryFileSystem } from '../engine/memoryFileSystem';
import { openDatabase } from '../open/openDatabase';
import { migrate, schemaVersion } from '../schema/migrations';
import { createSessionDb, type SessionDb } from '../session/sessionDb';
import { seedTurn } from '../session/operations/turnSeed';
import type { SlicedWork } from '../slicedWork';
import type { SessionOperations, SpilledRequest } from '../sessionStore';
import type { Message } from '../../transcript/message';
import type { OpenedStore } from '../worker/openedStore';
import type { StoreEngine } from '../worker/storeEngine';
import { perform } from '../sessionMethods';
import { SpillFile } from './spillFile';
import type { SpillHeader } from './spillFormat';

/** Start data of a spill. Plain data: it is sent to the worker. */
export interface SpillPlace {
  readonly folder: string;
  readonly header: SpillHeader;
  /** The active rows that the turn's requests refer to, including its own. */
  readonly history: readonly Message[];
  /** Requests already written to the spill, in a folder that has since failed. */
  readonly requests: readonly SpilledRequest[];
}

/** Opens a store for one turn. Its rows are in memory, so that every rule and every result is the same as in the
 *  real store; each write is in a spill file before it is acknowledged. `report.path` is the file's path. Throws a
 *  `StoreError`. */
export function openSpillStore(engine: StoreEngine, place: SpillPlace): OpenedStore {
  const { header, requests } = place;
  const { database } = openDatabase({
    sqlite: engine.sqlite,
    fileSystem: new MemoryFileSystem(),
    folder: '/memory',
    schemaVersion,
    assertOwned: () => undefined,
    now: engine.now,
  });
  migrate(database, { keepCopy: () => undefined });
  database.transaction(() => seedTurn(database, engine.now, header, place.history));
  const file = SpillFile.create(engine.fileSystem, place.folder, header);
  const memory = createSessionDb({
    database,
    now: engine.now,
    fileSizes: () => ({ fileBytes: 0, logBytes: 0 }),
  });
  const operations = recordedIn(file, memory);
  const close = (): void => {
    database.abandon();
    file.close();
  };
  try {
    for (const { method, args } of requests) perform(operations, method, args);
  } catch (error) {
    close();
    // The previous folder's file also has everything written so far.
    engine.fileSystem.remove(file.path);
    throw error;
  }
  return {
    operations,
    report: {
      path: file.path,
      created: true,
      recoveredTurns: [],
      setAside: null,
      salvaged: [],
      putBack: null,
      replaced: [],
      broughtBack: [],
      readOnly: null,
      spills: [],
    },
    slices: { search: (query) => memory.slices.search(query) },
    tidySlices: () => nothingToTidy(),
    mustReopen: () => false,
    close,
  };
}

function* nothingToTidy(): SlicedWork<void> {
  // Nothing is ever deleted from a spill.
}

/** Applies a request in memory, as the store will later, then writes it to the file. A refused request is not
 *  written. */
function recordedIn(file: SpillFile, memory: SessionDb): SessionOperations {
  const record = <T>(result: T, request: SpilledRequest): T => {
    file.append(request);
    return result;
  };
  return {
    ...memory,
    appendChunks: (...args) => record(memory.appendChunks(...args), { method: 'appendChunks', args }),
    putMessages: (...args) => record(memory.putMessages(...args), { method: 'putMessages', args }),
    repairTranscript: (...args) => record(memory.repairTranscript(...args), { method: 'repairTranscript', args }),
    addUsage: (...args) => record(memory.addUsage(...args), { method: 'addUsage', args }),
    settleTurn: (...args) => record(memory.settleTurn(...args), { method: 'settleTurn', args }),
  };
}
