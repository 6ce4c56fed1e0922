import type { SentDocument } from '../../store/syncing';
import type { SyncServer } from '../syncServer';
import type { Seal } from './seal';

/** A server that receives and holds only encrypted bodies. Names of documents and conversations stay readable. */
export function sealedServer(server: SyncServer, seal: Seal): SyncServer {
  return {
    connect: (...args) => server.connect(...args),
    news: (...args) => server.news(...args),
    summary: (...args) => server.summary(...args),
    fetch: async (connection, query) => {
      const { conversationId } = query;
      const { documents, ...rest } = await server.fetch(connection, query);
      const opened = documents.map(async ({ body, ...one }) => ({
        ...one,
        body: body === null ? null : await seal.open(body, { ...one, conversationId }),
      }));
      return { ...rest, documents: await Promise.all(opened) };
    },
    send: (connection, sending) => {
      const { conversationId, base } = sending;
      // The server counts on by one from the version that the changes were made to.
      const sealed = async ({ document, body }: SentDocument): Promise<SentDocument> => ({
        document,
        body: body === null ? null : await seal.seal(body, { conversationId, document, version: base + 1 }),
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
