import type { SentDocument, ChainedVersion } from '../../../../store/syncing';
import {
  erasedDocument,
  whenThere,
  withFetched,
  type Fetched,
  type FetchQuery,
  type SyncServer,
  type MadeVersion,
} from '../syncServer';
import type { Cipher } from './cipher';
import type { KeyDescription } from './cipherDescription';
import type { SharedTurns } from '../turnSharing';
import { createHash, createHmac } from 'node:crypto';
import { EncryptionError } from './encryptionError';

/** What is sealed for a document without rows. Builds that sent none for it read this as no rows too. */
const removed = '{}';
/** Where it is sealed that a conversation was forgotten. It has no version: it stays forgotten. */
const forgotten = (conversationId: string) => ({ conversationId, document: erasedDocument, version: 0 });

/** A server that receives and holds only encrypted bodies. Names of documents and conversations stay readable. That a
 *  document was removed, that a conversation was forgotten, and the order of versions are sealed as well. Without a
 *  proof a document counts as one that the server does not know, and its rows stay here; an earlier build made none. */
export function encryptedServer(
  server: SyncServer,
  cipher: Cipher,
  description?: Pick<KeyDescription, 'agree'>,
): SyncServer {
  let agreed: string | null = null;
  const versions = new VersionCipher(cipher.key, cipher.historyKey);
  const opened = async (query: FetchQuery, { documents, ...rest }: Fetched): Promise<Fetched> => {
    const { conversationId } = query;
    if (rest.isErased) {
      const proof = await proofOf(cipher, conversationId, documents);
      return { ...rest, documents: proof, isProven: proof.length > 0 };
    }
    versions.check(query, rest.base, rest.chain);
    const asked = new Set(query.documents);
    const open = documents
      .filter(({ document, body }) => body !== null || asked.has(document))
      .map(async ({ document, version, body }) => {
        // As if the server never had it, whatever it says.
        if (body === null) return { document, version: 0, body };
        const text = await cipher.open(body, { document, version, conversationId });
        return { document, version, body: text === removed ? null : text };
      });
    const refused = documents.flatMap(({ document, version, body }) =>
      body === null && version > 0 ? [document] : [],
    );
    return { ...rest, documents: await Promise.all(open), isProven: true, refused };
  };
  return {
    connect: async (...args) => {
      const connection = await server.connect(...args);
      agreed = (await description?.agree()) ?? null;
      return connection;
    },
    news: (...args) => server.news(...args),
    tailOf: (made) => versions.tailOf(made),
    fetch: async (connection, query) =>
      whenThere(await server.fetch(connection, query), (fetched) => opened(query, fetched)),
    send: (connection, sending) => {
      const { conversationId, base } = sending;
      // The server counts on by one from the version that the changes were made to.
      const sealed = async ({ document, body, change }: SentDocument): Promise<SentDocument> => ({
        document,
        change,
        body: await cipher.encrypt(body ?? removed, { conversationId, document, version: base + 1 }),
      });
      return server.send(connection, {
        ...sending,
        sealedWith: agreed,
        documents: async function* (known) {
          for await (const piece of sending.documents(known)) yield await Promise.all(piece.map(sealed));
        },
      });
    },
    versionOf: (...args) => server.versionOf(...args),
    lease: async (connection, conversationId, query) => {
      const answer = await server.lease(connection, conversationId, query);
      return query === undefined ? answer : withFetched(answer, (fetched) => opened(query, fetched));
    },
    renew: (...args) => server.renew(...args),
    release: (...args) => server.release(...args),
    erase: async (connection, { conversationId, known = removed }) =>
      server.erase(connection, { conversationId, proof: await cipher.encrypt(known, forgotten(conversationId)) }),
    confirmErased: (...args) => server.confirmErased(...args),
    overview: () => server.overview(),
  };
}

/** The document that proves that it was forgotten, opened; none without it. */
async function proofOf(
  cipher: Cipher,
  conversationId: string,
  documents: Fetched['documents'],
): Promise<Fetched['documents']> {
  const proof = documents.find(({ document }) => document === erasedDocument);
  if (proof === undefined || proof.body === null) return [];
  return cipher.open(proof.body, forgotten(conversationId)).then(
    (body) => [{ ...proof, body }],
    () => [],
  );
}

/** Name under which what a turn shows is encrypted; no document has it. */
const watched = 'watched';

/** Running turns of which the server sees only that they run. */
export function encryptedTurns(turns: SharedTurns, cipher: Cipher): SharedTurns {
  return {
    wishes: (...args) => turns.wishes(...args),
    show: async (conversationId, fence, body) =>
      turns.show(
        conversationId,
        fence,
        await cipher.encrypt(body, { conversationId, document: watched, version: fence }),
      ),
    end: (...args) => turns.end(...args),
    watch: async (conversationId) => {
      const turn = await turns.watch(conversationId);
      if (turn === null || turn.body === null) return turn;
      return {
        ...turn,
        body: await cipher.open(turn.body, { conversationId, document: watched, version: turn.fence }),
      };
    },
    askToStop: (...args) => turns.askToStop(...args),
  };
}

/** Characters of a hash of the tail before, and of the proof. */
const linkLength = 8;
const proofLength = 22;

/** Makes and checks the tails of an encrypted history: `random.link.proof`. The proof binds the random text to its
 *  conversation and version, and to the version before. A tail without these is one of an earlier build. */
class VersionCipher {
  private readonly key: Buffer;

  constructor(
    key: Uint8Array,
    private readonly historyKey: string,
  ) {
    this.key = createHmac('sha256', key).update('order of versions').digest();
  }

  tailOf({ conversationId, base, baseTail, random }: MadeVersion): string {
    const link = linkTo(baseTail);
    return [random, link, this.proof(conversationId, base + 1, random, link)].join('.');
  }

  /** Throws an `EncryptionError` when no machine of this history made one of these versions in this order. `chain`:
   *  what the server says after the version `base`, the newest first. */
  check({ conversationId, chain: known }: FetchQuery, base: number, chain: readonly ChainedVersion[]): void {
    const shared = known.filter(({ version }) => version <= base);
    const tails = new Map([...shared, ...chain].map(({ version, tail }) => [version, tail]));
    for (const { version, tail } of chain) {
      const [random = '', link, proof] = tail.split('.');
      if (link === undefined) continue;
      const before = version === 1 ? null : tails.get(version - 1);
      const isLinked = before === undefined || link === linkTo(before);
      if (!isLinked || proof !== this.proof(conversationId, version, random, link))
        throw new EncryptionError({ kind: 'damagedRow', conversationId, document: `version ${version}` });
    }
  }

  private proof(conversationId: string, version: number, random: string, link: string): string {
    const about = JSON.stringify([this.historyKey, conversationId, version, random, link]);
    return createHmac('sha256', this.key).update(about).digest('base64url').slice(0, proofLength);
  }
}

function linkTo(tail: string | null): string {
  return createHash('sha256')
    .update(tail ?? '')
    .digest('base64url')
    .slice(0, linkLength);
}
