import * as v from 'valibot';
import type { HindsightPlace } from './hindsightApi';
import type { CursorStore } from './ports';

/** A document as this store left it on the server. */
export interface DocumentCursor {
  readonly id: string;
  /** The turns it holds, in order: by identity, which is a stronger fingerprint than a count and a hash. While it is dirty, those it should hold. */
  readonly turns: readonly string[];
  /** A write was begun and is not known to have ended: only a replacement makes it known again. */
  readonly dirty: boolean;
  /** The write that is under way. `id` null: a server that names none, or an answer that was lost. */
  readonly operation: OperationCursor | null;
}

export interface OperationCursor {
  readonly id: string | null;
  readonly askedAt: number;
  /** The server has said that it took it. */
  readonly accepted: boolean;
}

/** What is known of one session at one place. */
export interface SessionRecord {
  readonly parentSessionId: string | null;
  /** Every turn that was handed over, in order. Nothing else of the session is ever sent. */
  readonly turns: readonly string[];
  readonly documents: readonly DocumentCursor[];
  /** Counts writes, so that no two have the same operation id; one that is merely asked for again keeps its number. */
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

  /** A record that cannot be read counts as none: what is handed over from then on replaces what is there. */
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

/** Another server or bank knows nothing of what was sent to this one. */
function keyOf({ origin, bank }: HindsightPlace, sessionId: string): string {
  return `memory.hindsight ${origin} ${bank} ${sessionId}`;
}
