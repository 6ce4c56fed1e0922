import { t } from '../../../base/translate';
import { busy, refused } from '../tables/refusal';
import { lastSettled } from '../tables/turnTable';
import { StorePart } from '../tables/storePart';
import type { TitleSource } from '../../../transcript/session';
import { cleanTitle, mayReplace, numberedTitle } from '../tables/title';
import type { StoreQueries } from '../queries/storeQueries';

/** Titles of conversations: one title for all segments, unique within a tree of branches. Every method runs inside
 *  its caller's transaction. */
export class Titling extends StorePart<StoreQueries> {
  set(sessionId: string, title: string, source: TitleSource): boolean {
    const cleaned = cleanTitle(title);
    const { conversationId } = this.sessions.require(sessionId);
    const current = this.sessions.require(this.sessions.tip(sessionId));
    if (current.title !== null && !mayReplace(current.titleSource, source)) return false;
    const taken = this.store.tree.titlesBeside(conversationId);
    if (source === 'person' && taken.has(cleaned.toLowerCase())) {
      throw refused(
        t('Another branch of this session is called “{title}” already. Choose another title.', { title: cleaned }),
        `title taken in the tree of conversation ${conversationId}`,
      );
    }
    this.write(conversationId, numberedTitle(cleaned, taken, 1), source);
    return true;
  }

  /** The title of a new branch: its origin's title with the first free number in the tree, from 2 on. */
  branchTitle(conversationId: string): { readonly text: string; readonly source: TitleSource | null } | null {
    const root = this.sessions.find(conversationId);
    // Damaged lineage.
    if (root === null) return null;
    const { title, titleSource } = this.sessions.require(this.sessions.tip(conversationId));
    const origin = title ?? root.title;
    if (origin === null) return null;
    // A number assigned to a branch is not part of its name; a number typed by the user is.
    const name = root.parentKind === 'branch' ? origin.replace(/ #\d+$/, '') : origin;
    const taken = new Set([...this.store.tree.titlesBeside(conversationId), origin.toLowerCase()]);
    return { text: numberedTitle(name, taken, 2), source: titleSource ?? root.titleSource };
  }

  private write(conversationId: string, title: string, source: TitleSource): void {
    this.database.run('UPDATE sessions SET title = ?, title_source = ? WHERE conversation_id = ?', [
      title,
      source,
      conversationId,
    ]);
  }
}

/** The user's marks on a conversation, set on all its segments at once. Every method runs inside its caller's
 *  transaction. */
export class SessionMarks extends StorePart {
  pin(sessionId: string, on: boolean): void {
    this.set(sessionId, 'pinned = ?', on ? 1 : 0);
  }

  archive(sessionId: string, on: boolean): void {
    this.set(sessionId, 'archived = ?', on ? 1 : 0);
  }

  trash(sessionId: string, now: number): void {
    const open = this.turns.openOf(this.sessions.require(sessionId).conversationId);
    if (open !== null) throw busy(t('Hermes is answering in this session. Stop it first.'), open);
    this.set(sessionId, 'trashed_at = coalesce(trashed_at, ?)', now);
  }

  restore(sessionId: string): void {
    this.set(sessionId, 'trashed_at = ?', null);
  }

  /** Marks the newest answer as seen, whatever the clocks say. Changes nothing if it is already seen: a session is
   *  shown far more often than it has something new, and a write waits for the disk. */
  see(sessionId: string, now: number): void {
    const { conversationId } = this.sessions.require(sessionId);
    this.database.run(
      `UPDATE sessions SET seen_at = max(?1, coalesce(${lastSettled('?2')}, 0)) WHERE conversation_id = ?2
         AND (seen_at IS NULL OR NOT EXISTS (SELECT 1 FROM turns t
           WHERE t.id = (SELECT max(id) FROM turns WHERE conversation_id = ?2) AND t.state = 'settled'
           AND t.settled_at <= seen_at))`,
      [now, conversationId],
    );
  }

  private set(sessionId: string, change: string, value: number | null): void {
    this.database.run(`UPDATE sessions SET ${change} WHERE conversation_id = ?`, [
      value,
      this.sessions.require(sessionId).conversationId,
    ]);
  }
}
