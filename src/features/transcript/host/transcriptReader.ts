import { groupedBy } from '../../../base/groupedBy';
import type {
  RowFilter,
  RowsWanted,
  StoredApproval,
  StoredTurn,
  TranscriptBranch,
  TranscriptRows,
  TranscriptSegment,
  TurnFile,
  transcriptRequests,
} from '../protocol/transcriptProtocol';
import type * as v from 'valibot';
import type { PromptVersions } from '../../../store/conversations';
import type { FoundRows, OutlineRow, StoredRows } from '../../../store/requests';
import { originalRow } from '../../../host/chat/find/feedHandlers';
import { handoffTokens } from '../../../transcript/handoff';
import { type Outline, Outlines } from './transcriptOutline';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { FileChange } from '../../../store/fileChanges';

type ReaderStore = Pick<
  SessionStore,
  | 'getSession'
  | 'getMessage'
  | 'branchesOf'
  | 'subAgentsOf'
  | 'transcriptOutline'
  | 'transcriptRows'
  | 'promptVersions'
  | 'findInTranscript'
>;

/** Rows searched in one request: the store handles other work between two. */
const sliceRows = 400;

/** Reads rows and branches for the transcript tab. */
export class TranscriptReader {
  readonly outlines: Outlines;
  /** Number of the running search. */
  private search: number | null = null;

  constructor(private readonly sessions: ReaderStore) {
    this.outlines = new Outlines(sessions);
  }

  /** For a requested row that is not in this transcript, returns the newest rows. */
  async rows(sessionId: string, wanted: RowsWanted, limit: number, filter: RowFilter): Promise<TranscriptRows> {
    const outline = await this.outlines.of(sessionId);
    const passing = outline.passing(filter);
    const from = await this.startOf(wanted, limit, passing);
    const page = passing.slice(from, from + limit);
    const [stored, segments, versions] = await Promise.all([
      this.sessions.transcriptRows(page.map(({ uid }) => uid)),
      this.segments(outline),
      this.sessions.promptVersions(sessionId),
    ]);
    const folder = (await this.sessions.getSession(sessionId))?.folder ?? null;
    const uids = new Set(stored.messages.map(({ uid }) => uid));
    return {
      messages: stored.messages,
      numbers: stored.messages.map(({ uid }) => outline.numbers.get(uid) ?? 0),
      turns: turnsOf(stored, outline, versions, folder),
      approvals: approvalsOf(stored, uids),
      absorbed: [...uids].flatMap((into) =>
        (outline.absorbed.get(into) ?? []).map((uid) => ({ into, uid, number: outline.numbers.get(uid) ?? 0 })),
      ),
      absorbers: absorbersOf(page, outline),
      revised: page.filter(({ revised }) => revised).map(({ uid }) => uid),
      earlier: from,
      later: passing.length - from - page.length,
      matching: passing.length,
      total: outline.rows.length,
      counts: outline.counts,
      segments,
    };
  }

  async branches(sessionId: string): Promise<readonly TranscriptBranch[]> {
    const tree = await this.sessions.branchesOf(await this.employerOf(sessionId));
    const subAgents = await this.sessions.subAgentsOf(tree.map(({ conversationId }) => conversationId));
    return [
      ...tree.map((branch) => ({ ...branch, subAgent: false })),
      ...subAgents.map((branch) => ({ ...branch, subAgent: true })),
    ];
  }

  /** Searches text in every stored row of a session, loaded by a view or not. One search at a time: a new one ends the
   *  one before. Null: canceled. */
  async find(
    { search, sessionId, filter, text, matchCase }: v.InferOutput<typeof transcriptRequests.findRows>,
    onProgress: (done: number, total: number) => void,
  ): Promise<readonly string[] | null> {
    this.search = search;
    const outline = await this.outlines.of(sessionId);
    const passing = new Set(outline.passing(filter).map(({ uid }) => uid));
    const uids: string[] = [];
    for (let after: number | null = null, read = 0; this.search === search;) {
      const query = { sessionId, after, limit: sliceRows, text, matchCase };
      const slice: FoundRows = await this.sessions.findInTranscript(query);
      uids.push(...slice.uids.filter((uid) => passing.has(uid)));
      read += slice.read;
      after = slice.upTo;
      if (slice.read < sliceRows) return this.search === search ? uids : null;
      if (this.search === search) onProgress(read, Math.max(read, outline.rows.length));
    }
    return null;
  }

  /** Default: cancels any search. */
  cancelFind(search = this.search): void {
    if (this.search === search) this.search = null;
  }

  /** For a sub-agent's session, returns the session it worked for, at any depth. */
  private async employerOf(sessionId: string): Promise<string> {
    const passed = new Set<string>();
    for (let id = sessionId; ;) {
      passed.add(id);
      const root = await this.sessions.getSession((await this.sessions.getSession(id))?.conversationId ?? id);
      if (root?.parentKind !== 'delegate' || root.parentSessionId === null || passed.has(root.parentSessionId))
        return id;
      id = root.parentSessionId;
    }
  }

  /** Index of the page's first row among the rows that pass. */
  private async startOf(wanted: RowsWanted, limit: number, passing: readonly OutlineRow[]): Promise<number> {
    const newest = Math.max(0, passing.length - limit);
    switch (wanted.kind) {
      case 'end':
        return newest;
      case 'start':
        return 0;
      case 'before':
        return Math.max(0, firstAt(passing, wanted.position) - limit);
      case 'after':
        return firstAt(passing, wanted.position + 1);
      case 'around': {
        const row = await originalRow(this.sessions, wanted.messageUid);
        const at = row === null ? -1 : passing.findIndex(({ uid }) => uid === row.uid);
        // Use the position of a row that the filter hides, so that the user stays at the same place.
        const place = at !== -1 || row === null ? at : firstAt(passing, row.position);
        return place === -1 ? newest : Math.max(0, Math.min(place - Math.floor(limit / 2), newest));
      }
      default:
        return wanted satisfies never;
    }
  }

  private async segments(outline: Outline): Promise<readonly TranscriptSegment[]> {
    return Promise.all(
      outline.segments().map(async (segment) => {
        const handoff = segment.handoffUid === null ? null : await this.sessions.getMessage(segment.handoffUid);
        return { ...segment, tokens: handoff === null ? null : handoffTokens(handoff) };
      }),
    );
  }
}

/** Number of rows before a position. */
function firstAt(rows: readonly OutlineRow[], position: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.position ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

function turnsOf(
  { turns, fileChanges }: StoredRows,
  outline: Outline,
  versions: readonly PromptVersions[],
  folder: string | null,
): readonly StoredTurn[] {
  return turns.map((turn) => ({
    turn,
    number: outline.turnNumbers.get(turn.uid) ?? 0,
    files: turnFiles(
      fileChanges.filter(({ turnUid }) => turnUid === turn.uid),
      folder,
    ),
    versions: (versions.find((fork) => fork.versions.includes(turn.uid))?.versions ?? []).flatMap((turnUid) => {
      const firstUid = outline.turnStarts.get(turnUid);
      return firstUid === undefined ? [] : [{ turnUid, firstUid }];
    }),
  }));
}

function approvalsOf({ approvals }: StoredRows, uids: ReadonlySet<string>): readonly StoredApproval[] {
  return approvals
    .filter(({ messageUid }) => uids.has(messageUid))
    .map(({ id, messageUid, callId, requestedAt, state, request: { subject, rules } }) => ({
      id,
      messageUid,
      callId,
      requestedAt,
      state,
      subject,
      rules,
    }));
}

function absorbersOf(page: readonly OutlineRow[], outline: Outline): TranscriptRows['absorbers'] {
  const uids = new Set(page.flatMap(({ absorbedInto }) => absorbedInto ?? []));
  return [...uids].flatMap((uid) => {
    const number = outline.numbers.get(uid);
    return number === undefined ? [] : [{ uid, number }];
  });
}

/** Files that a turn's calls changed, each once, in the order of their first change. */
function turnFiles(changes: readonly FileChange[], folder: string | null): readonly TurnFile[] {
  return [...groupedBy(changes, ({ path }) => path)].map(([path, ofFile]) => ({
    path: shownPath(path, folder),
    kind: kindOf(ofFile),
    reviewed: reviewOf(ofFile),
  }));
}

function shownPath(path: string, folder: string | null): string {
  if (folder === null) return path;
  const inside = path.startsWith(folder) && /^[/\\]/.test(path.slice(folder.length));
  return inside ? path.slice(folder.length + 1).replaceAll('\\', '/') : path;
}

function kindOf(changes: readonly FileChange[]): TurnFile['kind'] {
  const before = changes[0]?.before;
  const after = changes.at(-1)?.after;
  if (after === undefined) return 'unknown';
  if (before === null) return 'created';
  return after === null ? 'deleted' : 'edited';
}

function reviewOf(changes: readonly FileChange[]): TurnFile['reviewed'] {
  const kinds = new Set(changes.map(({ reviewed }) => reviewed?.kind ?? null));
  if (kinds.size > 1) return 'partly';
  return changes[0]?.reviewed?.kind ?? null;
}
