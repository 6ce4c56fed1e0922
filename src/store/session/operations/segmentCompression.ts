import { t } from '../../../base/translate';
import type { CompressedSession, CompressSession } from '../../requests';
import { handoffPart, handoffUid } from '../../../transcript/handoff';
import type { Message, NewMessage } from '../../../transcript/message';
import type { Session } from '../../../transcript/session';
import { countOf } from '../tables/columns';
import { busy, invalid } from '../tables/refusal';
import { StorePart } from '../tables/storePart';
import type { StoreQueries } from '../queries/storeQueries';

/** Starts the next segment of a conversation. The child session, the handoff, the carried rows and the parent's end
 *  are one transaction, so that there is either a live parent or a complete child. Runs inside its caller's
 *  transaction. */
export class SegmentCompression extends StorePart<StoreQueries> {
  publish(input: CompressSession): CompressedSession {
    const parent = this.sessions.require(input.parentId);
    const existing = this.sessions.find(input.childId);
    if (existing !== null) return this.published(existing, parent);
    this.refuse(input, parent);
    const carried = this.rowsAfter(input, parent);
    const child = this.createChild(input, parent);
    this.messages.insert(handoffRow(input), this.messages.endPosition(child.id));
    for (const row of carried.flatMap((one) => [one, ...this.joinedTo(one)]))
      this.messages.insert(carriedRow(row, child.id), this.messages.endPosition(child.id));
    this.store.wireTexts.carry(child.id);
    this.sessions.end(parent.id, 'compression', input.now);
    this.database.run('UPDATE OR REPLACE drafts SET key = ? WHERE key = ?', [child.id, parent.id]);
    this.database.run('UPDATE queue SET session_id = ? WHERE conversation_id = ?', [child.id, parent.conversationId]);
    if (input.turnUid !== undefined)
      this.database.run("UPDATE turns SET session_id = ? WHERE uid = ? AND state <> 'settled'", [
        child.id,
        input.turnUid,
      ]);
    return this.published(child, parent);
  }

  private refuse({ parentId, handoff, turnUid }: CompressSession, parent: Session): void {
    if (handoff.trim() === '') throw invalid(`an empty handoff for session ${parentId}`);
    // A segment whose continuation is lost continues as the tip.
    if (
      (parent.endReason !== null && parent.endReason !== 'compression') ||
      this.sessions.continuation(parentId) !== null
    )
      throw invalid(`session ${parentId} has ended and cannot be compressed`);
    if (parent.trashedAt !== null) throw invalid(`session ${parentId} is in the trash`);
    const open = this.turns.openOf(parent.conversationId);
    if (open !== null && open.uid !== turnUid) throw busy(t('This session is still answering another prompt.'), open);
  }

  /** Rows that the handoff does not cover, including those that arrived while it was written. */
  private rowsAfter({ parentId, summarisedUpTo, prompt }: CompressSession, parent: Session): readonly Message[] {
    const last = this.messages.find(summarisedUpTo)?.message;
    if (last === undefined || last.sessionId !== parentId || last.visibility.kind === 'hidden')
      throw invalid(`message ${summarisedUpTo} is not part of the active transcript of session ${parent.id}`);
    const after = this.store.reading.activeAfter(parentId, last.position);
    if (after[0]?.role === 'tool')
      throw invalid(`message ${summarisedUpTo} is followed by a tool result, which would lose its call`);
    const streaming = after.find((row) => row.role === 'assistant' && row.state === 'streaming');
    if (streaming !== undefined) throw invalid(`message ${streaming.uid} is still being delivered`);
    if (prompt === undefined) return after;
    const kept = this.messages.find(prompt)?.message;
    if (
      kept?.role !== 'user' ||
      kept.sessionId !== parentId ||
      kept.visibility.kind !== 'shown' ||
      kept.position > last.position
    )
      throw invalid(`message ${prompt} is no prompt that the handoff speaks for`);
    return [kept, ...after];
  }

  /** The prompts that were joined to a row: they are hidden, but their turns begin with them. */
  private joinedTo(row: Message): readonly Message[] {
    const rows = this.database.all(
      `SELECT * FROM messages WHERE session_id = ? AND absorbed_into = ? AND active = 0 AND hidden_reason = 'merged'
       AND role = 'user' ORDER BY position`,
      [row.sessionId, row.uid],
    );
    return this.messages.readAll(rows).flatMap((joined) => [joined, ...this.joinedTo(joined)]);
  }

  private createChild({ childId, now }: CompressSession, parent: Session): Session {
    this.sessions.create({
      id: childId,
      // The child must not start before its parent, even if the clock was set back.
      startedAt: Math.max(now, parent.startedAt),
      parentSessionId: parent.id,
      parentKind: 'compression',
      model: parent.model,
      folder: parent.folder,
      title: parent.title,
      titleSource: parent.titleSource,
    });
    this.database.run(
      `UPDATE sessions SET (pinned, archived, private, seen_at, mode, effort, agent) =
         (SELECT pinned, archived, private, seen_at, mode, effort, agent FROM sessions WHERE id = ?) WHERE id = ?`,
      [parent.id, childId],
    );
    this.sessions.touch(childId, Math.max(now, parent.lastActiveAt));
    return this.sessions.require(childId);
  }

  private published(child: Session, parent: Session): CompressedSession {
    const handoff = this.messages.find(handoffUid(child.id))?.message;
    if (child.parentSessionId !== parent.id || child.parentKind !== 'compression' || handoff === undefined) {
      throw invalid(`session ${child.id} exists and is another one`);
    }
    return {
      session: child,
      handoff,
      carried: countOf(
        this.database,
        'SELECT count(*) AS n FROM messages WHERE session_id = ? AND active = 1 AND carried_from IS NOT NULL',
        [child.id],
      ),
    };
  }
}

function handoffRow({ childId, handoff, tokens, now }: CompressSession): NewMessage {
  return {
    uid: handoffUid(childId),
    sessionId: childId,
    turnUid: null,
    createdAt: now,
    visibility: { kind: 'handoff' },
    carriedFrom: null,
    role: 'user',
    parts: [handoffPart(handoff.toWellFormed(), tokens)],
  };
}

function carriedRow(row: Message, sessionId: string): NewMessage {
  const { visibility } = row;
  const into =
    visibility.kind === 'hidden' && visibility.absorbedInto !== null
      ? { visibility: { ...visibility, absorbedInto: `${sessionId}/${visibility.absorbedInto}` } }
      : {};
  return { ...row, ...into, uid: `${sessionId}/${row.uid}`, sessionId, carriedFrom: row.uid };
}
