import type { SearchHit, SearchQuery, SessionOperations } from '../sessionStore';
import type { StoreErrorData } from './storeErrorData';

/** What to open, and under which conditions. Plain data: it travels to the worker. */
export interface StorePlace {
  readonly folder: string;
  /** The mark of the lock this process holds, checked before every acknowledgement; null opens for reading only. */
  readonly fence: string | null;
  /** The file was found damaged while in use: set it aside and save what can be read. */
  readonly salvage: boolean;
  /** Folders in which another host of the same workspace may have left a store, to be merged into this one. */
  readonly siblings: readonly string[];
}

/** What opening found and did, for the panel to tell. */
export interface OpenReport {
  readonly path: string;
  /** A store was made: there was none, or the one found was set aside. */
  readonly created: boolean;
  /** Turns a dead process had left running, now settled with stop reason `crash`. */
  readonly recoveredTurns: readonly { readonly sessionId: string; readonly turnUid: string }[];
  /** The damaged file that was moved out of the way. */
  readonly setAside: { readonly path: string; readonly damage: string } | null;
  /** What was read out of damaged files, one entry for each. */
  readonly salvaged: readonly { readonly path: string; readonly sessions: number; readonly messages: number }[];
  /** Why nothing can be saved; null when the store is open for writing. */
  readonly readOnly: StoreErrorData | null;
}

export interface SiblingMerge {
  readonly folder: string;
  readonly sessions: number;
  readonly messages: number;
}

/** A store that was found, checked, migrated and recovered, and is served by one thread. */
export interface OpenedStore {
  readonly operations: SessionOperations;
  readonly report: OpenReport;
  /** `search` in slices of at most 20 ms. */
  searchSlices(query: SearchQuery): Generator<void, readonly SearchHit[]>;
  verifySlices(): Generator<void, readonly string[]>;
  /** Merges the stores earlier hosts left in suffixed folders, a piece per step; yields what it did after each store. */
  mergeSiblings(): Generator<SiblingMerge | undefined, void>;
  close(): void;
}
