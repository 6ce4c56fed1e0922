import type { SqlDatabase, SqlRow } from '../engine/sqlDatabase';
import type { DraftPart } from '../../transcript/draftPart';
import type { QueuedPrompt } from '../../transcript/session';
import type { EnqueuePrompt } from '../sessionStore';
import { numberOr, textOr } from './columns';
import { decodeDraft, decodeSent, encodeAlong } from './partsJson';
import { invalid, notFound } from './refusal';
import type { SessionTable } from './sessionTable';

/** Prompts that wait for a conversation's running turn, in the order they will be sent, and unsent drafts. A prompt queued before a
 *  compression stays with its conversation. Every method runs inside its caller's transaction. */
export class PromptQueue {
  constructor(
    private readonly database: SqlDatabase,
    private readonly sessions: SessionTable,
  ) {}

  /** A prompt whose uid is queued already is left as it is, and one that is part of the transcript by now is not queued again, so that a
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
    if (added.changes > 0 && prompt.behind !== undefined) this.moveBehind(prompt.uid, prompt.behind, conversationId);
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
    const row = this.database.get('SELECT text FROM drafts WHERE key = ?', [key]);
    return row === undefined ? '' : textOr(row, 'text', '');
  }

  draftParts(key: string): readonly DraftPart[] {
    const row = this.database.get('SELECT parts FROM drafts WHERE key = ?', [key]);
    return row === undefined ? [] : decodeDraft(textOr(row, 'parts', null));
  }

  setDraft(key: string, text: string, parts: readonly DraftPart[] | undefined, at: number): void {
    this.database.run(
      'INSERT INTO drafts (key, text, updated_at) VALUES (?1, ?2, ?3) ON CONFLICT (key) DO UPDATE SET text = ?2, updated_at = ?3',
      [key, text, at],
    );
    if (parts !== undefined) this.database.run('UPDATE drafts SET parts = ? WHERE key = ?', [encodeAlong(parts), key]);
    this.database.run("DELETE FROM drafts WHERE key = ? AND text = '' AND parts IS NULL", [key]);
  }

  private moveBehind(uid: string, behind: readonly string[], conversationId: string): void {
    const ahead = this.ofConversation(conversationId).filter((other) => behind.includes(other.uid));
    this.promote(uid);
    for (const other of ahead.toReversed()) this.promote(other.uid);
  }

  private conversationOf(uid: string): string {
    const row = this.database.get('SELECT conversation_id FROM queue WHERE uid = ?', [uid]);
    if (row === undefined) throw notFound('queued prompt', uid);
    return textOr(row, 'conversation_id', '');
  }

  private ofConversation(conversationId: string): readonly QueuedPrompt[] {
    return this.database
      .all('SELECT * FROM queue WHERE conversation_id = ? ORDER BY place', [conversationId])
      .map(readPrompt);
  }
}

function readPrompt(row: SqlRow): QueuedPrompt {
  const parts = decodeSent(textOr(row, 'parts', null));
  return {
    uid: textOr(row, 'uid', ''),
    sessionId: textOr(row, 'session_id', ''),
    text: textOr(row, 'text', ''),
    ...(parts.length === 0 ? {} : { parts }),
    createdAt: numberOr(row, 'created_at', 0),
  };
}
