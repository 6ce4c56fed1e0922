import { beforeAll, describe, expect, it } from 'vitest';
import type { SqlDatabase } from '../../../src/store/engine/sqlDatabase';
import { SimulatedDisk } from '../../support/simulatedDisk';
import { StoreError } from '../../../src/store/storeError';
import {
  answer,
  complete,
  openTurn,
  refusal,
  runningTurn,
  sessionDbWorld,
  settle,
  type SessionDbWorld,
} from '../../support/sessionDbWorld';

const main = '/store/state.db';
const pageSize = 4096;
const turns = 40;
const wordsOf = (turn: number): string => Array.from({ length: 60 }, (_, word) => `word${turn}x${word}`).join(' ');

/** A store of one session, all of it indexed, closed in order. */
async function closedStore(): Promise<Uint8Array> {
  const { db, database, disk } = await sessionDbWorld();
  runningTurn(db, { turnUid: 't0' });
  for (let turn = 0; turn < turns; turn++) {
    if (turn > 0) openTurn(db, { turnUid: `t${turn}` });
    settle(db, `t${turn}`, complete, [answer(`a${turn}`, wordsOf(turn), `t${turn}`)]);
    if (turn % 10 === 9) db.indexBatch(1000);
  }
  database.close();
  return disk.bytesOf(main);
}

async function openedWith(bytes: Uint8Array): Promise<SessionDbWorld> {
  const disk = new SimulatedDisk();
  disk.makeFolder('/store');
  disk.put(main, bytes);
  return sessionDbWorld(disk, { now: 1000 }, 'emptyDisk');
}

const damages: readonly (readonly [name: string, byte: number])[] = [
  ['noise', 0x5a],
  ['zeros', 0],
];

let sound: Uint8Array;
/** Pages that only the index uses: with any of them damaged, SQLite finds every other table sound. */
let indexPages: readonly number[] = [];
beforeAll(async () => {
  sound = await closedStore();
  const found: number[] = [];
  for (let page = 2; page <= sound.length / pageSize; page++) {
    const { database } = await openedWith(damagedAt(page, 0x5a));
    // A store that was set aside at opening is a new one, without the session.
    if (refusal(() => rowsAreSound(database)) === 'none') found.push(page);
    database.abandon();
  }
  indexPages = found;
});

function rowsAreSound(database: SqlDatabase): void {
  const tables = database
    .all("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'messages_fts%'")
    .map(({ name }) => String(name));
  const said = [
    ...tables.flatMap((table) => database.all(`PRAGMA quick_check(${table})`)),
    ...database.all('SELECT id AS quick_check FROM sessions'),
  ];
  if (JSON.stringify(said.map((row) => row['quick_check'])) !== JSON.stringify([...tables.map(() => 'ok'), 's1']))
    throw new StoreError('corrupt', 'damaged', '');
}

function damagedAt(page: number, byte: number): Uint8Array {
  return sound.slice().fill(byte, (page - 1) * pageSize, page * pageSize);
}

describe('damage only in the pages of the search index', () => {
  it.each(damages)('of %s stops neither a turn nor a search, and the store rebuilds the index', async (_name, byte) => {
    const outcomes = new Set<string>();
    for (const page of indexPages) {
      const { db, database } = await openedWith(damagedAt(page, byte));
      openTurn(db, { turnUid: 'new' });
      settle(db, 'new', complete, [answer('a-new', 'a later answer', 'new')]);
      // Rewrites a row that is indexed, and adds to the index.
      db.putMessages([answer('a3', `${wordsOf(3)} and more`, 't3')]);
      while (db.indexBatch(1000) > 0);
      const found = ['word7x3', 'later', 'more'].map((text) =>
        db
          .search({ text, limit: 5 })
          .map((hit) => hit.messageUid)
          .join(),
      );
      const answers = db
        .readTranscript({ sessionId: 's1', limit: 1000 })
        .messages.filter(({ role }) => role === 'assistant').length;
      outcomes.add(JSON.stringify({ found, answers, problems: db.verifyIntegrity() }));
      database.close();
    }
    expect([...outcomes]).toEqual([JSON.stringify({ found: ['a7', 'a-new', 'a3'], answers: turns + 1, problems: [] })]);
  });

  it('does not stop a session from being erased; its words are then gone from the file', async () => {
    const outcomes = new Set<string>();
    for (const page of indexPages) {
      const { db, database, disk } = await openedWith(damagedAt(page, 0x5a));
      db.createSession({ id: 's2', startedAt: 1 });
      const { isComplete } = db.forgetSession('s1');
      database.close();
      outcomes.add(
        JSON.stringify({
          isComplete,
          left: Buffer.from(disk.bytesOf(main)).includes('word7x3'),
          sessions: (await openedWith(disk.bytesOf(main))).db.statistics().sessions,
        }),
      );
    }
    expect([...outcomes]).toEqual([JSON.stringify({ isComplete: true, left: false, sessions: 1 })]);
  });
});
