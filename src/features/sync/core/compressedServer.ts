import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync, type InputType, type ZlibOptions } from 'node:zlib';
import type { SentDocument } from '../../../store/syncing';
import { needsKey } from './syncFailure';
import { longestBody, sealedBody, whenThere, withFetched, type Fetched, type SyncServer } from './syncServer';

const prefix = 'deflate:';
/** Characters below which a body is not compressed. */
const shortBody = 400;
/** Characters from which a body is compressed in another thread: below, the way there takes longer than the work. */
const bodyForThread = 1_000_000;

type Method = (bytes: InputType, options: ZlibOptions) => Buffer;
type LongMethod = (bytes: InputType, options: ZlibOptions) => Promise<Buffer>;
// A higher level takes three times as long and saves a tenth.
const deflate = { now: deflateRawSync, later: promisify(deflateRaw), options: { level: 1 } };
const inflate = { now: inflateRawSync, later: promisify(inflateRaw), options: { maxOutputLength: longestBody } };

/** A server that receives and holds compressed bodies: it would take many times as long to compress them. Reads those
 *  that are not compressed, too. One that is damaged stays as it is, for the reader to refuse. Throws `needsKey` for
 *  one that is encrypted. */
export function compressedServer(server: SyncServer): SyncServer {
  const prepared = new WeakMap<SentDocument, Promise<SentDocument>>();
  const pack = (one: SentDocument): Promise<SentDocument> => prepared.get(one) ?? withBody(one, packed);
  const opened = async (fetched: Fetched): Promise<Fetched> => ({
    ...fetched,
    documents: await Promise.all(fetched.documents.map((one) => withBody(one, unpacked))),
  });
  return {
    connect: (...args) => server.connect(...args),
    news: (...args) => server.news(...args),
    fetch: async (...args) => whenThere(await server.fetch(...args), opened),
    prepareDocuments: (documents) => {
      for (const one of documents) prepared.set(one, pack(one));
    },
    send: (connection, sending) =>
      server.send(connection, {
        ...sending,
        documents: async function* (known) {
          for await (const piece of sending.documents(known)) yield await Promise.all(piece.map(pack));
        },
      }),
    versionOf: (...args) => server.versionOf(...args),
    lease: async (...args) => withFetched(await server.lease(...args), opened),
    renew: (...args) => server.renew(...args),
    release: (...args) => server.release(...args),
    erase: (...args) => server.erase(...args),
    confirmErased: (...args) => server.confirmErased(...args),
    overview: () => server.overview(),
  };
}

async function withBody<T extends { readonly body: string | null }>(
  one: T,
  change: (body: string) => Promise<string>,
): Promise<T> {
  return one.body === null ? one : { ...one, body: await change(one.body) };
}

async function packed(body: string): Promise<string> {
  if (body.length < shortBody) return body;
  const bytes = await worked(Buffer.from(body), deflate);
  const text = prefix + bytes.toString('base64');
  return text.length < body.length ? text : body;
}

async function unpacked(body: string): Promise<string> {
  if (sealedBody.test(body)) throw needsKey('an encrypted body');
  if (!body.startsWith(prefix)) return body;
  try {
    return (await worked(Buffer.from(body.slice(prefix.length), 'base64'), inflate)).toString();
  } catch {
    return body;
  }
}

async function worked(
  bytes: Buffer,
  { now, later, options }: { readonly now: Method; readonly later: LongMethod; readonly options: ZlibOptions },
): Promise<Buffer> {
  return bytes.length < bodyForThread ? now(bytes, options) : later(bytes, options);
}
