import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Sqlite } from '../../../../src/store/engine/sqlite';
import { openLog } from '../../../../src/store/engine/earlierLog';
import { openDatabase } from '../../../../src/store/open/openDatabase';
import { migrate } from '../../../../src/store/schema/migrations';
import { createSessionDb } from '../../../../src/store/session/sessionDb';
import { openSessionStore } from '../../../../src/store/worker/openedStore';
import { seededRandom } from '../../../support/seededRandom';
import { SimulatedDisk } from '../../../support/simulatedDisk';
import type { Random } from '../../../support/simulatedInode';
import { testSqlite } from '../../../support/sqlite';
import { testTime } from '../../../support/testStore';

// Written by the build of 27 November 2026: three turns in the file; six, and an open one, in the log.
const fixture = (name: string): Uint8Array =>
  gunzipSync(readFileSync(new URL(`../../../fixtures/store/${name}.gz`, import.meta.url)));
const main = '/store/state.db';
const log = '/store/state.db.wal';
const forms = ['state.db.wal', 'plain.wal'] as const;
const textOf = (turn: string): string =>
  [1, 2, 3, 4, 5].map((piece) => `Piece ${piece} of ${turn}. ${`word${piece} `.repeat(20 * piece)}`).join('');
const texts = Array.from({ length: 10 }, (_, turn) => textOf(`t${turn + 1}`));

let sqlite: Sqlite;
beforeAll(async () => {
  sqlite = await testSqlite();
});

function earlierStore(form: (typeof forms)[number]): SimulatedDisk {
  const disk = new SimulatedDisk();
  disk.put(main, fixture('state.db'));
  disk.put(log, fixture(form));
  return disk;
}

/** Opens the store and brings it up to date, as the next process does. */
function opened(disk: SimulatedDisk) {
  const { database, report } = openDatabase({
    sqlite,
    fileSystem: disk,
    folder: '/store',
    now: () => testTime,
  });
  migrate(database);
  return {
    database,
    report,
    db: createSessionDb({ database, now: () => testTime, fileSizes: () => database.sizes() }),
  };
}

function answersOf(disk: SimulatedDisk) {
  const { database, report, db } = opened(disk);
  try {
    const rows = db.readTranscript({ sessionId: 's1', limit: 100 }).messages.filter(({ role }) => role === 'assistant');
    const found = rows.map(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')).join(''));
    return { found, quarantined: report.quarantined, problems: db.verifyIntegrity() };
  } finally {
    database.close();
  }
}

const whole = { found: texts, quarantined: null, problems: [] };

describe('a store of an earlier build', () => {
  test.each(forms)('with its log %s is opened whole, with the answer that was open', (form) => {
    const disk = earlierStore(form);
    const first = answersOf(disk);
    expect([first, answersOf(disk)]).toEqual([whole, whole]);
  });

  test('has a log that is read as SQLite wrote it, and replaced by that at the first opening', () => {
    const disk = earlierStore('state.db.wal');
    const plain = fixture('plain.wal');
    const file = openLog(disk, log);
    const read = new Uint8Array(file.size());
    file.read(read, 0);
    const { database } = opened(disk);
    const replaced = disk.bytesOf(log).subarray(0, plain.length);
    database.abandon();
    expect([Buffer.compare(read, plain), Buffer.compare(replaced, plain)]).toEqual([0, 0]);
  });

  test('that can only be read is read with its log, and not changed', () => {
    const disk = earlierStore('state.db.wal');
    disk.readOnly = true;
    const before = [disk.bytesOf(main), disk.bytesOf(log)];
    const { database, report } = openDatabase({
      sqlite,
      fileSystem: disk,
      folder: '/store',
      now: () => testTime,
    });
    const [row] = database.all("SELECT count(*) AS n FROM stream_chunks WHERE message_uid = 'a-t10'");
    database.abandon();
    expect([report.readOnly?.causeClass, row, [disk.bytesOf(main), disk.bytesOf(log)]]).toEqual([
      'readOnly',
      { n: 5 },
      before,
    ]);
  });

  test.each(forms)('loses nothing when the first opening is cut off at any of its writing calls: %s', (form) => {
    const random = seededRandom(31);
    const kill: Random = () => 0;
    const survivors: SimulatedDisk[] = [];
    const disk: SimulatedDisk = earlierStore(form).powerCut(kill, {
      intervene: ({ kind }) => {
        if (!['read', 'open', 'list'].includes(kind))
          for (const left of [kill, random, random, () => 0.9]) survivors.push(disk.powerCut(left));
        return undefined;
      },
    });
    opened(disk).database.close();
    expect(survivors.length).toBeGreaterThan(150);
    for (const survivor of survivors) expect(answersOf(survivor)).toEqual(whole);
  });

  test('is not changed when the disk has no room for the new log, and opens when it has', () => {
    const disk = earlierStore('state.db.wal');
    disk.capacity = disk.bytesOf(main).length + disk.bytesOf(log).length + 200_000;
    expect(() => opened(disk)).toThrow(expect.objectContaining({ causeClass: 'full' }));
    disk.capacity = Number.POSITIVE_INFINITY;
    expect([answersOf(disk), disk.list('/store')]).toEqual([whole, ['state.db']]);
  });

  test.each(forms)('whose first page is lost gives back every answer: %s', (form) => {
    expect(salvagedFrom(earlierStore(form))).toEqual(texts);
  });

  test('whose first page and log are lost gives back the answers that the file has', () => {
    const disk = earlierStore('state.db.wal');
    disk.remove(log);
    expect(salvagedFrom(disk)).toEqual(texts.slice(0, 3));
  });
});

/** The answers that are in the new store after the file has lost its first page. */
function salvagedFrom(disk: SimulatedDisk): readonly string[] {
  disk.put(main, disk.bytesOf(main).fill(0, 0, 4096));
  disk.put(`${main}.lock`, new Uint8Array([1]));
  const store = openSessionStore(
    { sqlite, fileSystem: disk, now: () => testTime },
    { folder: '/store', fence: disk.stat(`${main}.lock`)?.identity ?? null, salvage: false },
  );
  const rows = store.operations.readTranscript({ sessionId: 's1', limit: 100 }).messages;
  store.close();
  const found = rows.map(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')).join(''));
  return texts.filter((text) => found.includes(text));
}
