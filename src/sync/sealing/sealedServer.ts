import type { SentDocument } from '../../store/syncing';
import type { SyncServer } from '../syncServer';
import type { Seal } from './seal';

/** Sealed for a document without rows: earlier builds read it as one without rows too. */
const removed = '{}';

/** A server that receives and holds only encrypted bodies. Names of documents and conversations stay readable. That a
 *  document was removed is sealed as well: a server cannot remove one by leaving out its body, nor can an earlier build
 *  of this product, which sent none; its rows stay here. */
export function sealedServer(server: SyncServer, seal: Seal): SyncServer {
  return {
    connect: (...args) => server.connect(...args),
    news: (...args) => server.news(...args),
    summary: (...args) => server.summary(...args),
    fetch: async (connection, query) => {
      const { conversationId } = query;
      const { documents, ...rest } = await server.fetch(connection, query);
      const asked = new Set(query.documents);
      const opened = documents
        .filter(({ document, body }) => body !== null || asked.has(document))
        .map(async ({ document, version, body }) => {
          // As if the server never had it, whatever it says.
          if (body === null) return { document, version: 0, body };
          const text = await seal.open(body, { document, version, conversationId });
          return { document, version, body: text === removed ? null : text };
        });
      return { ...rest, documents: await Promise.all(opened) };
    },
    send: (connection, sending) => {
      const { conversationId, base } = sending;
      // The server counts on by one from the version that the changes were made to.
      const sealed = async ({ document, body }: SentDocument): Promise<SentDocument> => ({
        document,
        body: await seal.seal(body ?? removed, { conversationId, document, version: base + 1 }),
      });
      return server.send(connection, {
        ...sending,
        documents: async function* () {
          for await (const piece of sending.documents()) yield await Promise.all(piece.map(sealed));
        },
      });
    },
    lastSent: (...args) => server.lastSent(...args),
    lease: (...args) => server.lease(...args),
    renew: (...args) => server.renew(...args),
    release: (...args) => server.release(...args),
    erase: (...args) => server.erase(...args),
    confirmErased: (...args) => server.confirmErased(...args),
    overview: () => server.overview(),
  };
}
