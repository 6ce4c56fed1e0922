import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PostgresServer } from '../../src/features/sync/core/postgres/postgresServer';
import { KeyDescription, createCipher, describeKey } from '../../src/features/sync/core/encryption/cipherDescription';
import { Cipher } from '../../src/features/sync/core/encryption/cipher';
import { encryptedServer } from '../../src/features/sync/core/encryption/encryptedServer';
import { seededRandom } from '../support/seededRandom';
import { PostgresWorld } from '../support/postgres/postgresWorld';
import {
  answer,
  answered,
  complete,
  lines,
  openTurn,
  result,
  sessionDbWorld,
  settle,
  type SessionDbWorld,
} from '../support/sessionDbWorld';
import { roundOf } from '../support/syncRound';

let world: PostgresWorld;
beforeAll(async () => {
  world = await PostgresWorld.start();
});
afterAll(() => world.close());

const cheap = { n: 16, r: 1, p: 1 };
const sessions = 40;

/** Words that stand nowhere else. */
function wordMaker(seed: number): { readonly words: string[]; next(): string } {
  const random = seededRandom(seed);
  const words: string[] = [];
  const syllables = ['zor', 'quil', 'vax', 'prem', 'dulk', 'ytta', 'glomb', 'feep'];
  return {
    words,
    next: () => {
      const word = Array.from({ length: 4 }, () => syllables[Math.floor(random() * syllables.length)]).join('');
      words.push(word);
      return word;
    },
  };
}

/** A machine with sessions whose title, prompts, calls, results, answers and folders are made of these words. */
async function writing(next: () => string): Promise<SessionDbWorld> {
  const { db, ...rest } = await sessionDbWorld();
  db.synced.begin();
  for (let n = 0; n < sessions; n++) {
    const sessionId = `session-${n}`;
    db.createSession({ id: sessionId, startedAt: 1, title: `${next()} ${next()}`, folder: `file:///home/${next()}` });
    for (const turn of [0, 1, 2]) {
      const turnUid = `turn-${n}-${turn}`;
      openTurn(db, { sessionId, turnUid, text: `${next()} ${next()}?` });
      const call = {
        kind: 'toolCall',
        callId: `call-${turnUid}`,
        name: 'read_file',
        arguments: JSON.stringify({ path: `${next()}/${next()}.ts` }),
      } as const;
      settle(db, turnUid, complete, [
        answer(`a-${turnUid}-1`, [{ kind: 'text', text: next() }, call], turnUid, sessionId),
        { ...result(`r-${turnUid}`, call.callId, `${next()} `.repeat(50), turnUid), sessionId },
        answer(`a-${turnUid}-2`, `${next()} ${next()}.`, turnUid, sessionId),
      ]);
    }
  }
  return { db, ...rest };
}

/** Every row of every table, as text. */
async function dump(database: string): Promise<string> {
  const tables = await world.run(database, "SELECT tablename FROM pg_tables WHERE schemaname = 'hermes_sync'");
  const all: string[] = [];
  for (const { tablename } of tables) {
    const rows = await world.run(database, `SELECT t::text AS row FROM hermes_sync."${String(tablename)}" t`);
    all.push(...rows.map(({ row }) => String(row)));
  }
  return all.join('\n');
}

/** Words that can be found as they are, in hexadecimal or in Base64. */
function wordsIn(text: string, words: readonly string[]): readonly string[] {
  return words.filter((word) => {
    const forms = [0, 1, 2].map((shift) => {
      const whole = Buffer.from('.'.repeat(shift) + word).toString('base64url');
      // The first and the last character depend on what stands beside the word.
      return whole.slice(shift === 0 ? 0 : shift + 1, -2);
    });
    return [word, Buffer.from(word).toString('hex'), ...forms].some((form) => text.includes(form));
  });
}

async function sealed() {
  const database = await world.database();
  const address = world.address(database);
  const { key, description } = await createCipher('a passphrase', cheap);
  const client = world.client(address);
  await client.keepSeal(description);
  const { words, next } = wordMaker(7);
  const laptop = await writing(next);
  await roundOf(laptop.db, encryptedServer(client, new Cipher(key, 'h')), 'laptop').run();
  return { database, address, key, words, laptop };
}

describe('an encrypted history', () => {
  it('leaves no word of any session in any table, and is read by another machine', async () => {
    const { database, address, key, words, laptop } = await sealed();
    const text = await dump(database);
    expect([words.length > 1000, text.includes('hermes1:'), wordsIn(text, words)]).toEqual([true, true, []]);
    const desk = await sessionDbWorld();
    desk.db.synced.begin();
    await roundOf(desk.db, encryptedServer(world.client(address), new Cipher(key, 'h')), 'desk').run();
    for (let n = 0; n < sessions; n++) expect(lines(desk.db, `session-${n}`)).toEqual(lines(laptop.db, `session-${n}`));
  });

  it('would be found by this search if it were not encrypted', async () => {
    const database = await world.database();
    const { words, next } = wordMaker(7);
    await roundOf((await writing(next)).db, world.client(world.address(database)), 'laptop').run();
    expect(wordsIn(await dump(database), words)).toEqual(words);
    expect(wordsIn(Buffer.from(`.${words[0] ?? ''}.`).toString('base64url'), words.slice(0, 1))).toHaveLength(1);
  });

  const turn = "document LIKE 'turn/turn-1-%'";
  it.each([
    [
      'one changed character',
      `UPDATE hermes_sync.bodies SET body = overlay(body placing '-' from 40 for 1) WHERE ${turn}`,
    ],
    [
      'the text of another place',
      `UPDATE hermes_sync.bodies SET body = (SELECT body FROM hermes_sync.bodies WHERE document = 'turn/turn-2-0') WHERE ${turn}`,
    ],
    ['a text of another version', `UPDATE hermes_sync.bodies SET version = version + 1 WHERE ${turn}`],
    ['a text that is not encrypted', `UPDATE hermes_sync.bodies SET body = '{"messages":[]}' WHERE ${turn}`],
  ])('is refused with %s, with a sentence, and nothing else is', async (_name, change) => {
    const { database, address, key, laptop } = await sealed();
    const kept = await world.run(database, `SELECT document, version, body FROM hermes_sync.bodies WHERE ${turn}`);
    await world.run(database, change);
    const desk = await sessionDbWorld();
    desk.db.synced.begin();
    const server = encryptedServer(world.client(address), new Cipher(key, 'h'));
    const refused = await roundOf(desk.db, server, 'desk').run();
    expect(refused.map(({ error }) => String(error))).toEqual([
      expect.stringMatching(
        /Part of a session on the server (was damaged or changed|is not encrypted) \(turn\/turn-1-\d\)/,
      ),
    ]);
    expect([desk.db.getSession('session-1'), lines(desk.db, 'session-2'), desk.db.verifyIntegrity()]).toEqual([
      null,
      lines(laptop.db, 'session-2'),
      [],
    ]);
    for (const { document, version, body } of kept)
      await world.run(
        database,
        `UPDATE hermes_sync.bodies SET version = ${String(version)}, body = '${String(body)}' WHERE document = '${String(document)}'`,
      );
    await roundOf(desk.db, server, 'desk').run();
    expect(lines(desk.db, 'session-1')).toEqual(lines(laptop.db, 'session-1'));
  });
});

describe('the description of the key', () => {
  const described = (client: PostgresServer, key: Uint8Array<ArrayBuffer>, known: string | null) => {
    let own = known;
    return encryptedServer(
      client,
      new Cipher(key, 'h'),
      new KeyDescription({ key, server: client, known: async () => own, keep: async (text) => void (own = text) }),
    );
  };
  async function oneSession(id: string): Promise<SessionDbWorld> {
    const world = await sessionDbWorld();
    world.db.createSession({ id, startedAt: 1 });
    answered(world.db, `t-${id}`, 'Words.', { sessionId: id });
    world.db.synced.begin();
    while (world.db.synced.noteMore());
    return world;
  }

  it('is there again after the schema was dropped, and no plain row gets into the history', async () => {
    const database = await world.database();
    const address = world.address(database);
    const { key, description } = await createCipher('a passphrase', cheap);
    const client = world.client(address);
    const laptop = await oneSession('s1');
    await roundOf(laptop.db, described(client, key, description), 'laptop').run();
    await world.run(database, 'DROP SCHEMA hermes_sync CASCADE');
    const again = world.client(address);
    await roundOf(laptop.db, described(again, key, description), 'laptop').run();
    const sample = await again.sealedBody();
    expect([await again.sealDescription(), sample?.conversationId]).toEqual([description, 's1']);
    const plain = roundOf((await oneSession('s2')).db, world.client(address), 'plain');
    await plain.run().catch(() => undefined);
    expect(await world.run(database, "SELECT 1 AS n FROM hermes_sync.bodies WHERE body NOT LIKE 'hermes1:%'")).toEqual(
      [],
    );
    // Also where only the description was lost.
    await world.run(database, 'DELETE FROM hermes_sync.seals');
    const third = roundOf((await oneSession('s3')).db, world.client(address), 'other');
    await expect(third.run()).rejects.toMatchObject({ kind: 'key' });
    expect(await world.run(database, "SELECT 1 AS n FROM hermes_sync.bodies WHERE body NOT LIKE 'hermes1:%'")).toEqual(
      [],
    );
    answered(laptop.db, 't9', 'More.', { sessionId: 's1' });
    await roundOf(laptop.db, described(world.client(address), key, description), 'laptop').run();
    expect(await again.sealDescription()).toBe(description);
  });

  it('is changed by one of two machines, and a sending with the one before is tried again', async () => {
    const address = world.address(await world.database());
    const { key, description } = await createCipher('old', cheap);
    const [a, b] = [world.client(address), world.client(address)];
    await a.keepSeal(description);
    const laptop = await oneSession('s1');
    const round = roundOf(laptop.db, described(b, key, description), 'laptop');
    await round.run();
    const changes = await Promise.all(['one', 'two'].map((word) => describeKey(key, word, { cost: cheap, order: 1 })));
    const done = await Promise.all(changes.map((text, at) => (at === 0 ? a : b).changeSeal(description, text)));
    expect(done.filter(Boolean).length).toBe(1);
    answered(laptop.db, 't2', 'More.', { sessionId: 's1' });
    await expect(round.run()).rejects.toMatchObject({ kind: 'busy', isTemporary: true });
    await roundOf(laptop.db, described(b, key, description), 'laptop').run();
    expect(laptop.db.synced.pending()).toEqual([]);
  });
});
