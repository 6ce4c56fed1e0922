import { schemaVersion } from '../../schema/migrations';
import type { SentDocument, ServerDocument } from '../../syncing';
import { insertRow, readNumber, readText, hasRow, texts, textIn } from '../tables/columns';
import { StorePart } from '../tables/storePart';

/** Writes a body with the version of the store that wrote it, which is the first thing in it. */
export function bodyText(body: object): string {
  return JSON.stringify({ store: schemaVersion, ...body });
}

/** Version of the store that wrote a body; 0 for a build that did not say it. */
function storeOf(body: string | null): number {
  return Number(/^\{"store":(\d{1,9})[,}]/.exec(body ?? '')?.[1] ?? 0);
}

/** The newest of them. */
export function newestStore(documents: readonly SentDocument[]): number {
  return documents.reduce((newest, { body }) => Math.max(newest, storeOf(body)), 0);
}

/** Conversations that a newer build continued on another machine (`sync_newer`), and their bodies as they came
 *  (`sync_bodies`): this build's columns do not hold all of them. Nothing of these conversations is sent, and triggers
 *  refuse what would change their transcripts. Every method runs inside its caller's transaction. */
export class NewerBodies extends StorePart {
  has(conversationId: string): boolean {
    return hasRow(this.database, 'SELECT 1 AS n FROM sync_newer WHERE conversation_id = ?', [conversationId]);
  }

  all(): readonly string[] {
    return texts(this.database, 'SELECT conversation_id FROM sync_newer ORDER BY conversation_id');
  }

  /** A conversation that this build can read by now; null for none. */
  readable(): string | null {
    return textIn(
      this.database,
      `SELECT conversation_id FROM sync_newer n WHERE store <= ? AND NOT EXISTS
         (SELECT 1 FROM sessions s WHERE s.conversation_id = n.conversation_id AND s.pending IS NOT NULL) LIMIT 1`,
      [schemaVersion],
    );
  }

  /** Refuses changes of the transcript from now on. `store`: the version that can read all of it. */
  hold(conversationId: string, store: number): void {
    this.database.run('INSERT OR REPLACE INTO sync_newer (conversation_id, store) VALUES (?, ?)', [
      conversationId,
      store,
    ]);
  }

  /** Keeps the newer ones of these bodies, whose known columns were written. `lost`: given when the server has no other
   *  documents. Those that it lost are here only: their bodies stay. */
  keep(conversationId: string, documents: readonly ServerDocument[], lost: ReadonlySet<string> | null): void {
    this.release(conversationId);
    if (lost !== null)
      this.database.run(
        'DELETE FROM sync_bodies WHERE conversation_id = ? AND document NOT IN (SELECT value FROM json_each(?))',
        [conversationId, JSON.stringify([...lost])],
      );
    for (const { document, version, body } of documents) {
      if (version === 0) continue;
      this.database.run('DELETE FROM sync_bodies WHERE conversation_id = ? AND document = ?', [
        conversationId,
        document,
      ]);
      const store = storeOf(body);
      if (store > schemaVersion)
        insertRow(this.database, 'sync_bodies', { conversation_id: conversationId, document, store, body });
    }
    const newest = this.database.get('SELECT max(store) AS n FROM sync_bodies WHERE conversation_id = ?', [
      conversationId,
    ]);
    const store = readNumber(newest ?? {}, 'n', null);
    if (store !== null) this.hold(conversationId, store);
  }

  bodies(conversationId: string): readonly SentDocument[] {
    return this.database
      .all('SELECT document, body FROM sync_bodies WHERE conversation_id = ?', [conversationId])
      .map((row) => ({ document: readText(row, 'document', ''), body: readText(row, 'body', null) }));
  }

  /** The transcript may be changed again. */
  release(conversationId: string): void {
    this.database.run('DELETE FROM sync_newer WHERE conversation_id = ?', [conversationId]);
  }

  drop(conversationId: string): void {
    this.release(conversationId);
    this.database.run('DELETE FROM sync_bodies WHERE conversation_id = ?', [conversationId]);
  }
}
