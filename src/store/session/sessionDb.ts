import { runWhole, type SlicedWork } from '../slicedWork';
import type { EarlierSpill, TakenInSpill } from './import/earlierSpill';
import { StoreImport, type ImportReport } from './import/storeImport';
import type { StoreRows } from './import/soundRows';
import { operationsOver, slicesOver, type SessionOperations, type SlicedMethods } from './sessionStore';
import { type SessionDbOptions, StoreParts } from './storeParts';
import { findingsOf } from './queries/integrity';
import type { SyncedStore } from '../syncing';

/** The sessions on disk. Each call is one transaction, and its writes are durable when it returns. */
export interface SessionDb extends SessionOperations {
  /** Operations in slices; `LongOperations` states which other calls may run in between. */
  readonly slices: SlicedMethods;
  /** Exchange with a server, which `sync` calls. */
  readonly synced: SyncedStore;
  /** Does in slices, when the store is idle, the work of `scrub`. */
  tidySlices(): SlicedWork<void>;
  /** Completes long changes that a crash interrupted: deletes rows of sessions that no process finishes, and
   *  rewrites the file when deleted rows must not stay readable in its free pages. */
  scrub(): void;
  /** Imports the rows of a suffixed sibling store, or the rows salvaged from a damaged file (`StoreImport`). Shows what
   *  only a lost row would lead to.
   *  `liveTurns`: running turns of this process, which continue. Idempotent. */
  mergeFrom(source: StoreRows, liveTurns?: readonly string[]): ImportReport;
  /** Stores what an earlier build kept in a file of its own. Idempotent. */
  takeInSpill(spill: EarlierSpill): TakenInSpill;
}

export function createSessionDb(options: SessionDbOptions): SessionDb {
  const parts = new StoreParts(options);
  const { transactions, long, synced } = parts;
  return {
    ...operationsOver(parts),
    slices: slicesOver(parts),
    synced,
    tidySlices: () => long.tidy(),
    scrub: () => runWhole(long.tidy()),
    takeInSpill: (spill) => transactions.write(() => parts.earlierSpills.takeIn(spill)),
    mergeFrom: (source, liveTurns = []) =>
      transactions.write(() => {
        const report = new StoreImport(parts).run(source, 'goOn', liveTurns);
        const steps = findingsOf(parts.database, 'hiddenForGood').flatMap((finding) => finding.steps);
        parts.repair.run({ steps, at: parts.now() });
        return report;
      }),
  };
}
