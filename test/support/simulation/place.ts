import type { SqlDatabase } from '../../../src/store/engine/sqlDatabase';
import type { SessionDb } from '../../../src/store/session/sessionDb';
import type { CallMethod } from '../../../src/store/session/sessionStore';

/** Where the stores of a schedule are kept: a simulated disk in this process, or a folder of this machine behind the store's worker. */
export interface Place {
  /** Opens the store for one life, turns of a dead one settled. */
  open(now: () => number): Promise<OpenedPlace>;
  /** Between two lives: only what was durable is kept for certain. What cannot lose power loses nothing. */
  powerCut(seed: number): void;
  remove(): Promise<void>;
}

/** A store as one process has it. */
export interface OpenedPlace {
  readonly call: CallMethod;
  /** Calls are performed by another thread: who looks at the store must not be overtaken by the next one. */
  readonly isElsewhere: boolean;
  /** The store as it is now, to look at. Read before the next call is performed. */
  readonly db: SessionDb;
  readonly database: SqlDatabase;
  /** Another value whenever something may have been written. */
  readonly changes: unknown;
  /** Another process owns it from now on: every further write is refused. */
  loseLock(): void;
  close(): Promise<void>;
  /** Ends the process's use of it between two instructions. */
  abandon(): Promise<void>;
}
