import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeFileSystem } from '../../src/store/engine/nodeFileSystem';
import type { Sqlite } from '../../src/store/engine/sqlite';
import { openTestDatabase } from '../support/testStore';
import { bundleProgram, NodeProgram } from '../support/nodeProgram';
import { wasmPath } from '../support/sqlite';

export interface KillResult {
  readonly trials: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly partial: number;
  readonly corrupt: number;
  /** Trials killed before the store was open: during loading, locking, birth or recovery. */
  readonly killedWhileOpening: number;
}

/** Kills a process that writes to a store (`writerEntry`: the path of storeWriter.ts), again and again on the same store, and checks after each
 *  kill that everything it acknowledged is there. `random` decides when: in a quarter of the trials while it is still starting, else after its next few transactions. */
export async function runKillTrials(
  sqlite: Sqlite,
  writerEntry: string,
  trials: number,
  random: () => number,
): Promise<KillResult> {
  const programs = mkdtempSync(join(tmpdir(), 'hermes-kill-'));
  const folder = join(programs, 'store');
  const fileSystem = new NodeFileSystem();
  const result = { trials: 0, acknowledged: 0, lost: 0, partial: 0, corrupt: 0, killedWhileOpening: 0 };
  try {
    const program = await bundleProgram(writerEntry, programs);
    let next = 0;
    for (let trial = 0; trial < trials; trial += 1) {
      const writer = new NodeProgram(program, [wasmPath, folder, String(next)]);
      const early = random() < 0.25;
      if (!early) await writer.line(String(next + Math.floor(random() * 15)));
      await new Promise((resolve) => setTimeout(resolve, random() * (early ? 150 : 10)));
      await writer.kill();

      const { database } = openTestDatabase(sqlite, fileSystem, folder);
      const tables = database.all("SELECT name FROM sqlite_master WHERE name = 'notes'");
      const counts = new Map<number, number>();
      for (const { uid } of tables.length === 0 ? [] : database.all('SELECT uid FROM notes')) {
        const n = Number(String(uid).split('/')[0]);
        counts.set(n, (counts.get(n) ?? 0) + 1);
      }
      const acknowledged = writer.lines.filter((line) => /^\d+$/.test(line)).map(Number);
      result.trials += 1;
      result.acknowledged += acknowledged.length;
      result.lost += acknowledged.filter((n) => !counts.has(n)).length;
      result.partial += [...counts.values()].filter((count) => count !== 3).length;
      if (database.get('PRAGMA integrity_check')?.['integrity_check'] !== 'ok') result.corrupt += 1;
      if (!writer.lines.includes('open')) result.killedWhileOpening += 1;
      next = counts.size === 0 ? next : Math.max(...counts.keys()) + 1;
      // Half of the time the next process finds the log as the killed one left it.
      if (random() < 0.5) database.abandon();
      else database.close();
    }
    return result;
  } finally {
    rmSync(programs, { recursive: true });
  }
}

export { seededRandom } from './powerCuts';
export { testSqlite } from '../support/sqlite';
