import type { ForeignPart, ForeignPlace, SessionFacts, SkipKind } from '../foreign';
import type { ReadEvent } from '../historySource';
import { addUsage, type Usage } from '../../../../../transcript/usage';
import type { JsonObject } from '../../../../../transcript/json';
import { isoTimeOf } from './fields';
import { timeSpan } from './foundSessions';
import type { DamagedRecord, WholeRecord } from './records';

/** Sums up what the messages of a session say about it. What a record states about the session wins. */
export class SessionTotals {
  private model: string | null = null;
  private usage: Usage | null = null;
  private span: Pick<SessionFacts, 'startedAt' | 'endedAt'> = timeSpan([]);
  private stated: Partial<SessionFacts> = {};

  /** `addsTimes`: the times of messages count. */
  constructor(private readonly addsTimes: boolean) {}

  time(time: number | null): void {
    this.span = timeSpan([this.span.startedAt, this.span.endedAt, time]);
  }

  /** Returns the event. */
  add<E extends ReadEvent>(event: E): E {
    if (event.kind === 'facts') {
      this.stated = withFacts(this.stated, event.facts);
      this.time(event.facts.startedAt ?? null);
    }
    if (event.kind !== 'message') return event;
    const { model, usage = null, createdAt = null } = event.message;
    this.model = model ?? this.model;
    if (usage !== null) this.usage = this.usage === null ? usage : sumOf(this.usage, usage);
    if (this.addsTimes) this.time(createdAt);
    return event;
  }

  /** The last events of a reading. `records`: number of records that came in. */
  *end(records: number): Generator<ReadEvent> {
    const { model, usage, stated, span } = this;
    yield { kind: 'facts', records: 0, facts: { model, usage, ...stated, ...span } };
    yield { kind: 'end', records };
  }
}

/** The cost is that of the requests whose cost is known. */
function sumOf(sum: Usage, usage: Usage): Usage {
  const costs = [sum, usage].flatMap(({ costUsd }) => costUsd ?? []);
  return { ...addUsage(sum, usage), ...(costs.length === 0 ? {} : { costUsd: costs.reduce((a, b) => a + b) }) };
}

/** Facts after further ones. One that is not known replaces nothing. */
export function withFacts<F extends Partial<SessionFacts>>(facts: F, more: Partial<SessionFacts>): F {
  return { ...facts, ...Object.fromEntries(Object.entries(more).filter(([, fact]) => fact !== null)) };
}

interface RecordOptions {
  /** Time of a record. Default: its `timestamp`. Null: only the times of messages count. */
  readonly timeOf?: ((value: JsonObject) => number | null) | null;
  /** Events after the last record. Default: none. */
  readonly end?: () => Iterable<ReadEvent>;
}

/** Reads a session record by record: `take` returns the events of one. Damaged records are skipped, and what the
 *  messages say about the session together is its last fact. */
export async function* readRecords<R extends WholeRecord>(
  records: AsyncIterable<R | DamagedRecord> | Iterable<R | DamagedRecord>,
  take: (record: R, totals: SessionTotals) => Iterable<ReadEvent>,
  { timeOf = (value) => isoTimeOf(value, 'timestamp'), end = () => [] }: RecordOptions = {},
): AsyncGenerator<ReadEvent> {
  const totals = new SessionTotals(timeOf === null);
  let count = 0;
  for await (const record of records) {
    count++;
    if (record.kind === 'damaged') {
      yield skip(record.place, 'damaged', record.reason);
      continue;
    }
    totals.time(timeOf?.(record.value) ?? null);
    for (const event of take(record, totals)) yield totals.add(event);
  }
  for (const event of end()) yield totals.add(event);
  yield* totals.end(count);
}

export function skip(place: ForeignPlace, kind: SkipKind, reason: string): ReadEvent {
  return { kind: 'skipped', records: 1, skipped: { place, kind, reason } };
}

const mostNames = 10_000;

/** Names of recent tool calls by call id: many formats name the tool only in the call. Forgets the oldest. */
export class RecentNames {
  private readonly names = new Map<string, string>();

  add(parts: readonly ForeignPart[]): void {
    for (const part of parts) if (part.kind === 'toolCall') this.names.set(part.callId, part.name);
    for (const oldest of this.names.keys()) {
      if (this.names.size <= mostNames) return;
      this.names.delete(oldest);
    }
  }

  readonly nameOf = (callId: string): string | null => this.names.get(callId) ?? null;
}
