import type { RowFilter, TranscriptResults } from '../protocol/transcriptProtocol';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { Outlines } from './transcriptOutline';

/** Rows read in one request: the store handles other work between two. */
const sliceRows = 400;

interface TranscriptFindQuery {
  readonly search: number;
  readonly sessionId: string;
  readonly filter: RowFilter;
  readonly text: string;
  readonly matchCase: boolean;
}

/** Searches text in every stored row of a session, loaded by a view or not. One search at a time: a new one ends the
 *  one before. */
export class TranscriptFinder {
  private running: number | null = null;

  constructor(
    private readonly sessions: Pick<SessionStore, 'findInTranscript'>,
    private readonly outlines: Outlines,
    private readonly onProgress: (search: number, done: number, total: number) => void,
  ) {}

  async find({
    search,
    sessionId,
    filter,
    text,
    matchCase,
  }: TranscriptFindQuery): Promise<TranscriptResults['findRows']> {
    this.running = search;
    const outline = await this.outlines.of(sessionId);
    const passing = new Set(outline.passing(filter).map(({ uid }) => uid));
    const uids: string[] = [];
    for (let after: number | null = null, read = 0; this.running === search;) {
      const slice = await this.sessions.findInTranscript({ sessionId, after, limit: sliceRows, text, matchCase });
      uids.push(...slice.uids.filter((uid) => passing.has(uid)));
      read += slice.read;
      after = slice.upTo;
      if (slice.read < sliceRows) return this.running === search ? { kind: 'found', uids } : { kind: 'cancelled' };
      if (this.running === search) this.onProgress(search, read, Math.max(read, outline.rows.length));
    }
    return { kind: 'cancelled' };
  }

  cancel(search: number): void {
    if (this.running === search) this.running = null;
  }

  cancelAll(): void {
    this.running = null;
  }
}
