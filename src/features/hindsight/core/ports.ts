import type { Clock } from '../../../base/clock';
import type { Log } from '../../../base/log';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { HindsightApi, HindsightPlace } from './hindsightApi';

/** The store's outbox and its small key-value entries. */
export type HindsightStore = Pick<
  SessionStore,
  'outboxAdd' | 'outboxDue' | 'outboxDone' | 'outboxFailed' | 'outboxCounts' | 'getMeta' | 'setMeta' | 'deleteMeta'
>;

/** A turn's text as the user sees it. Times in seconds since the epoch. */
export interface TurnText {
  readonly prompt: string;
  readonly answer: string;
  readonly startedAt: number;
  readonly settledAt: number;
}

/** The parts of the stored transcript that documents are made from. */
export interface SessionTurns {
  /** Returns those of these turns that are complete and shown now. Leaves out rewound, retried and erased ones. */
  read(sessionId: string, turnUids: ReadonlySet<string>): Promise<ReadonlyMap<string, TurnText>>;
  /** open: running or waiting · over: interrupted, failed, or unknown. */
  stateOf(turnUid: string): Promise<'open' | 'complete' | 'over'>;
}

/** A configured server with its client. */
export interface HindsightConnection {
  readonly place: HindsightPlace;
  readonly api: HindsightApi;
}

/** Null until the user has set Hindsight up. Rejects when the client cannot be loaded. */
export type Connect = () => Promise<HindsightConnection | null>;

/** What Hindsight works with, one set for all providers of a window. */
export interface HindsightServices {
  readonly store: HindsightStore;
  readonly turns: SessionTurns;
  readonly connect: Connect;
  readonly clock: Clock;
  readonly log: Log;
  /** Removes secrets from text that does not come through the memory manager. */
  readonly scrub: (text: string) => string;
}
