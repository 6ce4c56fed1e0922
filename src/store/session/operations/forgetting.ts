import { t } from '../../../base/translate';
import type { ForgottenSessions } from '../../conversations';
import type { BranchReference } from '../../../transcript/session';
import type { Turn } from '../../../transcript/turn';
import { readTurnRow } from '../tables/turnRow';
import { countOf, readText, texts } from '../tables/columns';
import { sliceMs } from '../../slicedWork';
import { type BatchedWork, batchRows } from '../tables/inBatches';
import { erasedImportKey, importMarkKey } from '../tables/storeUid';
import { busy } from '../tables/refusal';
import { isUnsent, noteKept } from '../tables/keptElsewhere';
import { StorePart } from '../tables/storePart';
import type { StoreOperations } from './storeOperations';

/** Key that is set from the deletion until the file was rewritten: until then deleted rows stay readable in its free
 *  pages. */
const scrubDue = 'scrub-due';

/** File size in bytes. In a larger file deleted rows are overwritten in place (`secure_delete`). But a copy may
 *  remain that SQLite left in the unused part of a page when it split that page. */
const largestRewritten = 256 * 1024 * 1024;

export type Erased = Omit<ForgottenSessions, 'isComplete'>;

/** Progress of erasing. */
interface ErasingState {
  readonly sessionIds: readonly string[];
  /** Sessions that still have rows. */
  readonly left: readonly string[];
  /** Sessions outside these that were branched from them, or hold copies of their rows. */
  readonly branches: ReadonlySet<string>;
  readonly done: number;
  readonly total: number;
}

const nothingErased: ErasingState = { sessionIds: [], left: [], branches: new Set(), done: 0, total: 0 };

/** Tables with rows of a session, apart from `messages`, whose deletion includes chunks and revisions. */
const tables = ['turns', 'queue', 'approvals', 'outbox', 'file_changes'] as const;

/** Erases conversations. The first transaction hides them everywhere (`pending`), and from then on erasing is final.
 *  Their rows are deleted batch by batch, after a crash at the next opening. Then the file is rewritten; if that
 *  does not happen, a later opening does it. */
export class Forgetting extends StorePart<StoreOperations> {
  /** Deletes everything of the conversation. */
  forgetting(sessionId: string): BatchedWork<ErasingState, Erased> {
    return this.erasing(() => this.begin(this.belonging(this.sessions.require(sessionId).conversationId)));
  }

  /** Conversations that were trashed before `before`, except for pinned ones. `pruning` skips those that are still
   *  answering. */
  prunable(before: number): readonly string[] {
    return texts(
      this.database,
      `SELECT DISTINCT conversation_id AS id FROM sessions
         WHERE trashed_at < ? AND pinned = 0 AND pending IS NULL ORDER BY trashed_at`,
      [before],
    );
  }

  /** Does the same as `forgetting`, but here only: the server and other machines keep the conversation. Does nothing
   *  when it is gone (a sub-agent's is erased with its parent), has an open turn, or has something that the server
   *  does not know yet, as that it is in the trash. */
  pruning(conversationId: string): BatchedWork<ErasingState, Erased> {
    return this.erasing(() => {
      const ids = this.belonging(conversationId);
      const named = JSON.stringify(ids);
      if (this.sessions.find(conversationId) === null || this.openTurn(named) !== null) return nothingErased;
      if (isUnsent(this.database, named)) return nothingErased;
      noteKept(this.database, conversationId, named);
      return this.begin(ids);
    });
  }

  /** Erases the rows of pending sessions that match: those that a crash left half created or half erased, and
   *  stopped ones. */
  sweeping(isLeft: (sessionId: string) => boolean): BatchedWork<ErasingState, Erased> {
    return this.erasing(() => {
      const ids = this.pending().filter(isLeft);
      return ids.length === 0 ? nothingErased : this.erasingOf(ids, []);
    });
  }

  /** Sessions that are hidden everywhere because they are being created or erased. */
  private pending(): readonly string[] {
    return texts(this.database, "SELECT id FROM sessions WHERE pending IS NOT NULL AND pending IN ('made', 'erased')");
  }

  private erasing(begin: () => ErasingState): BatchedWork<ErasingState, Erased> {
    return {
      begin: () => this.whole(begin()),
      step: (state) => this.whole(this.eraseBatch(state)),
      // Deleted rows' words leave the index at commit, which takes additional time.
      lengthMs: sliceMs / 3,
      suspend: () => this.store.index.mergeSome(),
      progress: ({ done, total }) => ({ done: Math.min(done, total), total }),
      canStop: () => false,
    };
  }

  private whole(state: ErasingState): { readonly state: ErasingState } | { readonly answer: Erased } {
    return state.left.length > 0
      ? { state }
      : { answer: { sessionIds: state.sessionIds, branches: this.references(state.branches) } };
  }

  private begin(ids: readonly string[]): ErasingState {
    const named = JSON.stringify(ids);
    const open = this.openTurn(named);
    if (open !== null) throw busy(t('Hermes is answering in this session. Stop it first.'), open);
    const branches = texts(
      this.database,
      `SELECT id FROM sessions WHERE parent_kind = 'branch' AND parent_session_id IN (SELECT value FROM json_each(?1))
         AND id NOT IN (SELECT value FROM json_each(?1))`,
      [named],
    );
    this.detachBranches(named);
    this.rememberImports(ids);
    this.deleteSmallValues(named);
    this.database.run(`UPDATE sessions SET pending = 'erased' WHERE id IN (SELECT value FROM json_each(?))`, [named]);
    this.scrubLater();
    return this.erasingOf(ids, branches);
  }

  private erasingOf(ids: readonly string[], branches: readonly string[]): ErasingState {
    const total = countOf(
      this.database,
      'SELECT count(*) AS n FROM messages WHERE session_id IN (SELECT value FROM json_each(?))',
      [JSON.stringify(ids)],
    );
    return { sessionIds: ids, left: ids, branches: new Set(branches), done: 0, total };
  }

  /** Deletes rows of the first session that has any; when none has, the sessions themselves. */
  private eraseBatch(state: ErasingState): ErasingState {
    const [id] = state.left;
    if (id === undefined) return state;
    const uids = texts(this.database, 'SELECT uid FROM messages WHERE session_id = ? ORDER BY position LIMIT ?', [
      id,
      batchRows,
    ]);
    if (uids.length > 0) {
      const named = JSON.stringify(uids);
      const holders = this.holders(named);
      this.freeCopies(named);
      this.database.run('DELETE FROM messages WHERE uid IN (SELECT value FROM json_each(?))', [named]);
      return { ...state, branches: new Set([...state.branches, ...holders]), done: state.done + uids.length };
    }
    for (const table of tables) {
      const { changes } = this.database.run(
        `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE session_id = ? LIMIT ?)`,
        [id, batchRows],
      );
      if (changes > 0) return state;
    }
    const left = state.left.slice(1);
    if (left.length === 0) {
      this.store.files.dropUnnamed('all');
      // All at once: a segment without the first segment of its conversation could not be opened.
      this.database.run('DELETE FROM sessions WHERE id IN (SELECT value FROM json_each(?))', [
        JSON.stringify(state.sessionIds),
      ]);
    }
    return { ...state, left };
  }

  get isScrubDue(): boolean {
    return this.store.meta.get(scrubDue) !== null;
  }

  /** True when a turn is running, which must not wait for the file to be rewritten. */
  get isTurnRunning(): boolean {
    return this.turns.running().length > 0;
  }

  /** True when the file is small enough to be rewritten: that happens in memory, which the worker never gives back. */
  get isRewritable(): boolean {
    const bytes = this.database.get('SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size')?.[
      'n'
    ];
    return typeof bytes === 'number' && bytes <= largestRewritten;
  }

  /** Schedules a rewrite of the file, at the next opening at the latest. Runs inside its caller's transaction. */
  scrubLater(): void {
    this.store.meta.set(scrubDue, 'yes');
  }

  /** Rewrites the file without the deleted rows, and empties the log. Must run outside any transaction; the index is
   *  already compact. */
  scrub(): void {
    if (this.isRewritable) this.database.execute('VACUUM');
    this.database.execute('PRAGMA wal_checkpoint(TRUNCATE)');
    this.store.meta.delete(scrubDue);
  }

  /** All segments, and the sub-agents' sessions below them, parents first. */
  belonging(conversationId: string): readonly string[] {
    return texts(
      this.database,
      `WITH RECURSIVE belonging (id) AS (
           SELECT id FROM sessions WHERE conversation_id = ?
           UNION SELECT s.id FROM belonging
           JOIN sessions s ON s.parent_session_id = belonging.id AND s.parent_kind IN ('delegate', 'compression')
         )
         SELECT id FROM belonging`,
      [conversationId],
    );
  }

  private openTurn(named: string): Turn | null {
    const row = this.database.get(
      "SELECT * FROM turns WHERE session_id IN (SELECT value FROM json_each(?)) AND state <> 'settled'",
      [named],
    );
    return row === undefined ? null : readTurnRow(row);
  }

  /** Sessions that hold copies of these rows and are not erased. */
  private holders(uids: string): readonly string[] {
    return texts(
      this.database,
      `SELECT DISTINCT c.session_id AS id FROM messages c JOIN sessions s ON s.id = c.session_id AND s.pending IS NULL
         WHERE c.copied_from IN (SELECT value FROM json_each(?))`,
      [uids],
    );
  }

  /** The conversations of these sessions, the oldest first. */
  private references(sessionIds: ReadonlySet<string>): readonly BranchReference[] {
    return this.database
      .all(
        `SELECT conversation_id AS id FROM sessions
         WHERE id IN (SELECT value FROM json_each(?)) AND pending IS NULL GROUP BY conversation_id
         ORDER BY min(started_at)`,
        [JSON.stringify([...sessionIds])],
      )
      .flatMap((row) => this.store.list.reference(readText(row, 'id', '')) ?? []);
  }

  /** Makes the oldest copy of a deleted row the new original. */
  private freeCopies(uids: string): void {
    const copies = `SELECT c.id, c.uid, c.copied_from FROM messages c
      JOIN sessions s ON s.id = c.session_id AND s.pending IS NOT 'erased'
      WHERE c.copied_from IN (SELECT value FROM json_each(?1))`;
    this.database.run(
      `UPDATE messages SET copied_from = nullif(heir.uid, messages.uid)
       FROM (SELECT copied_from AS original, uid, min(id) FROM (${copies}) GROUP BY copied_from) AS heir
       WHERE messages.id IN (SELECT id FROM (${copies})) AND messages.copied_from = heir.original`,
      [uids],
    );
  }

  /** Detaches branches of erased sessions. They stay branches, without a parent: code that reads their beginning
   *  depends on that. */
  private detachBranches(named: string): void {
    this.database.run(
      `UPDATE sessions SET parent_session_id = NULL, branched_from = NULL
       WHERE parent_kind = 'branch' AND parent_session_id IN (SELECT value FROM json_each(?1))
       AND id NOT IN (SELECT value FROM json_each(?1))`,
      [named],
    );
  }

  /** Keeps the ids of imported sessions, so that the next import does not bring them back. */
  private rememberImports(ids: readonly string[]): void {
    for (const id of ids)
      if (this.store.meta.get(importMarkKey(id)) !== null) this.store.meta.set(erasedImportKey(id), '');
  }

  /** Deletes drafts and small values that belong to a session: their key ends in its id. */
  private deleteSmallValues(named: string): void {
    this.database.run('DELETE FROM drafts WHERE key IN (SELECT value FROM json_each(?))', [named]);
    for (const table of ['drafts', 'state_meta'])
      this.database.run(
        `DELETE FROM ${table} WHERE EXISTS (SELECT 1 FROM json_each(?) s
           WHERE substr(${table}.key, -length(s.value) - 1) IN ('/' || s.value, ':' || s.value, '.' || s.value))`,
        [named],
      );
  }
}
