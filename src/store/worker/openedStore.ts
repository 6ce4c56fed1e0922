import type { SearchHit, SearchQuery, SessionOperations } from '../sessionStore';
import type { StoreErrorData } from './storeErrorData';

/** What to open, and under which conditions. Plain data: it travels to the worker. */
export interface StorePlace {
  readonly folder: string;
  /** The mark of the lock this process holds, checked before every acknowledgement; null opens for reading only. */
  readonly fence: string | null;
  /** The file was found damaged while in use: set it aside and save what can be read. */
  readonly salvage: boolean;
}

/** What opening found and did, for the panel to tell. */
export interface OpenReport {
  /** Turns a dead process had left running, now settled with stop reason `crash`. */
  readonly recoveredTurns: readonly { readonly sessionId: string; readonly turnUid: string }[];
  /** Why nothing can be saved; null when the store is open for writing. */
  readonly readOnly: StoreErrorData | null;
}

/** A store that was found, checked, migrated and recovered, and is served by one thread. */
export interface OpenedStore {
  readonly operations: SessionOperations;
  readonly report: OpenReport;
  /** `search` in slices of at most 20 ms. */
  searchSlices(query: SearchQuery): Generator<void, readonly SearchHit[]>;
  verifySlices(): Generator<void, readonly string[]>;
  /** Merges the stores earlier hosts left in suffixed folders, a piece per step; yields what it did after each store. */
  mergeSiblings(): Generator<void | { readonly folder: string; readonly sessions: number; readonly messages: number }, void>;
  close(): void;
}
