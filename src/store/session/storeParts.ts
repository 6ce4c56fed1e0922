import type { SqlDatabase } from '../engine/sqlDatabase';
import type { CopyToThisFolder, CopiedSessions } from '../sessionCopying';
import type { SyncedStore } from '../syncing';
import { type OpenOther, copyToThisFolder, opensNoOther } from './import/copyToThisFolder';
import { StoreOperations } from './operations/storeOperations';
import { ForeignImport } from './import/foreignImport';
import { EarlierSpills } from './import/earlierSpill';
import { BroughtBack } from './import/broughtBack';
import { SessionRepair } from './operations/repair/sessionRepair';
import { LongOperations } from './slicedOperations';
import { SyncStore } from './sync/syncStore';
import { runWhole } from '../slicedWork';
import type { StoreStatistics } from '../requests';
import { countOf } from './tables/columns';
import { StoreError } from '../storeError';
import type { Transactions } from './tables/inBatches';

/** SQLite's messages when the index's own tables are damaged or missing: then FTS4 only reports "SQL logic error".
 *  Damage of the file itself causes the same messages; the check of the index tells them apart. */
const indexFailure = /malformed|corrupt|messages_fts|SQL logic error/;

/** The store's transactions. A damaged search index or a full log must not block the transcript. */
class RepairingTransactions implements Transactions {
  constructor(
    private readonly database: SqlDatabase,
    private readonly operations: Pick<StoreOperations, 'index' | 'forgetting'>,
    /** Bytes of the database's log. */
    private readonly logBytes: () => number,
    readonly monotonicMs: () => number,
  ) {}

  read<T>(work: () => T): T {
    return this.database.readTransaction(work);
  }

  /** Runs one durable transaction. Rewriting an indexed row touches the index, and a damaged index must not block
   *  the transcript: then the index is rebuilt and the write repeated. The write is also repeated when the disk is
   *  full and the log can be emptied. */
  write<T>(work: () => T): T {
    try {
      return this.database.transaction(work);
    } catch (error) {
      if (!this.freedSpace(error) && !this.repairIndex(error)) throw error;
      return this.database.transaction(work);
    }
  }

  /** Empties the log into the database file. */
  checkpoint(): void {
    this.database.execute('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  /** Returns true when the error came from a damaged index, which is then dropped and queued for rebuilding. Damage
   *  of the rows is not touched. If no check of the index finds a problem, intact rows are the evidence: FTS4 has
   *  failures that only a write meets. */
  repairIndex(error: unknown): boolean {
    if (!(error instanceof StoreError) || !indexFailure.test(error.technical)) return false;
    if (this.indexDamage() === null && !(error.causeClass === 'corrupt' && this.rowsReadWell())) return false;
    this.rebuildIndex();
    return true;
  }

  /** Checks the search index; a damaged one is dropped and queued for rebuilding. Returns its problem, or null when
   *  it is intact. */
  checkIndex(): string | null {
    const damage = this.indexDamage();
    if (damage !== null) this.rebuildIndex();
    return damage;
  }

  /** Frees space when the disk is full: checkpoints the log, which otherwise grows to megabytes before SQLite does
   *  so. Returns true when that succeeded. */
  private freedSpace(error: unknown): boolean {
    if (!(error instanceof StoreError) || error.causeClass !== 'full' || this.logBytes() === 0) return false;
    try {
      this.checkpoint();
      return true;
    } catch {
      return false;
    }
  }

  /** The problem of the search index, or null when it is intact. */
  private indexDamage(): string | null {
    const { index } = this.operations;
    return complaint(() => this.database.transaction(() => index.check())) ?? complaint(() => index.damagedPages()[0]);
  }

  private rowsReadWell(): boolean {
    return complaint(() => this.operations.index.damagedRows()[0]) === null;
  }

  private rebuildIndex(): void {
    try {
      this.database.transaction(() => this.operations.index.rebuild());
    } catch (error) {
      if (!(error instanceof StoreError) || error.causeClass !== 'corrupt') throw error;
      this.database.transaction(() => {
        this.operations.index.replace();
        this.operations.forgetting.scrubLater();
      });
    }
  }
}

/** The problem that `check` returns or throws; null when there is none. */
function complaint(check: () => string | undefined | void): string | null {
  try {
    return check() ?? null;
  } catch (error) {
    if (error instanceof StoreError) return error.technical;
    throw error;
  }
}

export interface SessionDbOptions {
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

/** Everything that the methods of an open store work with. */
export class StoreParts extends StoreOperations {
  readonly foreignImport = new ForeignImport(this);
  readonly earlierSpills = new EarlierSpills(this);
  readonly broughtBack = new BroughtBack(this);
  readonly repair = new SessionRepair(this);
  readonly long = new LongOperations(this);
  readonly transactions: RepairingTransactions;
  readonly synced: SyncedStore;

  constructor(private readonly options: SessionDbOptions) {
    const { database, now, fileSizes, monotonicMs = () => now() * 1000 } = options;
    super(database, now);
    this.transactions = new RepairingTransactions(database, this, () => fileSizes().logBytes, monotonicMs);
    this.synced = new SyncStore(this, (conversationId) => void runWhole(this.long.forgetSession(conversationId)));
  }

  copyToThisFolder(input: CopyToThisFolder): CopiedSessions {
    return copyToThisFolder(this, this.options.openOther ?? opensNoOther, input);
  }

  statistics(): StoreStatistics {
    return {
      sessions: countOf(this.database, 'SELECT count(*) AS n FROM sessions WHERE pending IS NULL'),
      messages: countOf(this.database, 'SELECT count(*) AS n FROM messages'),
      dirtyRows: this.index.dirtyRows(),
      ...this.options.fileSizes(),
    };
  }
}
