import { t } from '../../../base/translate';
import type { SqlRow, SqlValue } from '../../engine/sqlDatabase';
import type { BranchedSession, BranchSession } from '../../conversations';
import { isHandoff } from '../../../transcript/handoff';
import { isContinuation } from '../../../transcript/continuation';
import { sentParts, type SentPart } from '../../../transcript/draftPart';
import { answerText, type Message } from '../../../transcript/message';
import type { Session } from '../../../transcript/session';
import { copiedColumns, copiedValues } from '../tables/activeRows';
import { countOf, readBoolean, readNumber, readText, hasRow } from '../tables/columns';
import { positionGap } from '../tables/messageTable';
import { busy, invalid, refused } from '../tables/refusal';
import { batchRows } from '../tables/inBatches';
import { StorePart } from '../tables/storePart';
import type { StoreOperations } from './storeOperations';

/** Part of a segment that goes into a branch. */
interface BranchCut {
  readonly segment: Session;
  /** Takes active rows before this position; null: all of the segment. */
  readonly before: number | null;
  /** The open turn, whose rows are not copied. */
  readonly openTurn: string | null;
  /** The last copied turn, if some of its rows are not copied. */
  readonly cutTurn: string | null;
  readonly draft: string | null;
  readonly draftParts: readonly SentPart[];
}

/** Progress of a branch. */
export interface BranchProgress {
  readonly cut: BranchCut;
  /** Stored position of the segment's last examined row. */
  readonly after: SqlValue;
  /** Numbers of rows that were copied, that were copied and are active, and that were examined. */
  readonly rows: number;
  readonly copied: number;
  readonly seen: number;
  readonly hasAllRows: boolean;
  /** Turns still to be copied, in order, each with its first active row. */
  readonly turns: readonly (readonly [turnUid: string, firstRow: string])[];
}

/** Copies the beginning of a segment into a new conversation, batch by batch. The branch is `pending`, so nothing
 *  finds it, until `publish`. Uids of copies are the branch's id followed by the original's uid, so a repeated call
 *  makes one branch. Every method runs inside its caller's transaction. */
export class Branching extends StorePart<StoreOperations> {
  /** Returns the stored branch for a repeated call, or the start of a new one. */
  begin(input: BranchSession): { readonly stored: BranchedSession } | { readonly progress: BranchProgress } {
    const origin = this.sessions.require(input.sessionId);
    const existing = this.sessions.find(input.childId);
    if (existing !== null) return { stored: this.branched(existing, origin, input.upTo) };
    if (origin.trashedAt !== null)
      throw refused(
        t('This session is in the trash. Restore it before you branch from it.'),
        `session ${origin.id} is in the trash`,
      );
    const cut = this.cut(origin, input.upTo);
    this.createChild(input, cut.segment);
    return {
      progress: { cut, after: Number.MIN_SAFE_INTEGER, rows: 0, copied: 0, seen: 0, hasAllRows: false, turns: [] },
    };
  }

  /** Number of rows in the segment, to report progress. */
  rowsIn({ segment }: BranchCut): number {
    return countOf(this.database, 'SELECT count(*) AS n FROM messages WHERE session_id = ?', [segment.id]);
  }

  /** Copies the next rows, or the next turns when no rows are left. */
  advance(progress: BranchProgress, childId: string): BranchProgress {
    return progress.hasAllRows ? this.copyTurns(progress, childId) : this.copyRows(progress, childId);
  }

  /** Makes the branch visible after everything is copied. */
  publish({ cut, copied }: BranchProgress, { childId, now }: BranchSession): BranchedSession {
    const title = this.store.titling.branchTitle(cut.segment.conversationId);
    this.database.run('UPDATE sessions SET title = ?, title_source = ?, pending = NULL WHERE id = ?', [
      title?.text ?? null,
      title?.source ?? null,
      childId,
    ]);
    if (cut.cutTurn !== null) this.endCutTurn(`${childId}/${cut.cutTurn}`, now);
    return { session: this.sessions.require(childId), copied, draft: cut.draft, draftParts: cut.draftParts };
  }

  /** The result for a repeated call. */
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

  private cut(origin: Session, upTo: string | null): BranchCut {
    const tip = this.sessions.tip(origin.id);
    const open = this.turns.openOf(origin.conversationId);
    const from = upTo === null ? null : this.standing(origin, tip, upTo);
    if (from !== null && open !== null && from.turnUid === open.uid)
      throw busy(t('Hermes is still answering. Branch when the answer is done.'), open);
    const segment = this.sessions.require(from?.sessionId ?? tip);
    const isPrompt = from !== null && from.role === 'user' && !isHandoff(from);
    const before = from === null ? null : isPrompt ? from.position : this.groupEnd(from);
    const openTurn = open?.uid ?? null;
    const last = this.database.get(
      `SELECT turn_uid FROM messages
       WHERE session_id = ?1 AND active = 1 AND position < ?2 AND (turn_uid IS NULL OR turn_uid IS NOT ?3)
       ORDER BY position DESC LIMIT 1`,
      [segment.id, before ?? Number.MAX_SAFE_INTEGER, openTurn],
    );
    if (last === undefined && !isPrompt)
      throw refused(t('This session has no answer yet to branch from.'), `nothing to copy of session ${segment.id}`);
    const lastTurn = last === undefined ? null : readText(last, 'turn_uid', null);
    const isCut =
      lastTurn !== null &&
      before !== null &&
      hasRow(
        this.database,
        'SELECT 1 AS n FROM messages WHERE turn_uid = ? AND +session_id = ? AND active = 1 AND position >= ? LIMIT 1',
        [lastTurn, segment.id, before],
      );
    return {
      segment,
      before,
      openTurn,
      cutTurn: isCut ? lastTurn : null,
      draft: isPrompt ? draftOf(from) : null,
      draftParts: isPrompt ? sentParts(from.parts) : [],
    };
  }

  /** Position at which the group of a row ends: after the results that follow a call, and after the closing row that
   *  ends its turn. Null: at the end of the segment. */
  private groupEnd(row: Message): number | null {
    const following = this.database.iterate(
      `SELECT position, role, turn_uid, display_kind FROM messages
       WHERE session_id = ? AND active = 1 AND position > ? ORDER BY position`,
      [row.sessionId, row.position],
    );
    let closed = false;
    for (const next of following) {
      if (!closed && next['role'] === 'tool') continue;
      if (closed || next['display_kind'] !== 'closing' || readText(next, 'turn_uid', null) !== row.turnUid)
        return readNumber(next, 'position', 0);
      closed = true;
    }
    return null;
  }

  /** The message where it is active: in the newest segment if it was carried there, else in its original segment. */
  private standing(origin: Session, tip: string, uid: string): Message {
    const named = this.messages.find(uid)?.message;
    const own = named === undefined ? null : this.sessions.find(named.sessionId);
    const standing =
      own?.conversationId === origin.conversationId
        ? (this.store.rows.inSegment(tip, uid) ?? this.store.rows.inSegment(own.id, uid))
        : null;
    if (standing === null) {
      throw refused(
        t('This message is no longer in the open session. Nothing was changed.'),
        `message ${uid} is not shown in conversation ${origin.conversationId}`,
      );
    }
    return standing;
  }

  private createChild({ childId, upTo, now }: BranchSession, segment: Session): void {
    this.sessions.create({
      id: childId,
      startedAt: now,
      parentSessionId: segment.id,
      parentKind: 'branch',
      model: this.sessions.require(this.sessions.tip(segment.id)).model,
      folder: segment.folder,
    });
    this.database.run(
      `UPDATE sessions SET pending = 'made', branched_from = ?, preview = (SELECT preview FROM sessions WHERE id = ?)
       WHERE id = ?`,
      [upTo, segment.conversationId, childId],
    );
  }

  private copyRows(progress: BranchProgress, childId: string): BranchProgress {
    const { cut, after } = progress;
    const looked = this.database.all(
      `SELECT id, uid, turn_uid, position, active, absorbed_into FROM messages
       WHERE session_id = ? AND position > ? ORDER BY position LIMIT ?`,
      [cut.segment.id, after, batchRows],
    );
    const taken = looked.filter((row) => this.isTaken(row, cut));
    const active = taken.filter((row) => readBoolean(row, 'active'));
    this.insertCopies(
      taken.map((row) => readNumber(row, 'id', 0)),
      progress.rows,
      childId,
    );
    const turns = active.flatMap((row) => {
      const turnUid = readText(row, 'turn_uid', null);
      const isFirst =
        turnUid !== null && this.store.rows.startOfTurn(cut.segment.id, turnUid) === readNumber(row, 'position', 0);
      return isFirst ? [[turnUid, readText(row, 'uid', '')] as const] : [];
    });
    return {
      cut,
      after: looked.at(-1)?.['position'] ?? after,
      rows: progress.rows + taken.length,
      copied: progress.copied + active.length,
      seen: progress.seen + looked.length,
      hasAllRows: looked.length < batchRows,
      turns: [...progress.turns, ...turns],
    };
  }

  /** True for active rows before the cut, and for the prompts that were joined to one of them: those are hidden, but
   *  their turns begin with them. */
  private isTaken(row: SqlRow, cut: BranchCut): boolean {
    const seen = new Set<string>();
    let current: SqlRow | undefined = row;
    while (current !== undefined && !readBoolean(current, 'active')) {
      const absorber = readText(current, 'absorbed_into', null);
      if (absorber === null || seen.has(absorber)) return false;
      seen.add(absorber);
      current = this.database.get(
        'SELECT turn_uid, position, active, absorbed_into FROM messages WHERE uid = ? AND session_id = ?',
        [absorber, cut.segment.id],
      );
    }
    if (current === undefined || (cut.before !== null && readNumber(current, 'position', 0) >= cut.before))
      return false;
    return cut.openTurn === null || readText(current, 'turn_uid', null) !== cut.openTurn;
  }

  private insertCopies(ids: readonly number[], before: number, childId: string): void {
    if (ids.length === 0) return;
    this.database.run(
      `INSERT INTO messages (uid, session_id, turn_uid, position, copied_from, absorbed_into, ${copiedColumns})
       SELECT ?2 || '/' || iif(display_kind = 'handoff', 'handoff', coalesce(uid, 'row ' || id)), ?2,
       ?2 || '/' || turn_uid, (?3 + row_number() OVER (ORDER BY position)) * ${positionGap},
         coalesce(carried_from, copied_from, uid), ?2 || '/' || absorbed_into, ${copiedValues}
       FROM messages WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY position`,
      [JSON.stringify(ids), childId, before],
    );
    const last = this.database.get('SELECT last_insert_rowid() AS id') ?? {};
    this.nameOriginals(readNumber(last, 'id', 0) - ids.length);
  }

  /** Makes each copy name the row that was written first, not one that repeats it: search finds that one. The copies
   *  are the rows with a higher id than `after`. */
  private nameOriginals(after: number): void {
    for (let generation = 0; generation < 1000; generation++) {
      const { changes } = this.database.run(
        `UPDATE messages SET copied_from = coalesce(o.carried_from, o.copied_from) FROM messages o
         WHERE messages.id > ? AND o.uid = messages.copied_from
         AND coalesce(o.carried_from, o.copied_from) IS NOT NULL`,
        [after],
      );
      if (changes === 0) return;
    }
  }

  private copyTurns(progress: BranchProgress, childId: string): BranchProgress {
    for (const [turnUid, firstRow] of progress.turns.slice(0, batchRows)) {
      const original = this.turns.find(turnUid)?.userMessageUid ?? '';
      const prompt = `${childId}/${this.store.rows.nameInSegment(progress.cut.segment.id, original)}`;
      this.database.run(
        `INSERT INTO turns (uid, session_id, conversation_id, user_message_uid, model, state, outcome, stop_reason,
         failure, started_at, settled_at, usage, recalled)
         SELECT ?1, ?2, ?2, ?3, coalesce(model, ''), 'settled',
         iif(outcome IN ('complete', 'interrupted'), outcome, 'failed'), stop_reason, failure, coalesce(started_at, 0),
         settled_at, usage, recalled FROM turns WHERE uid = ?4`,
        [
          `${childId}/${turnUid}`,
          childId,
          this.messages.find(prompt) === null ? `${childId}/${firstRow}` : prompt,
          turnUid,
        ],
      );
    }
    return { ...progress, turns: progress.turns.slice(batchRows) };
  }

  /** Closes a turn that was cut and clears its usage: the usage of the whole turn does not apply to its beginning. */
  private endCutTurn(turnUid: string, now: number): void {
    this.store.closing.close({ uid: turnUid }, 'user', now);
    this.turns.settle(turnUid, { outcome: 'interrupted', stopReason: 'user', failure: null }, now);
    this.database.run('UPDATE turns SET usage = NULL WHERE uid = ?', [turnUid]);
  }
}

function draftOf(prompt: Message): string | null {
  return isContinuation(prompt) ? null : answerText(prompt.parts);
}
