import { describe, expect, test } from 'vitest';
import { SimulatedDisk } from '../../../support/simulatedDisk';
import { pageSize } from '../../../../src/store/open/fileHeader';
import { openSessionStore, type OpenedStore } from '../../../../src/store/worker/openedStore';
import { answer, append, chunk, openTurn, runningTurn, sessionDbWorld, settle } from '../../../support/sessionDbWorld';
import { testSqlite } from '../../../support/sqlite';
import { testTime } from '../../../support/testStore';

const turns = 60;
const answerText = (turn: number): string => `Answer ${turn}. `.repeat(150);
const main = '/store/state.db';

/** A disk with a store of one session: many settled turns, and one that was streaming when the process died. */
async function storeOfTurns(): Promise<SimulatedDisk> {
  const { db, database, disk } = await sessionDbWorld();
  runningTurn(db, { turnUid: 't0' });
  settle(db, 't0', undefined, [answer('a0', answerText(0), 't0')]);
  for (let turn = 1; turn < turns; turn += 1) {
    openTurn(db, { turnUid: `t${turn}` });
    settle(db, `t${turn}`, undefined, [answer(`a${turn}`, answerText(turn), `t${turn}`)]);
  }
  db.indexBatch(1000);
  openTurn(db, { turnUid: 'streaming' });
  append(db, 'streaming', chunk('s', 1, 0, 'These words '), chunk('s', 2, 12, 'were shown.'));
  database.close();
  return disk;
}

/** The same with answers that lie in one page each. */
async function storeOfShortAnswers(): Promise<SimulatedDisk> {
  const { db, database, disk } = await sessionDbWorld();
  runningTurn(db, { turnUid: 't0' });
  for (let turn = 0; turn < turns; turn += 1) {
    if (turn > 0) openTurn(db, { turnUid: `t${turn}` });
    settle(db, `t${turn}`, undefined, [answer(`a${turn}`, `Short answer ${turn}.`, `t${turn}`)]);
  }
  database.close();
  return disk;
}

async function openDamaged(disk: SimulatedDisk, change: (bytes: Uint8Array) => Uint8Array): Promise<OpenedStore> {
  disk.put(main, change(disk.bytesOf(main)));
  return openOwned(disk, false);
}

async function openOwned(disk: SimulatedDisk, salvage: boolean): Promise<OpenedStore> {
  const lock = `${main}.lock`;
  disk.put(lock, new Uint8Array([1]));
  const fence = disk.stat(lock)?.identity ?? null;
  return openSessionStore(
    { sqlite: await testSqlite(), fileSystem: disk, now: () => testTime },
    { folder: '/store', fence, salvage },
  );
}

/** The answers that can be read, word for word, and whether the store is sound. */
function readable({ operations, close, report }: OpenedStore) {
  const texts = operations
    .readTranscript({ sessionId: 's1', limit: 1000 })
    .messages.filter((message) => message.role === 'assistant')
    .map((message) => message.parts.map((part) => ('text' in part ? part.text : '')).join(''));
  const whole = new Set(Array.from({ length: turns }, (_, turn) => answerText(turn)));
  const found = {
    wholeAnswers: texts.filter((text) => whole.has(text)).length,
    shownWords: texts.includes('These words were shown.'),
    problems: operations.verifyIntegrity(),
    quarantined: report.quarantined,
    complete: report.salvaged.map((salvage) => salvage.complete),
  };
  close();
  return found;
}

const kept = '/store/state.corrupt-20261120T080000000Z.db';

describe('sessions in a damaged file', () => {
  test('are all restored when only the first page is lost', async () => {
    const opened = await openDamaged(await storeOfTurns(), (bytes) => bytes.fill(0, 0, pageSize));
    expect(readable(opened)).toEqual({
      wholeAnswers: turns,
      shownWords: true,
      problems: [],
      quarantined: { path: kept, damage: 'not-sqlite' },
      complete: [true],
    });
  });

  test('are all restored when no page leads to them: no first page, no list of tables, no inner page of a tree', async () => {
    const opened = await openDamaged(await storeOfTurns(), (bytes) => {
      for (let at = 0; at < bytes.length; at += 4096) {
        const page = bytes.subarray(at, at + 4096);
        if (at === 0 || page[0] === 0x05 || Buffer.from(page).includes('CREATE T')) page.fill(0);
      }
      return bytes;
    });
    expect(readable(opened)).toEqual({
      wholeAnswers: turns,
      shownWords: true,
      problems: [],
      quarantined: { path: kept, damage: 'not-sqlite' },
      complete: [false],
    });
  });

  test('are restored wherever the file was cut, as far as their words are still in it', async () => {
    const missing: string[] = [];
    let looked = 0;
    for (const share of [0.5, 0.8, 0.95]) {
      for (const rest of ['gone', 'zeros', 'zeros before'] as const) {
        const disk = await storeOfShortAnswers();
        const bytes = disk.bytesOf(main);
        const end = Math.floor((bytes.length * share) / 4096) * 4096;
        const left =
          rest === 'gone'
            ? bytes.slice(0, end)
            : rest === 'zeros'
              ? bytes.fill(0, end)
              : bytes.fill(0, 0, bytes.length - end);
        disk.put(main, left);
        // Zeros behind a sound beginning are damage that only use shows.
        const opened = await openOwned(disk, rest === 'zeros');
        const texts = new Set(
          opened.operations.search({ text: '"Short answer"', limit: 1000 }).map(({ messageUid }) => messageUid),
        );
        opened.close();
        const inFile = Array.from({ length: turns }, (_, turn) => turn).filter((turn) =>
          Buffer.from(left).includes(`"Short answer ${turn}."`),
        );
        looked += inFile.length;
        missing.push(
          ...inFile
            .filter((turn) => !texts.has(`a${turn}`))
            .map((turn) => `answer ${turn} of ${share}, the rest ${rest}`),
        );
      }
    }
    expect({ missing, looked: looked > turns }).toEqual({ missing: [], looked: true });
  });

  // A row takes two pages: both are broken, or the second of one and the first of the next.
  test.each([
    ['rows are whole', 0],
    ['rows are cut', 2048],
  ])('are restored except for broken pages, once the damage has shown in use: %s', async (_which, offset) => {
    const disk = await storeOfTurns();
    const damaged = await openDamaged(disk, (bytes) => {
      for (const page of [45, 60, 75]) bytes.fill(0xa5, page * 4096 + offset, (page + 1) * 4096 + offset);
      return bytes;
    });
    damaged.close();
    const { wholeAnswers, shownWords, problems, complete } = readable(await openOwned(disk, true));
    expect({
      most: wholeAnswers > turns * 0.8,
      all: wholeAnswers === turns,
      shownWords,
      problems: problems.filter(({ id }) => id !== 'damagedRow'),
      complete,
    }).toEqual({
      most: true,
      all: false,
      shownWords: true,
      problems: [],
      complete: [false],
    });
  });

  test('are restored from the log when the file is gone', async () => {
    const { db, database, disk } = await sessionDbWorld(new SimulatedDisk(), { now: 1000 }, 'emptyDisk');
    runningTurn(db, { turnUid: 't0' });
    settle(db, 't0', undefined, [answer('a0', answerText(0), 't0')]);
    database.abandon();
    const opened = await openDamaged(disk, () => new Uint8Array(0));
    expect(readable(opened)).toMatchObject({
      wholeAnswers: 1,
      problems: [],
      quarantined: { damage: 'log-without-file' },
      complete: [true],
    });
  });
});
