import { parsedAs } from '../../../transcript/json';
import * as v from 'valibot';
import type { HindsightPlace } from './hindsightApi';
import type { HindsightStore } from './ports';

const uids = v.pipe(v.array(v.string()), v.readonly());
/** A document as this store left it on the server. */
const document = v.object({
  id: v.string(),
  /** Uids of its turns, in order: a stronger fingerprint than a count and a hash. While `dirty`, the turns that it
   *  should hold. */
  turns: uids,
  /** True when a write began and its end is unknown. Only a replacement makes the state known again. */
  dirty: v.boolean(),
  /** The running write. `id` is null for a server that returns none, or when the answer was lost. `accepted`: true when
   *  the server has confirmed the write. */
  operation: v.nullable(v.object({ id: v.nullable(v.string()), askedAt: v.number(), accepted: v.boolean() })),
});
const record = v.object({
  version: v.literal(1),
  parentSessionId: v.nullable(v.string()),
  /** Uids of all handed-over turns, in order. No other text of the session is ever sent. */
  turns: uids,
  documents: v.pipe(v.array(v.pipe(document, v.readonly())), v.readonly()),
  /** Counts writes, so that no two have the same operation id. A repeated request keeps its number. */
  writes: v.number(),
});

export type DocumentCursor = Readonly<v.InferOutput<typeof document>>;
/** State of one session at one place. */
export type SessionRecord = Readonly<Omit<v.InferOutput<typeof record>, 'version'>>;

const fresh: SessionRecord = { parentSessionId: null, turns: [], documents: [], writes: 0 };

/** The records of sessions, in the store. */
export class SessionRecords {
  constructor(private readonly store: Pick<HindsightStore, 'getMeta' | 'setMeta' | 'deleteMeta'>) {}

  /** An unreadable record counts as none: turns handed over from then on replace the server's content. */
  async load(place: HindsightPlace, sessionId: string): Promise<SessionRecord> {
    return parsedAs(record, await this.store.getMeta(keyOf(place, sessionId))) ?? fresh;
  }

  async save(place: HindsightPlace, sessionId: string, record: SessionRecord): Promise<void> {
    await this.store.setMeta(keyOf(place, sessionId), JSON.stringify({ version: 1, ...record }));
  }

  async delete(place: HindsightPlace, sessionId: string): Promise<void> {
    await this.store.deleteMeta(keyOf(place, sessionId));
  }
}

/** Includes server and bank: another one has not received the turns that were sent to this one. */
function keyOf({ origin, bank }: HindsightPlace, sessionId: string): string {
  return `memory.hindsight ${origin} ${bank} ${sessionId}`;
}
