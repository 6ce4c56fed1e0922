import { describe, expect, it } from 'vitest';
import {
  type DescriptionServer,
  KeyDescription,
  createCipher,
  describeKey,
  openCipher,
} from '../../../../../../src/features/sync/core/encryption/cipherDescription';
import { Cipher } from '../../../../../../src/features/sync/core/encryption/cipher';
import { encryptedServer } from '../../../../../../src/features/sync/core/encryption/encryptedServer';
import { compressedServer } from '../../../../../../src/features/sync/core/compressedServer';
import type { SyncServer } from '../../../../../../src/features/sync/core/syncServer';
import { answered, sessionDbWorld, type SessionDbWorld } from '../../../../../support/sessionDbWorld';
import { SimulatedNetwork, SimulatedServer } from '../../../../../support/simulatedServer';
import { roundOf } from '../../../../../support/syncRound';

const cost = { n: 16, r: 1, p: 1 };
const problem = (kind: string) => ({ problem: { kind } });

/** A server that keeps one description. */
function held(description: string | null): DescriptionServer & { description: string | null } {
  return {
    description,
    async sealDescription() {
      return this.description;
    },
    async keepSeal(text) {
      return (this.description ??= text);
    },
    async changeSeal(before, text) {
      if (this.description !== before) return false;
      this.description = text;
      return true;
    },
  };
}

function machine(key: Uint8Array<ArrayBuffer>, server: DescriptionServer, known: string | null) {
  const own = { known };
  const description = new KeyDescription({
    key,
    server,
    known: async () => own.known,
    keep: async (text) => void (own.known = text),
  });
  return { own, agree: () => description.agree() };
}

describe('the description of a key', () => {
  it('is written again by a machine that has it, and kept by one that only has the key', async () => {
    const { key, description } = await createCipher('words', cost);
    const server = held(null);
    const [fresh, other] = [machine(key, server, null), machine(key, server, description)];
    expect([await fresh.agree(), await other.agree(), server.description]).toEqual([null, description, description]);
    await fresh.agree();
    expect(fresh.own.known).toBe(description);
  });

  it('is the newest one everywhere, and the key stays valid on a machine that was away', async () => {
    const { key, description } = await createCipher('old', cost);
    const newer = await describeKey(key, 'new', { cost, order: 1 });
    const server = held(newer);
    const away = machine(key, server, description);
    await away.agree();
    expect([away.own.known, await openCipher(newer, 'new')]).toEqual([newer, key]);
    // A backup of the server was restored.
    server.description = description;
    await away.agree();
    expect(server.description).toBe(newer);
  });

  it('is changed by one of two machines that change it at once', async () => {
    const { key, description } = await createCipher('old', cost);
    const server = held(description);
    const changes = await Promise.all(['one', 'two'].map((word) => describeKey(key, word, { cost, order: 1 })));
    const done = await Promise.all(changes.map((text) => server.changeSeal(description, text)));
    const [a, b] = [machine(key, server, changes[0] ?? null), machine(key, server, description)];
    await a.agree();
    await b.agree();
    expect([done, a.own.known, b.own.known]).toEqual([[true, false], changes[0], changes[0]]);
  });

  it('of another key, which a server put in its place, is refused, and stays out of this machine', async () => {
    const { key, description } = await createCipher('words', cost);
    const server = held((await createCipher('words', cost)).description);
    for (const known of [null, description]) {
      const own = machine(key, server, known);
      await expect(own.agree()).rejects.toMatchObject(problem('otherKey'));
      expect(own.own.known).toBe(known);
    }
    server.description = '{"version":1}';
    await expect(machine(key, server, description).agree()).rejects.toMatchObject(problem('otherKey'));
  });
});

describe('an encrypted history', () => {
  async function storeWith(id: string): Promise<SessionDbWorld> {
    const world = await sessionDbWorld();
    world.db.createSession({ id, startedAt: 1 });
    answered(world.db, `t-${id}`, 'Words of mine.', { sessionId: id });
    world.db.synced.begin();
    while (world.db.synced.noteMore());
    return world;
  }
  const bodiesOf = (server: SimulatedServer): readonly string[] =>
    [...server.conversations.values()].flatMap(({ documents }) =>
      [...documents.values()].flatMap(({ body }) => body ?? []),
    );

  it('gets nothing from a machine without its key, which says what to do', async () => {
    const server = new SimulatedServer();
    const way = (): SyncServer => new SimulatedNetwork(server, () => 'done').wayOf();
    const cipher = new Cipher(new Uint8Array(32).fill(7), 'h');
    await roundOf((await storeWith('s1')).db, encryptedServer(way(), cipher), 'a').run();
    const before = bodiesOf(server);
    const plain = await storeWith('s2');
    await expect(roundOf(plain.db, compressedServer(way()), 'b').run()).rejects.toMatchObject({ kind: 'key' });
    expect([bodiesOf(server), before.length > 0]).toEqual([before, true]);
    expect(plain.db.synced.pending()).toEqual(['s2']);
  });

  it('gets nothing while the server has a description of another key', async () => {
    const server = new SimulatedServer();
    const cipher = new Cipher(new Uint8Array(32).fill(7), 'h');
    const description = machine(cipher.key, held((await createCipher('words', cost)).description), null);
    const way = encryptedServer(new SimulatedNetwork(server, () => 'done').wayOf(), cipher, description);
    await expect(roundOf((await storeWith('s1')).db, way, 'a').run()).rejects.toMatchObject(problem('otherKey'));
    expect(bodiesOf(server)).toEqual([]);
  });
});
