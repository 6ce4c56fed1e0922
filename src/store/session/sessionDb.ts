import type { SqlDatabase } from '../engine/sqlDatabase';
import { runWhole, type SlicedWork } from '../slicedWork';
import { copyToThisFolder, type OpenOther, opensNoOther } from './import/copyToThisFolder';
import type { EarlierSpill, TakenInSpill } from './import/earlierSpill';
import { StoreImport, type ImportReport } from './import/storeImport';
import type { StoreRows } from './import/soundRows';
import { RepairingTransactions } from './repairingTransactions';
import { operationsOver, slicesOver, type SessionOperations, type SlicedMethods } from './sessionStore';
import type { StoreParts } from './storeMethod';
import { createDbOperations } from './storeParts';
import { LongOperations } from './slicedOperations';
import { BroughtBack } from './import/broughtBack';
import { findingsOf } from './queries/integrity';
import { SyncStore } from './sync/syncStore';
import type { SyncedStore } from '../syncing';
import { countOf } from './tables/columns';

interface SessionDbDeps {
  /** A database that `migrate` has brought to the newest schema version. */
  readonly database: SqlDatabase;
  /** Seconds since the epoch. */
  readonly now: () => number;
  /** Bytes of the database file and of its log, for `statistics`. */
  readonly fileSizes: () => { readonly fileBytes: number; readonly logBytes: number };
  /** Default: none; sessions of other stores then cannot be imported. */
  readonly openOther?: OpenOther;
  /** Monotonic milliseconds, used to size slices. Default: `now`. */
  readonly monotonicMs?: () => number;
}

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

export function createSessionDb(deps: SessionDbDeps): SessionDb {
  const { database, now, fileSizes } = deps;
  const operations = createDbOperations(database, now);
  const monotonicMs = deps.monotonicMs ?? (() => now() * 1000);
  const transactions = new RepairingTransactions(database, operations, () => fileSizes().logBytes, monotonicMs);
  const long = new LongOperations(database, operations, transactions, now);
  const importer = (): StoreImport => new StoreImport(database, operations.messages, operations.closing, now);
  const broughtBack = new BroughtBack(database, importer, (id) => operations.forgetting.belonging(id));
  const synced = new SyncStore({
    database,
    transactions,
    parts: operations,
    erase: (conversationId) => void runWhole(long.forgetSession(conversationId)),
    belonging: (conversationId) => operations.forgetting.belonging(conversationId),
    broughtBack,
    now,
    monotonicMs,
  });
  const parts: StoreParts = {
    ...operations,
    transactions,
    long,
    synced,
    now,
    copyToThisFolder: (input) =>
      copyToThisFolder(input, {
        database,
        openOther: deps.openOther ?? opensNoOther,
        write: (work) => transactions.write(work),
        importer,
        broughtBack,
      }),
    statistics: () => ({
      sessions: countOf(database, 'SELECT count(*) AS n FROM sessions WHERE pending IS NULL'),
      messages: countOf(database, 'SELECT count(*) AS n FROM messages'),
      dirtyRows: operations.index.dirtyRows(),
      ...fileSizes(),
    }),
  };
  return {
    ...operationsOver(parts),
    slices: slicesOver(parts),
    synced,
    tidySlices: () => long.tidy(),
    scrub: () => runWhole(long.tidy()),
    takeInSpill: (spill) => transactions.write(() => operations.earlierSpills.takeIn(spill)),
    mergeFrom: (source, liveTurns = []) =>
      transactions.write(() => {
        const report = importer().run(source, 'goOn', liveTurns);
        const steps = findingsOf(database, 'hiddenForGood').flatMap((finding) => finding.steps);
        operations.repair.run({ steps, at: now() });
        return report;
      }),
  };
}
