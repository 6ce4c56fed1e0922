import { seededRandom } from '../support/seededRandom';
import { SimulatedDisk } from '../support/simulatedDisk';
import type { Random } from '../support/simulatedInode';
import type { SystemName } from '../support/simulatedSystem';
import type { SqlJsDatabase } from '../../src/store/engine/sqlJsDatabase';
import type { Sqlite } from '../../src/store/engine/sqlite';
import { StoreError } from '../../src/store/storeError';
import { noteTable, openTestDatabase } from '../support/testStore';

export interface PowerCutOptions {
  /** States of the disk to examine. */
  readonly states: number;
  readonly seed: number;
  /** The two ways to break the promise, which the trial must notice: a disk that lies about syncing, and the weaker setting of SQLite. */
  readonly honestSync?: boolean;
  readonly system?: SystemName;
  readonly synchronous?: 'FULL' | 'NORMAL';
}

/** What was found wrong, counted by state. All zero but `states` and `cutsInRecovery` when the promise holds. */
export interface PowerCutResult {
  states: number;
  /** States whose recovery was itself cut off before the one that was examined. */
  cutsInRecovery: number;
  /** An acknowledged transaction is missing. */
  lost: number;
  /** A transaction is there in part. */
  partial: number;
  /** SQLite's integrity check complains. */
  corrupt: number;
  /** The store was taken for damaged or did not open. */
  unopenable: number;
}

const folder = '/store';
const notesPerTransaction = 3;
const transactionsPerRun = 24;

interface Cut {
  readonly disk: SimulatedDisk;
  /** Transactions acknowledged at the moment of the cut. */
  readonly acknowledged: number;
}

/** Cuts the power at random moments of a store's life (birth, writing, checkpoints, closing, and recovery itself) and examines what is
 *  found afterwards. */
export function runPowerCuts(sqlite: Sqlite, options: PowerCutOptions): PowerCutResult {
  const random = seededRandom(options.seed);
  const result: PowerCutResult = { states: 0, cutsInRecovery: 0, lost: 0, partial: 0, corrupt: 0, unopenable: 0 };
  while (result.states < options.states) {
    for (const cut of liveUntilCut(sqlite, options, random)) {
      if (result.states >= options.states) break;
      result.states += 1;
      examine(sqlite, cutAgain(sqlite, cut, random, result), result);
    }
  }
  return result;
}

/** One store's life, with its disk copied as a power cut would leave it at several random moments. */
function liveUntilCut(sqlite: Sqlite, options: PowerCutOptions, random: Random): readonly Cut[] {
  const cuts: Cut[] = [];
  let acknowledged = 0;
  const chance = 0.01 + random() * 0.05;
  const disk: SimulatedDisk = new SimulatedDisk({
    honestSync: options.honestSync ?? true,
    system: options.system ?? 'posix',
    intervene: ({ kind }) => {
      if (kind !== 'read' && random() < chance) cuts.push({ disk: disk.powerCut(random), acknowledged });
      return undefined;
    },
  });
  const { database } = openTestDatabase(sqlite, disk, folder);
  if (options.synchronous !== undefined) database.execute(`PRAGMA synchronous=${options.synchronous}`);
  database.transaction(() => database.execute(noteTable));
  for (let n = 0; n < transactionsPerRun; n += 1) {
    writeTransaction(database, n, random);
    acknowledged = n + 1;
    if (random() < 0.15) database.all(`PRAGMA wal_checkpoint(${random() < 0.5 ? 'TRUNCATE' : 'PASSIVE'})`);
  }
  if (random() < 0.5) database.close();
  else database.abandon();
  return cuts;
}

function writeTransaction(database: SqlJsDatabase, n: number, random: Random): void {
  database.transaction(() => {
    for (let part = 0; part < notesPerTransaction; part += 1) {
      database.run('INSERT INTO notes (uid, text) VALUES (?, ?)', [
        `${n}/${part}`,
        'x'.repeat(Math.floor(random() * 6000)),
      ]);
    }
    if (random() < 0.3)
      database.run('UPDATE notes SET text = ? WHERE uid = ?', ['rewritten', `${Math.floor(n * random())}/0`]);
  });
}

/** In half of the states the power fails once more while the store is being opened. */
function cutAgain(sqlite: Sqlite, cut: Cut, random: Random, result: PowerCutResult): Cut {
  if (random() < 0.5) return cut;
  let second: SimulatedDisk | undefined;
  const disk: SimulatedDisk = cut.disk.powerCut(random, {
    intervene: () => {
      if (second === undefined && random() < 0.1) second = disk.powerCut(random);
      return undefined;
    },
  });
  try {
    openTestDatabase(sqlite, disk, folder).database.close();
  } catch (error) {
    // Examined below, where it counts.
    if (!(error instanceof StoreError)) throw error;
  }
  if (second === undefined) return cut;
  result.cutsInRecovery += 1;
  return { disk: second, acknowledged: cut.acknowledged };
}

function examine(sqlite: Sqlite, { disk, acknowledged }: Cut, result: PowerCutResult): void {
  try {
    const { database, report } = openTestDatabase(sqlite, disk, folder);
    if (report.setAside !== null) result.unopenable += 1;
    else examineContent(database, acknowledged, result);
    database.abandon();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    result.unopenable += 1;
  }
}

function examineContent(database: SqlJsDatabase, acknowledged: number, result: PowerCutResult): void {
  if (database.get('PRAGMA integrity_check')?.['integrity_check'] !== 'ok') result.corrupt += 1;
  const hasTable = database.get("SELECT 1 AS n FROM sqlite_master WHERE name = 'notes'") !== undefined;
  const counts = new Map<number, number>();
  if (hasTable) {
    for (const { uid } of database.all('SELECT uid FROM notes')) {
      const n = Number(String(uid).split('/')[0]);
      counts.set(n, (counts.get(n) ?? 0) + 1);
    }
  }
  if ([...counts.values()].some((count) => count !== notesPerTransaction)) result.partial += 1;
  if (Array.from({ length: acknowledged }, (_, n) => n).some((n) => !counts.has(n))) result.lost += 1;
}

export { seededRandom } from '../support/seededRandom';
export { testSqlite } from '../support/sqlite';
