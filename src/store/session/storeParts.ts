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
import { RepairingTransactions } from './repairingTransactions';
import { SyncStore } from './sync/syncStore';
import { runWhole } from '../slicedWork';
import type { StoreStatistics } from '../requests';
import { countOf } from './tables/columns';

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
