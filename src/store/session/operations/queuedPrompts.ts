import type { SqlRow } from '../../engine/sqlDatabase';
import {
  draftAfter,
  type DraftPart,
  type DraftSurroundings,
  joinedDraft,
  type PromptDraft,
} from '../../../transcript/draftPart';
import type { QueuedPrompt } from '../../../transcript/session';
import type { EnqueuePrompt } from '../../requests';
import { readText, readTime, textIn } from '../tables/columns';
import { decodeDraft, decodeSent, encodeAlong } from '../tables/partsJson';
import { invalid, notFound } from '../tables/refusal';
import { StorePart } from '../tables/storePart';

/** Prompts that wait for a conversation's running turn, in sending order, and unsent drafts. A prompt queued before
 *  a compression stays with its conversation. Every method runs inside its caller's transaction. */
export class QueuedPrompts extends StorePart {
  /** Queues a prompt. A prompt that is already queued or already part of the transcript is not queued again, so a
   *  retried call cannot send it twice. */
  add(prompt: EnqueuePrompt): readonly QueuedPrompt[] {
    const { conversationId } = this.sessions.require(prompt.sessionId);
    const parts = encodeAlong(prompt.parts ?? []);
    if (prompt.text === '' && parts === null) throw invalid('an empty prompt');
    const added = this.database.run(
      `INSERT INTO queue (uid, session_id, conversation_id, place, text, parts, created_at)
       SELECT ?1, ?2, ?3, (SELECT coalesce(max(place), 0) + 1 FROM queue WHERE conversation_id = ?3), ?4, ?5, ?6
       WHERE NOT EXISTS (SELECT 1 FROM messages WHERE uid = ?1) ON CONFLICT (uid) DO NOTHING`,
      [prompt.uid, prompt.sessionId, conversationId, prompt.text, parts, prompt.createdAt],
    );
    if (prompt.draft !== undefined) this.takeFromDraft(prompt.draft, prompt.sessionId);
    if (added.changes > 0 && prompt.after !== undefined) this.moveAfter(prompt.uid, prompt.after, conversationId);
    return this.ofConversation(conversationId);
  }

  of(sessionId: string): readonly QueuedPrompt[] {
    return this.ofConversation(this.sessions.require(sessionId).conversationId);
  }

  find(uid: string): QueuedPrompt | null {
    const row = this.database.get('SELECT * FROM queue WHERE uid = ?', [uid]);
    return row === undefined ? null : readPrompt(row);
  }

  edit(uid: string, text: string): readonly QueuedPrompt[] {
    const conversationId = this.conversationOf(uid);
    if (text === '' && this.find(uid)?.parts === undefined) throw invalid('an empty prompt');
    this.database.run('UPDATE queue SET text = ? WHERE uid = ?', [text, uid]);
    return this.ofConversation(conversationId);
  }

  remove(uid: string): readonly QueuedPrompt[] {
    const conversationId = this.conversationOf(uid);
    this.database.run('DELETE FROM queue WHERE uid = ?', [uid]);
    return this.ofConversation(conversationId);
  }

  promote(uid: string): readonly QueuedPrompt[] {
    const conversationId = this.conversationOf(uid);
    this.database.run(
      'UPDATE queue SET place = (SELECT min(place) - 1 FROM queue WHERE conversation_id = ?) WHERE uid = ?',
      [conversationId, uid],
    );
    return this.ofConversation(conversationId);
  }

  draft(key: string): string {
    return textIn(this.database, 'SELECT text FROM drafts WHERE key = ?', [key]) ?? '';
  }

  draftParts(key: string): readonly DraftPart[] {
    const row = this.database.get('SELECT parts FROM drafts WHERE key = ?', [key]);
    return row === undefined ? [] : decodeDraft(readText(row, 'parts', null));
  }

  /** Puts the prompts of `sent` that are not stored before the text. The check and the new draft are one
   *  transaction. Once a prompt of the empty state has started a session, text typed after it becomes that session's
   *  draft. */
  setDraft(
    key: string,
    text: string,
    parts: readonly DraftPart[] | undefined,
    { sent = [], from }: DraftSurroundings,
    at: number,
  ): void {
    if (from !== undefined) this.database.run('DELETE FROM drafts WHERE key = ?', [from]);
    const stored = sent.map(({ uid }) => this.sessionOf(uid));
    const ahead = sent.filter((_prompt, index) => stored[index] === null);
    const along = sent.some(({ parts: own }) => own !== undefined)
      ? [...ahead.flatMap(({ parts: own }) => own ?? []), ...(parts ?? [])]
      : parts;
    this.put(
      stored.findLast((sessionId) => sessionId !== null) ?? key,
      ahead.length === 0 ? text : joinedDraft([...ahead.map((draft) => draft.text), text]),
      along,
      at,
    );
  }

  /** Removes a sent prompt from its draft; the prompt is stored in the same transaction. Text typed or attached
   *  after it stays, as the draft of the prompt's session. A draft that has changed meanwhile stays as it is. */
  takeFromDraft({ key, text, parts = [], shownKey }: PromptDraft, sessionId: string): void {
    if (shownKey !== undefined && key === 'new') this.store.meta.set(shownKey, sessionId);
    for (const place of new Set([key, sessionId])) {
      const row = this.database.get('SELECT text, updated_at FROM drafts WHERE key = ?', [place]);
      const left = row === undefined ? null : draftAfter(readText(row, 'text', ''), text);
      const along = this.draftParts(place);
      const areAhead = JSON.stringify(along.slice(0, parts.length)) === JSON.stringify(parts);
      if (row === undefined || left === null || !areAhead) continue;
      this.put(place, '', [], 0);
      if (left !== '' || along.length > parts.length)
        this.put(sessionId, left, along.slice(parts.length), readTime(row, 'updated_at', 0));
    }
  }

  /** The session in which a prompt is stored or queued; null when it is in neither. */
  private sessionOf(uid: string): string | null {
    const row = this.database.get(
      'SELECT session_id FROM messages WHERE uid = ?1 UNION ALL SELECT session_id FROM queue WHERE uid = ?1',
      [uid],
    );
    return row === undefined ? null : readText(row, 'session_id', '');
  }

  private put(key: string, text: string, parts: readonly DraftPart[] | undefined, at: number): void {
    this.database.run(
      `INSERT INTO drafts (key, text, updated_at) VALUES (?1, ?2, ?3)
       ON CONFLICT (key) DO UPDATE SET text = ?2, updated_at = ?3`,
      [key, text, at],
    );
    if (parts !== undefined) this.database.run('UPDATE drafts SET parts = ? WHERE key = ?', [encodeAlong(parts), key]);
    this.database.run("DELETE FROM drafts WHERE key = ? AND text = '' AND parts IS NULL", [key]);
  }

  private moveAfter(uid: string, after: readonly string[], conversationId: string): void {
    const ahead = this.ofConversation(conversationId).filter((other) => after.includes(other.uid));
    this.promote(uid);
    for (const other of ahead.toReversed()) this.promote(other.uid);
  }

  private conversationOf(uid: string): string {
    const row = this.database.get('SELECT conversation_id FROM queue WHERE uid = ?', [uid]);
    if (row === undefined) throw notFound('queued prompt', uid);
    return readText(row, 'conversation_id', '');
  }

  private ofConversation(conversationId: string): readonly QueuedPrompt[] {
    return this.database
      .all('SELECT * FROM queue WHERE conversation_id = ? ORDER BY place', [conversationId])
      .map(readPrompt);
  }
}

function readPrompt(row: SqlRow): QueuedPrompt {
  const parts = decodeSent(readText(row, 'parts', null));
  return {
    uid: readText(row, 'uid', ''),
    sessionId: readText(row, 'session_id', ''),
    text: readText(row, 'text', ''),
    ...(parts.length === 0 ? {} : { parts }),
    createdAt: readTime(row, 'created_at', 0),
  };
}
