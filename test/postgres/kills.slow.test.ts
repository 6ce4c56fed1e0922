import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverAccount } from '../../src/features/sync/core/serverAccount';
import { seededRandom } from '../support/seededRandom';
import { bundleProgram, NodeProgram } from '../support/nodeProgram';
import { PostgresWorld } from '../support/postgres/postgresWorld';
import { openStore, serverFor, type LifeOptions } from '../support/postgres/syncLife';
import { wasmPath } from '../support/sqlite';
import { roundOf } from '../support/syncRound';
import { findingSentence } from '../../src/transcript/rules/finding';

/** Kills of each kind; more by the environment variable. */
const kills = Number(process.env['HERMES_SYNC_KILLS'] ?? 3);
const origins = ['laptop', 'desk'] as const;
/** The longest that two processes live, in milliseconds. The first ones end while they make the tables and the key. */
const longest = 1500;

let world: PostgresWorld;
let programs: string;
let life: string;
beforeAll(async () => {
  world = await PostgresWorld.start({ durable: true });
  programs = mkdtempSync(join(tmpdir(), 'hermes-sync-kills-'));
  life = await bundleProgram(fileURLToPath(new URL('../support/postgres/syncLife.ts', import.meta.url)), programs);
});
afterAll(async () => {
  await world.close();
  rmSync(programs, { recursive: true, force: true });
});

interface Lives {
  readonly database: string;
  readonly passphrase: string | null;
  readonly folders: ReadonlyMap<string, string>;
  readonly said: Map<string, string[]>;
  deaths: number;
}

async function begun(name: string, passphrase: string | null): Promise<Lives> {
  return {
    database: await world.database(),
    passphrase,
    folders: new Map(origins.map((origin) => [origin, join(programs, `${name}-${origin}`)])),
    said: new Map(origins.map((origin) => [origin, []])),
    deaths: 0,
  };
}

/** Lets both machines live until they are killed. `withServer`: the server is killed first, while they exchange; each of them has said
 *  something then. */
async function killed(lives: Lives, random: () => number, withServer: boolean): Promise<void> {
  const running = origins.map((origin) => {
    const options: LifeOptions = {
      wasm: wasmPath,
      folder: lives.folders.get(origin) ?? '',
      url: world.server.url(lives.database),
      origin,
      passphrase: lives.passphrase,
      // What was stored and not yet told is not repeated.
      first: 1000 * lives.deaths,
    };
    return { origin, program: new NodeProgram(life, [JSON.stringify(options)]) };
  });
  for (const { program } of running) await program.line('open');
  const pause = (share: number): Promise<void> =>
    new Promise((resolve) => setTimeout(resolve, random() * random() * longest * share));
  await pause(1);
  if (withServer) {
    for (const { program } of running) await program.line('said');
    await world.server.kill();
    await pause(0.2);
    await world.server.restart();
    await pause(0.5);
  }
  lives.deaths++;
  for (const { origin, program } of running) {
    await program.kill();
    const lines = program.lines.flatMap((line) => /^said (.*)$/.exec(line)?.[1] ?? []);
    lives.said.get(origin)?.push(...lines);
  }
}

/** What became of what was said, once both machines have exchanged everything. */
async function outcome({ database, passphrase, folders, said }: Lives) {
  const client = world.client(world.address(database));
  const server = await serverFor(client, passphrase);
  const stores = await Promise.all(
    origins.map(async (origin) => ({ origin, ...(await openStore(wasmPath, folders.get(origin) ?? '')) })),
  );
  const rounds = stores.map(({ db, origin }) => roundOf(db, server, origin));
  for (let time = 0; time < 3; time++) for (const round of rounds) await round.run();
  const wrong: string[] = [];
  for (const { db, database: store, origin } of stores) {
    const rows = store.all(
      `SELECT m.session_id, m.content FROM messages m WHERE m.role = 'assistant' AND m.content LIKE 'Answer %'`,
    );
    for (const [of, texts] of said)
      for (const text of texts) {
        const found = rows.filter(({ content }) => String(content).startsWith(text));
        const inPlace = found.every(({ session_id: id }) => String(id).startsWith(`${of}-`));
        if (found.length !== 1 || !inPlace) wrong.push(`${origin} has ${text} ${found.length} times`);
      }
    wrong.push(...db.verifyIntegrity().map((found) => `${origin}: ${findingSentence(found)}`));
  }
  const [first] = stores;
  const different: string[] = [];
  if (first !== undefined) {
    const connection = await client.connect('reader', 'Reader');
    for (const { session_id: id } of first.database.all(
      'SELECT DISTINCT conversation_id AS session_id FROM sessions',
    )) {
      const account = await serverAccount(first.db.synced, server, connection, String(id));
      different.push(...(account?.different ?? ['a turn is open']));
    }
  }
  for (const { database: store } of stores) store.close();
  return { wrong, different, said: [...said.values()].flat().length };
}

describe.each([
  ['that the server may read', null],
  ['that is encrypted', 'a passphrase'],
])('a history %s', (name, passphrase) => {
  it('is whole on both machines after kills of both, also while they make the tables and the key', async () => {
    const random = seededRandom(11);
    const lives = await begun(`processes ${name}`, passphrase);
    for (let kill = 0; kill < kills; kill++) await killed(lives, random, false);
    expect(await outcome(lives)).toEqual({ wrong: [], different: [], said: expect.any(Number) });
  });

  it('is whole on both machines after kills of the server', async () => {
    const random = seededRandom(12);
    const lives = await begun(`servers ${name}`, passphrase);
    for (let kill = 0; kill < kills; kill++) await killed(lives, random, true);
    const { said, ...rest } = await outcome(lives);
    expect([rest, said > kills]).toEqual([{ wrong: [], different: [] }, true]);
  });
});

it('an answer that the server lost would be noticed', async () => {
  const lives = await begun('control', null);
  await killed(lives, () => 1, false);
  await outcome(lives);
  const [text] = lives.said.get('laptop') ?? [];
  expect(text).toBeDefined();
  await world.run(
    lives.database,
    "DELETE FROM hermes_sync.bodies WHERE document = (SELECT min(document) FROM hermes_sync.bodies WHERE document LIKE 'turn/laptop%')",
  );
  expect((await outcome(lives)).different).toHaveLength(1);
});
