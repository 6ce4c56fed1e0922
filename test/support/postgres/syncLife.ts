import { readFileSync } from 'node:fs';
import { NodeFileSystem } from '../../../src/store/engine/nodeFileSystem';
import { loadSqlite } from '../../../src/store/engine/sqlite';
import { openDatabase } from '../../../src/store/open/openDatabase';
import { migrate } from '../../../src/store/schema/migrations';
import { createSessionDb, type SessionDb } from '../../../src/store/session/sessionDb';
import type { SqlJsDatabase } from '../../../src/store/engine/sqlJsDatabase';
import { compressedServer } from '../../../src/features/sync/core/compressedServer';
import { parseConnectionString } from '../../../src/features/sync/core/postgres/connectionString';
import { PostgresServer } from '../../../src/features/sync/core/postgres/postgresServer';
import { Cipher } from '../../../src/features/sync/core/encryption/cipher';
import { createCipher, openCipher } from '../../../src/features/sync/core/encryption/cipherDescription';
import { encryptedServer } from '../../../src/features/sync/core/encryption/encryptedServer';
import type { SyncServer } from '../../../src/features/sync/core/syncServer';
import { roundOf } from '../syncRound';

export interface LifeOptions {
  /** Path of sql-wasm.wasm. */
  readonly wasm: string;
  /** Of the store. */
  readonly folder: string;
  /** Of the database. */
  readonly url: string;
  /** Name of the machine. */
  readonly origin: string;
  /** Null: the server may read the text. */
  readonly passphrase: string | null;
  /** Number of its first turn. */
  readonly first: number;
}

/** Opens the store of a folder, which nobody else has open. */
export async function openStore(
  wasm: string,
  folder: string,
): Promise<{ readonly db: SessionDb; readonly database: SqlJsDatabase }> {
  const now = (): number => Math.floor(Date.now() / 1000);
  const { database } = openDatabase({
    sqlite: await loadSqlite(new Uint8Array(readFileSync(wasm))),
    fileSystem: new NodeFileSystem(),
    folder,
    now,
  });
  migrate(database);
  const db = createSessionDb({ database, now, fileSizes: () => database.sizes() });
  db.recoverTurns();
  db.synced.begin();
  return { db, database };
}

/** Makes the tables and the key where they are missing. */
export async function serverFor(client: PostgresServer, passphrase: string | null): Promise<SyncServer> {
  if (passphrase === null) return compressedServer(client);
  const cheap = { n: 16, r: 1, p: 1 };
  const kept =
    (await client.sealDescription()) ?? (await client.keepSeal((await createCipher(passphrase, cheap)).description));
  return encryptedServer(client, new Cipher(await openCipher(kept, passphrase), 'h'));
}

/** Stores one answered prompt. */
function answered(db: SessionDb, sessionId: string, turnUid: string, text: string): void {
  const own = { sessionId, turnUid, createdAt: 2, visibility: { kind: 'shown' }, carriedFrom: null } as const;
  db.openTurn({
    turnUid,
    sessionId,
    userMessage: { role: 'user', uid: `u-${turnUid}`, parts: [{ kind: 'text', text: `${text}?` }], ...own },
    model: 'Local/test',
    startedAt: 2,
  });
  db.settleTurn({
    turnUid,
    settledAt: 9,
    settlement: { outcome: 'complete', stopReason: 'stop', failure: null },
    messages: [
      {
        role: 'assistant',
        uid: `a-${turnUid}`,
        parts: [{ kind: 'text', text }],
        state: 'final',
        lastSeq: 0,
        model: 'Local/test',
        finishReason: 'stop',
        usage: null,
        ...own,
      },
    ],
  });
}

/** Asks, answers and exchanges until it is killed. Prints `said TEXT` when an answer is stored. */
async function live({ wasm, folder, url, origin, passphrase, first }: LifeOptions): Promise<void> {
  const { db } = await openStore(wasm, folder);
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  say('open');
  let turn = first;
  for (;;) {
    const client = new PostgresServer({ address: parseConnectionString(url), history: 'h', timeoutMs: 2000 });
    try {
      const round = roundOf(db, await serverFor(client, passphrase), origin);
      for (;;) {
        const sessionId = `${origin}-${turn % 5}`;
        if (db.getSession(sessionId) === null) db.createSession({ id: sessionId, startedAt: 1, title: sessionId });
        const text = `Answer ${origin} ${turn}.`;
        answered(db, sessionId, `${origin}-turn-${turn}`, `${text} ${'long '.repeat((turn * 37) % 2000)}`);
        say(`said ${text}`);
        turn++;
        await round.run();
        say(`sent ${turn}`);
      }
    } catch (error) {
      say(`failed ${String(error)}`);
      await client.dispose();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

const [, , options] = process.argv;
if (options?.startsWith('{') === true) void live(JSON.parse(options) as LifeOptions);
