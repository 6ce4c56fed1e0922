import { foldChunks } from '../session/tables/chunkFolding';
import { positionGap } from '../session/tables/messageTable';
import type { ChunkBatch } from '../sessionStore';
import type { Message } from '../../transcript/message';
import type { Session } from '../../transcript/session';
import type { Turn } from '../../transcript/turn';
import { addUsage, type Usage } from '../../transcript/usage';

type Written = { readonly chunks: ChunkBatch } | { readonly rows: readonly Message[] };

interface Remembered {
  readonly rows: readonly Message[];
  /** Writes number `from`, `from + 1`, … of the session; the earlier ones are in `rows`. */
  readonly written: Written[];
  readonly from: number;
}

/** A window's cache of the rows that a running turn depends on: the active rows as last read, and the writes since.
 *  Enough to continue when the store can be neither written nor read. It lives as long as the turn. */
export class TurnCache {
  private readonly remembered = new Map<string, Remembered>();
  private readonly segments = new Map<string, Promise<Session | null>>();
  private usage: Usage | null;

  constructor(private readonly turn: Turn & { readonly state: 'running' }) {
    this.usage = turn.usage;
  }

  addSession(id: string, session: Promise<Session | null>): void {
    this.segments.set(
      id,
      session.catch(() => null),
    );
  }

  has(sessionId: string): boolean {
    return this.segments.has(sessionId);
  }

  /** The turn with its usage so far. */
  get runningTurn(): Turn & { readonly state: 'running' } {
    return { ...this.turn, usage: this.usage };
  }

  async sessions(): Promise<readonly Session[]> {
    return (await Promise.all(this.segments.values())).filter((session) => session !== null);
  }

  get sessionIds(): readonly string[] {
    return [...this.segments.keys()];
  }

  /** Starts a read of a session's active rows; the returned function takes the result. The result includes writes
   *  acknowledged before the start. */
  beginReading(sessionId: string): (rows: readonly Message[]) => void {
    const known = this.remembered.get(sessionId);
    const seen = known === undefined ? 0 : known.from + known.written.length;
    return (rows) => {
      const now = this.remembered.get(sessionId);
      // A read that started earlier and finished later has older data.
      if (now === undefined || seen >= now.from)
        this.remembered.set(sessionId, { rows, written: now?.written.slice(seen - now.from) ?? [], from: seen });
    };
  }

  chunksStored(batch: ChunkBatch): void {
    this.note(batch.sessionId, { chunks: batch });
  }

  rowsStored(rows: readonly Message[]): void {
    for (const sessionId of new Set(rows.map((row) => row.sessionId)))
      this.note(sessionId, { rows: rows.filter((row) => row.sessionId === sessionId) });
  }

  usageAdded(usage: Usage): void {
    this.usage = this.usage === null ? usage : addUsage(this.usage, usage);
  }

  /** The active rows of a session as stored; null when they were never read. */
  rowsOf(sessionId: string): readonly Message[] | null {
    const known = this.remembered.get(sessionId);
    return known === undefined ? null : known.written.reduce(withWritten, known.rows);
  }

  private note(sessionId: string, written: Written): void {
    this.remembered.get(sessionId)?.written.push(written);
  }
}

/** Idempotent, like the store: a write that the rows already contain changes nothing. */
function withWritten(rows: readonly Message[], written: Written): readonly Message[] {
  if ('rows' in written) return written.rows.reduce(withRow, rows);
  return written.chunks.chunks.reduce((known, chunk) => {
    const row = known.find(({ uid }) => uid === chunk.messageUid) ?? begun(written.chunks, chunk.messageUid, known);
    if (row.role !== 'assistant' || chunk.seq <= row.lastSeq) return known;
    return withRow(known, { ...row, parts: foldChunks(row.parts, [chunk]), lastSeq: chunk.seq });
  }, rows);
}

function withRow(rows: readonly Message[], row: Message): readonly Message[] {
  const index = rows.findIndex(({ uid }) => uid === row.uid);
  return index === -1 ? [...rows, row] : rows.with(index, row);
}

function begun({ sessionId, turnUid, model, createdAt }: ChunkBatch, uid: string, rows: readonly Message[]): Message {
  return {
    uid,
    sessionId,
    turnUid,
    createdAt,
    model,
    position: (rows.at(-1)?.position ?? 0) + positionGap,
    visibility: { kind: 'shown' },
    carriedFrom: null,
    role: 'assistant',
    parts: [],
    state: 'streaming',
    lastSeq: 0,
    finishReason: null,
    usage: null,
  };
}
