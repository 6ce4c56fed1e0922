import type { RowFilter, RowState, TranscriptRows } from '../protocol/transcriptProtocol';
import { rowStates } from '../protocol/transcriptProtocol';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { OutlineRow } from '../../../store/requests';

/** Rows read in one request: about 20 ms of the store's time. */
const sliceRows = 4000;
/** Rows at the end that are read again while a turn runs: only the end of its session changes. */
const liveTail = 200;

/** Outline of a whole transcript: its rows, their positions, and facts about them. */
export class Outline {
  readonly numbers: ReadonlyMap<string, number>;
  readonly turnNumbers: ReadonlyMap<string, number>;
  /** First row of each turn. */
  readonly turnStarts: ReadonlyMap<string, string>;
  readonly absorbed: ReadonlyMap<string, readonly string[]>;
  readonly counts: Readonly<Record<RowState, number>>;
  private readonly byFilter = new Map<string, readonly OutlineRow[]>();

  constructor(readonly rows: readonly OutlineRow[]) {
    this.numbers = new Map(rows.map(({ uid }, index) => [uid, index + 1]));
    const starts = new Map<string, string>();
    const absorbed = new Map<string, string[]>();
    for (const { uid, turnUid, absorbedInto } of rows) {
      if (turnUid !== null && !starts.has(turnUid)) starts.set(turnUid, uid);
      if (absorbedInto !== null) absorbed.set(absorbedInto, [...(absorbed.get(absorbedInto) ?? []), uid]);
    }
    this.turnStarts = starts;
    this.turnNumbers = new Map([...starts.keys()].map((uid, index) => [uid, index + 1]));
    this.absorbed = absorbed;
    this.counts = countsOf(rows, (row, state) => this.isIn(row, state));
  }

  /** Rows that pass the filter, in order. */
  passing(filter: RowFilter): readonly OutlineRow[] {
    const key = JSON.stringify(filter);
    const known = this.byFilter.get(key) ?? this.rows.filter((row) => this.passes(row, filter));
    this.byFilter.set(key, known);
    return known;
  }

  segments(): readonly Omit<TranscriptRows['segments'][number], 'tokens'>[] {
    const segments: { sessionId: string; firstUid: string; lastUid: string; handoffUid: string | null }[] = [];
    for (const { sessionId, uid, visibility } of this.rows) {
      let segment = segments.at(-1);
      if (segment?.sessionId !== sessionId)
        segments.push((segment = { sessionId, firstUid: uid, lastUid: uid, handoffUid: null }));
      segment.lastUid = uid;
      if (visibility === 'handoff') segment.handoffUid ??= uid;
    }
    return segments;
  }

  private passes(row: OutlineRow, { role, state, hidden }: RowFilter): boolean {
    const anyway = hidden || state === 'hidden' || state === 'repaired';
    return (
      (role === null || row.role === role) &&
      (anyway || row.visibility === 'shown' || row.visibility === 'handoff') &&
      (state === null || this.isIn(row, state))
    );
  }

  private isIn(row: OutlineRow, state: RowState): boolean {
    switch (state) {
      case 'hidden':
        return row.visibility === 'hidden' || row.visibility === 'closing';
      case 'repaired':
        return (
          row.revised ||
          this.absorbed.has(row.uid) ||
          row.hiddenReason === 'merged' ||
          row.hiddenReason === 'dropped' ||
          (row.role === 'tool' && row.uid.includes('/result/'))
        );
      case 'waiting':
        return row.turn === 'waiting' || row.turn === 'running';
      default:
        return row.turn === state;
    }
  }
}

/** Caches the outline of one session until something changes. */
export class Outlines {
  private sessionId: string | null = null;
  private reading: Promise<Outline> | null = null;

  constructor(private readonly sessions: Pick<SessionStore, 'transcriptOutline'>) {}

  of(sessionId: string): Promise<Outline> {
    if (this.sessionId === sessionId && this.reading !== null) return this.reading;
    return this.keep(sessionId, this.read(sessionId, []));
  }

  /** Drops the whole cache: anything may have changed. */
  forget(): void {
    this.reading = null;
  }

  /** Reads only the end again: a running turn added rows, and rows far before the end are unchanged. */
  forgetEnd(): void {
    const { sessionId, reading } = this;
    if (sessionId === null || reading === null) return;
    void this.keep(
      sessionId,
      reading.then(({ rows }) => this.read(sessionId, rows.slice(0, Math.max(0, rows.length - liveTail)))),
    );
  }

  private keep(sessionId: string, reading: Promise<Outline>): Promise<Outline> {
    this.sessionId = sessionId;
    this.reading = reading;
    // Do not cache a failed read: the next request reads again. Waiting callers get the error.
    reading.catch(() => {
      if (this.reading === reading) this.reading = null;
    });
    return reading;
  }

  private async read(sessionId: string, known: readonly OutlineRow[]): Promise<Outline> {
    const rows = [...known];
    for (;;) {
      const slice = await this.sessions.transcriptOutline({
        sessionId,
        after: rows.at(-1)?.position ?? null,
        limit: sliceRows,
      });
      rows.push(...slice);
      if (slice.length < sliceRows) return new Outline(rows);
    }
  }
}

function countsOf(
  rows: readonly OutlineRow[],
  isIn: (row: OutlineRow, state: RowState) => boolean,
): Readonly<Record<RowState, number>> {
  const counts: Record<RowState, number> = {
    complete: 0,
    interrupted: 0,
    failed: 0,
    waiting: 0,
    repaired: 0,
    hidden: 0,
  };
  for (const row of rows) for (const state of rowStates) if (isIn(row, state)) counts[state]++;
  return counts;
}
