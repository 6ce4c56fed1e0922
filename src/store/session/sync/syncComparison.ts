import { parsedJson } from '../../../transcript/json';
import type { SqlDatabase } from '../../engine/sqlDatabase';
import type { ServerDocument } from '../../syncing';
import { texts } from '../tables/columns';
import { kindOf, receivedRows, type SyncDocuments } from './syncDocuments';
import { noteConversation } from './syncTables';

interface ComparedConversation {
  readonly conversationId: string;
  /** The newest version that both went through. */
  readonly base: number;
  /** Everything that the server has of it. */
  readonly documents: readonly ServerDocument[];
}

/** Notes as changed what the server lacks, or has as it was before. Called when the server has lost the version that
 *  the stored rows are of, and may have continued from an earlier one. Returns the documents that are the same in both,
 *  which are not changed. Runs inside its caller's transaction. */
export function noteDifferences(
  database: SqlDatabase,
  documents: SyncDocuments,
  { conversationId, base, documents: there }: ComparedConversation,
): ReadonlySet<string> {
  const changedBefore = new Set(namesIn(database, conversationId));
  noteConversation(database, conversationId);
  const here = namesIn(database, conversationId);
  const bodies = new Map(documents.read(conversationId, here).map(({ document, body }) => [document, body]));
  const same = new Set<string>();
  const unchanged: string[] = [];
  for (const { document, version, body } of there) {
    const own = bodies.get(document) ?? null;
    if (ordered(own) === ordered(received(document, body))) {
      same.add(document);
      unchanged.push(document);
    } else if (version > base) {
      // Its text is written once. What is marked in it later gives way to the other machine's marks.
      const isOlder = !changedBefore.has(document) && !hasMore(documents, conversationId, document, body);
      if (isOlder) unchanged.push(document);
    } else if (own === null)
      database.run('INSERT OR IGNORE INTO sync_changes (document, conversation_id) VALUES (?, ?)', [
        document,
        conversationId,
      ]);
  }
  noteUnchanged(database, conversationId, unchanged);
  return same;
}

/** Takes back what is noted as changed and is the same on the server, in a newer version: a sending that was given up
 *  arrived all the same, or a copy of this store sent it. Returns these documents. Runs inside its caller's
 *  transaction. */
export function noteSame(
  database: SqlDatabase,
  documents: SyncDocuments,
  { conversationId, base, documents: there }: ComparedConversation,
): ReadonlySet<string> {
  const changed = new Set(namesIn(database, conversationId));
  const newer = there.filter(({ document, version }) => version > base && changed.has(document));
  const own = documents.read(
    conversationId,
    newer.map(({ document }) => document),
  );
  const same = newer.flatMap(({ document, body }, at) =>
    ordered(own[at]?.body ?? null) === ordered(received(document, body)) ? [document] : [],
  );
  noteUnchanged(database, conversationId, same);
  return new Set(same);
}

function noteUnchanged(database: SqlDatabase, conversationId: string, names: readonly string[]): void {
  database.run(
    'DELETE FROM sync_changes WHERE conversation_id = ?1 AND document IN (SELECT value FROM json_each(?2))',
    [conversationId, JSON.stringify(names)],
  );
}

function namesIn(database: SqlDatabase, conversationId: string): readonly string[] {
  return texts(database, 'SELECT document FROM sync_changes WHERE conversation_id = ?', [conversationId]);
}

function hasMore(documents: SyncDocuments, conversationId: string, document: string, other: string | null): boolean {
  const kind = kindOf(document);
  return (kind === 'turn' || kind === 'message') && documents.hasMore(conversationId, document, other);
}

/** A body from the server as this store would send it; null as well for one that cannot be read. */
function received(document: string, body: string | null): string | null {
  if (body === null) return null;
  try {
    return JSON.stringify(receivedRows(document, body));
  } catch {
    return null;
  }
}

/** A body as text that is the same for the same content, whatever wrote it, and whichever version of it. */
function ordered(body: string | null): string | null {
  return body === null ? null : JSON.stringify(sorted(parsedJson(body)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([key, of]) => key !== 'store' && !(Array.isArray(of) && of.length === 0),
  );
  return Object.fromEntries(
    entries.sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, of]) => [key, sorted(of)]),
  );
}
