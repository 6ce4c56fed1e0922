import type { SqlDatabase } from '../engine/sqlDatabase';
import type { BranchedSession, BranchSession } from '../conversations';
import { isHandoff } from '../../transcript/handoff';
import { isContinuation } from '../../transcript/continuation';
import { sentParts, type SentPart } from '../../transcript/draftPart';
import { answerText, type Message } from '../../transcript/message';
import type { Session } from '../../transcript/session';
import { copiedColumns, type ActiveRows } from './activeRows';
import { countOf } from './columns';
import { positionGap, type MessageTable } from './messageTable';
import { busy, invalid, refused } from './refusal';
import type { SessionTable } from './sessionTable';
import type { Titling } from './titling';
import type { TranscriptReading } from './transcriptReading';
import type { TurnClosing } from './turnClosing';
import type { TurnTable } from './turnTable';

/** What goes into a branch. */
interface Cut {
  readonly segment: Session;
  /** Active rows, the first one first. */
  readonly rows: readonly Message[];
  /** The last turn of `rows` when rows of it stay behind. */
  readonly cutTurn: string | null;
  readonly draft: string | null;
  readonly draftParts: readonly SentPart[];
}

/** Copies the beginning of a segment into a conversation of its own. Uids of copies are those of the originals behind the branch's id, so that
 *  doing it twice makes one branch. Runs inside its caller's transaction. */
export class Branching {
  constructor(
    private readonly database: SqlDatabase,
    private readonly sessions: SessionTable,
    private readonly messages: MessageTable,
    private readonly turns: TurnTable,
    private readonly reading: TranscriptReading,
    private readonly rows: ActiveRows,
    private readonly closing: TurnClosing,
    private readonly titling: Titling,
  ) {}

  branch(input: BranchSession): BranchedSession {
    const origin = this.sessions.require(input.sessionId);
    const existing = this.sessions.find(input.childId);
    if (existing !== null) return this.branched(existing, origin, input.upTo);
    if (origin.trashedAt !== null)
      throw refused(
        'This session is in the trash. Restore it before you branch from it.',
        `session ${origin.id} is in the trash`,
      );
    const cut = this.cut(origin, input.upTo);
    this.createChild(input, cut.segment);
    this.copyRows(cut, input.childId);
    this.copyTurns(cut, input.childId);
    if (cut.cutTurn !== null) this.endCutTurn(`${input.childId}/${cut.cutTurn}`, input.now);
    return {
      session: this.sessions.require(input.childId),
      copied: cut.rows.length,
      draft: cut.draft,
      draftParts: cut.draftParts,
    };
  }

  /** The answer to a repeated call. */
  private branched(child: Session, origin: Session, upTo: string | null): BranchedSession {
    const parent = child.parentSessionId === null ? null : this.sessions.find(child.parentSessionId);
    if (child.parentKind !== 'branch' || parent?.conversationId !== origin.conversationId)
      throw invalid(`session ${child.id} exists and is another one`);
    const copied = countOf(
      this.database,
      'SELECT count(*) AS n FROM messages WHERE session_id = ? AND active = 1 AND copied_from IS NOT NULL',
      [child.id],
    );
    const named = upTo === null ? null : this.messages.find(upTo)?.message;
    const prompt = named?.role === 'user' && !isHandoff(named) ? named : null;
    return {
      session: child,
      copied,
      draft: prompt === null ? null : draftOf(prompt),
      draftParts: sentParts(prompt?.parts ?? []),
    };
  }

  private cut(origin: Session, upTo: string | null): Cut {
    const tip = this.sessions.tip(origin.id);
    const open = this.turns.openOf(origin.conversationId);
    const from = upTo === null ? null : this.standing(origin, tip, upTo);
    if (from !== null && open !== null && from.turnUid === open.uid)
      throw busy('This answer is still being written. Branch from it when it is done.', open);
    const segment = this.sessions.require(from?.sessionId ?? tip);
    const active = this.reading.active(segment.id);
    const isPrompt = from !== null && from.role === 'user' && !isHandoff(from);
    const taken =
      from === null
        ? active
        : active.slice(0, isPrompt ? indexOf(active, from) : groupEnd(active, indexOf(active, from)));
    const rows = taken.filter((row) => row.turnUid === null || row.turnUid !== open?.uid);
    if (rows.length === 0 && !isPrompt)
      throw refused('This session has no answer yet to branch from.', `nothing to copy of session ${segment.id}`);
    const last = rows.at(-1)?.turnUid ?? null;
    const isCut =
      last !== null &&
      active.filter((row) => row.turnUid === last).length > rows.filter((row) => row.turnUid === last).length;
    return {
      segment,
      rows,
      cutTurn: isCut ? last : null,
      draft: isPrompt ? draftOf(from) : null,
      draftParts: isPrompt ? sentParts(from.parts) : [],
    };
  }

  /** The message where it is active: in the newest segment if it was carried there, else in its own. */
  private standing(origin: Session, tip: string, uid: string): Message {
    const named = this.messages.find(uid)?.message;
    const own = named === undefined ? null : this.sessions.find(named.sessionId);
    const standing =
      own?.conversationId === origin.conversationId
        ? (this.rows.inSegment(tip, uid) ?? this.rows.inSegment(own.id, uid))
        : null;
    if (standing === null) {
      throw refused(
        'This message is not part of the session as it is shown. Nothing was changed.',
        `message ${uid} is not shown in conversation ${origin.conversationId}`,
      );
    }
    return standing;
  }

  private createChild({ childId, upTo, now }: BranchSession, segment: Session): void {
    const title = this.titling.branchTitle(segment.conversationId);
    this.sessions.create({
      id: childId,
      startedAt: now,
      parentSessionId: segment.id,
      parentKind: 'branch',
      model: this.sessions.require(this.sessions.tip(segment.id)).model,
      folder: segment.folder,
      title: title?.text ?? null,
      titleSource: title?.source ?? null,
    });
    this.database.run(
      'UPDATE sessions SET branched_from = ?, preview = (SELECT preview FROM sessions WHERE id = ?) WHERE id = ?',
      [upTo, segment.conversationId, childId],
    );
  }

  /** The rows, and the prompts that were joined to one of them: those are hidden, but their turns begin with them. */
  private copyRows({ segment, rows }: Cut, childId: string): void {
    this.database.run(
      `WITH RECURSIVE taken (uid) AS (
         SELECT value FROM json_each(?1)
         UNION SELECT m.uid FROM messages m JOIN taken ON m.absorbed_into = taken.uid WHERE m.session_id = ?2 AND m.active = 0
       )
       INSERT INTO messages (uid, session_id, turn_uid, position, copied_from, absorbed_into, ${copiedColumns})
       SELECT ?3 || '/' || iif(display_kind = 'handoff', 'handoff', uid), ?3, ?3 || '/' || turn_uid, row_number() OVER (ORDER BY position) * ${positionGap},
         coalesce(carried_from, copied_from, uid), ?3 || '/' || absorbed_into, ${copiedColumns}
       FROM messages WHERE session_id = ?2 AND uid IN (SELECT uid FROM taken) ORDER BY position`,
      [JSON.stringify(rows.map(({ uid }) => uid)), segment.id, childId],
    );
    this.nameOriginals(childId);
  }

  /** A copy names the row that was written first, not one that repeats it: search finds that one. */
  private nameOriginals(childId: string): void {
    for (let generation = 0; generation < 1000; generation++) {
      const { changes } = this.database.run(
        `UPDATE messages SET copied_from = coalesce(o.carried_from, o.copied_from) FROM messages o
         WHERE messages.session_id = ? AND o.uid = messages.copied_from AND coalesce(o.carried_from, o.copied_from) IS NOT NULL`,
        [childId],
      );
      if (changes === 0) return;
    }
  }

  private copyTurns({ segment, rows }: Cut, childId: string): void {
    const firstRows = new Map<string, string>();
    for (const { uid, turnUid } of rows) if (turnUid !== null && !firstRows.has(turnUid)) firstRows.set(turnUid, uid);
    for (const [turnUid, firstRow] of firstRows) {
      const prompt = `${childId}/${this.rows.nameInSegment(segment.id, this.turns.find(turnUid)?.userMessageUid ?? '')}`;
      this.database.run(
        `INSERT INTO turns (uid, session_id, conversation_id, user_message_uid, model, state, outcome, stop_reason, failure, started_at, settled_at, usage, recalled)
         SELECT ?1, ?2, ?2, ?3, model, 'settled', outcome, stop_reason, failure, started_at, settled_at, usage, recalled FROM turns WHERE uid = ?4`,
        [
          `${childId}/${turnUid}`,
          childId,
          this.messages.find(prompt) === null ? `${childId}/${firstRow}` : prompt,
          turnUid,
        ],
      );
    }
  }

  /** What was spent on the whole turn was not spent on its beginning. */
  private endCutTurn(turnUid: string, now: number): void {
    this.closing.close({ uid: turnUid }, 'user', now);
    this.turns.settle(turnUid, { outcome: 'interrupted', stopReason: 'user', failure: null }, now);
    this.database.run('UPDATE turns SET usage = NULL WHERE uid = ?', [turnUid]);
  }
}

function indexOf(active: readonly Message[], message: Message): number {
  return active.findIndex((row) => row.uid === message.uid);
}

/** Behind the results that follow a call, and behind the closing row that ends its turn. */
function groupEnd(active: readonly Message[], index: number): number {
  const turnUid = active[index]?.turnUid;
  let end = index + 1;
  while (active[end]?.role === 'tool') end++;
  const next = active[end];
  return next?.visibility.kind === 'closing' && next.turnUid === turnUid ? end + 1 : end;
}

function draftOf(prompt: Message): string | null {
  return isContinuation(prompt) ? null : answerText(prompt.parts);
}
