import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { compressedServer } from '../../../../../src/features/sync/core/compressedServer';
import { fetchWhole, type SyncServer } from '../../../../../src/features/sync/core/syncServer';
import { SimulatedNetwork, SimulatedServer } from '../../../../support/simulatedServer';
import { first, pieces, syncContract } from '../../../../support/syncContract';

const wayTo = (held: SimulatedServer): SyncServer => new SimulatedNetwork(held, () => 'done').wayOf();

syncContract(() => {
  const held = new SimulatedServer();
  return Promise.resolve(() => compressedServer(wayTo(held)));
});

describe('a server with compressed bodies', () => {
  const words = (count: number): string =>
    JSON.stringify(Array.from({ length: count }, (_, n) => `word ${n % 97} ü 🍎`));
  /** Sends bodies through one way, and returns them as another one fetches them. */
  const exchanged = async (
    bodies: readonly (string | null)[],
    from: (server: SyncServer) => SyncServer,
    to: (server: SyncServer) => SyncServer,
  ): Promise<readonly (string | null)[]> => {
    const held = new SimulatedServer();
    const [sender, reader] = [from(wayTo(held)), to(wayTo(held))];
    const documents = bodies.map((body, n) => ({ document: `turn/${n}`, body }));
    await sender.send(await sender.connect('a', 'A'), {
      conversationId: 'c',
      ...first,
      fence: null,
      documents: pieces(...documents),
    });
    const query = { conversationId: 'c', since: 0, chain: [], documents: documents.map(({ document }) => document) };
    const fetched = await fetchWhole(reader, await reader.connect('b', 'B'), query);
    const found = new Map(fetched.documents.map(({ document, body }) => [document, body]));
    return documents.map(({ document }) => found.get(document) ?? null);
  };
  const plain = (server: SyncServer): SyncServer => server;
  const bodies = ['{}', null, words(10), words(1000), words(100_000), '{"text":"\u0000\uFEFF"}'];

  it('returns each body as it was sent, short, long or none', async () => {
    expect(await exchanged(bodies, compressedServer, compressedServer)).toEqual(bodies);
  });

  it('reads bodies that are not compressed', async () => {
    expect(await exchanged(bodies, plain, compressedServer)).toEqual(bodies);
  });

  it('holds long bodies in less than a quarter of their length', async () => {
    const sent = ['{}', words(1000), words(100_000)];
    const held = await exchanged(sent, compressedServer, plain);
    expect(held.map((body, n) => (body ?? '').length < (sent[n] ?? '').length / 4)).toEqual([false, true, true]);
  });

  it('hands over a damaged body as it is, and one that would fill the memory', async () => {
    const bomb = `deflate:${deflateRawSync(Buffer.alloc(2 ** 28 + 1)).toString('base64')}`;
    const damaged = ['deflate:', 'deflate:AAAA', 'deflate:no such text', bomb];
    expect(await exchanged(damaged, plain, compressedServer)).toEqual(damaged);
  });
});
