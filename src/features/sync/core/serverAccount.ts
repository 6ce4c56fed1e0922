import * as v from 'valibot';
import type { AsyncSyncedStore } from '../../../store/syncing';
import type { ServerAccount } from '../../../transcript/verification';
import { fetchWhole, type Connection, type SyncServer } from './syncServer';

const rows = v.array(v.object({ uid: v.string(), role: v.string(), parts: v.nullable(v.string()) }));
const bodySchema = v.pipe(v.string(), v.parseJson(), v.object({ messages: v.optional(rows, []) }));
/** Documents that are read from the store in one call. */
const atOnce = 200;

/** Compares the messages of a conversation with those on the server, document by document. `connection`: how this
 *  machine is known there. Null while a turn is open: what is on the server is the conversation between two turns. */
export async function serverAccount(
  store: AsyncSyncedStore,
  server: Pick<SyncServer, 'fetch'>,
  connection: Connection,
  conversationId: string,
): Promise<ServerAccount | null> {
  const waiting = new Set(await store.changed(conversationId));
  const query = { conversationId, since: 0, chain: [], documents: [], isWhole: true };
  const fetched = await fetchWhole(server, connection, query);
  const there = new Map(
    fetched.documents.filter(({ document }) => isTranscript(document)).map((one) => [one.document, one.body]),
  );
  const here = await store.transcriptDocuments(conversationId);
  const different: string[] = [];
  let same = 0;
  for (let next = 0; next < here.length; next += atOnce) {
    const bodies = await store.bodies(conversationId, here.slice(next, next + atOnce));
    if (bodies === null) return null;
    for (const { document, body } of bodies) {
      if (waiting.has(document)) continue;
      const own = messagesOf(body);
      if (own !== null && own === messagesOf(there.get(document) ?? null)) same++;
      else different.push(document);
    }
  }
  const known = new Set(here);
  const surplus = [...there].flatMap(([document, body]) =>
    body === null || known.has(document) || waiting.has(document) ? [] : [document],
  );
  return {
    same,
    waiting: [...waiting].filter(isTranscript).length,
    different: [...different, ...surplus],
    unread: null,
  };
}

function isTranscript(document: string): boolean {
  return document.startsWith('turn/') || document.startsWith('message/');
}

/** Uid, role and content of each message, as text that can be compared. Null for what cannot be read. A turn without
 *  messages has an empty list. */
function messagesOf(body: string | null): string | null {
  if (body === null) return null;
  const parsed = v.safeParse(bodySchema, body);
  if (!parsed.success) return null;
  const messages = parsed.output.messages.map(({ uid, role, parts }) => [uid, role, parts]);
  return JSON.stringify(messages.sort(([one = ''], [other = '']) => ((one ?? '') < (other ?? '') ? -1 : 1)));
}
