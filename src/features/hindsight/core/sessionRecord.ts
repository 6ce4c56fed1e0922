import * as v from 'valibot';
import type { HindsightPlace } from './hindsightApi';
import type { CursorStore } from './ports';

/** A document as this store left it on the server. */
export interface DocumentCursor {
  readonly id: string;
  /** Uids of its turns, in order: a stronger fingerprint than a count and a hash. While `dirty`, the turns that it
   *  should hold. */
  readonly turns: readonly string[];
  /** True when a write began and its end is unknown. Only a replacement makes the state known again. */
  readonly dirty: boolean;
  /** The running write. `id` is null for a server that returns none, or when the answer was lost. */
  readonly operation: OperationCursor | null;
}

interface OperationCursor {
  readonly id: string | null;
  readonly askedAt: number;
  /** True when the server has confirmed the write. */
  readonly accepted: boolean;
}

/** State of one session at one place. */
export interface SessionRecord {
  readonly parentSessionId: string | null;
  /** Uids of all handed-over turns, in order. No other text of the session is ever sent. */
  readonly turns: readonly string[];
  readonly documents: readonly DocumentCursor[];
  /** Counts writes, so that no two have the same operation id. A repeated request keeps its number. */
  readonly writes: number;
}

const documentSchema = v.object({
  id: v.string(),
  turns: v.array(v.string()),
  dirty: v.boolean(),
  operation: v.nullable(v.object({ id: v.nullable(v.string()), askedAt: v.number(), accepted: v.boolean() })),
});
const recordSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    version: v.literal(1),
    parentSessionId: v.nullable(v.string()),
    turns: v.array(v.string()),
    documents: v.array(documentSchema),
    writes: v.number(),
  }),
);

const fresh: SessionRecord = { parentSessionId: null, turns: [], documents: [], writes: 0 };

/** The records of sessions, in the store. */
export class SessionRecords {
  constructor(private readonly store: CursorStore) {}

  /** An unreadable record counts as none: turns handed over from then on replace the server's content. */
  async load(place: HindsightPlace, sessionId: string): Promise<SessionRecord> {
    const text = await this.store.getMeta(keyOf(place, sessionId));
    const parsed = text === null ? null : v.safeParse(recordSchema, text);
    return parsed?.success === true ? parsed.output : fresh;
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
