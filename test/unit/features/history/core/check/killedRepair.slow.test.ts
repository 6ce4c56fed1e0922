import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bundleProgram, NodeProgram } from '../../../../../support/nodeProgram';
import { otherSqlite } from '../../../../../support/otherSqlite';
import { wasmPath } from '../../../../../support/sqlite';
import { answered } from '../../../../../support/sessionDbWorld';
import { backupWorld, type BackupWorld } from '../../../backup/core/backupWorld';

let program: string;
let programs: string;
let world: BackupWorld;
beforeAll(async () => {
  programs = mkdtempSync(join(tmpdir(), 'hermes-repair-program-'));
  program = await bundleProgram('test/unit/features/history/core/check/repairProgram.ts', programs);
});
afterAll(() => rmSync(programs, { recursive: true, force: true }));
beforeEach(async () => {
  world = await backupWorld();
  const owner = world.open();
  owner.operations.createSession({ id: 's1', startedAt: 1, title: 'Fruit' });
  for (const turn of ['t1', 't2', 't3', 't4']) answered(owner.operations, turn, `Words of ${turn} `.repeat(2000));
  owner.close();
  otherSqlite(
    join(world.place.store, 'state.db'),
    `UPDATE messages SET active = 0, hidden_reason = 'dropped' WHERE uid IN ('a-t1', 'a-t3');
     UPDATE messages SET parts = '[{"kind":"te' WHERE uid = 'a-t2';
     UPDATE sessions SET message_count = 99 WHERE id = 's1'`,
  );
});
afterEach(() => world.remove());

/** Everything that a repair may change, as the next opening finds it. */
function stateOf(folder: string): string {
  const owner = world.open(folder);
  const problems = owner.operations.verifyIntegrity();
  const repairs = owner.operations.repairsOf('s1').length;
  owner.close();
  const rows = ['messages', 'message_revisions', 'turns', 'sessions'].map(
    (table) => `SELECT '${table}', t.* FROM ${table} t ORDER BY t.rowid`,
  );
  return JSON.stringify([repairs, problems, otherSqlite(join(folder, 'state.db'), rows.join(';'))]);
}

/** Works on copies of the store, and is killed at every change of the disk in turn. Returns the states that the next
 *  openings found, each once, in the order in which they came, and the number of kills. */
async function killed(action: 'repair' | 'undo') {
  const found: string[] = [];
  for (let changes = 0; changes < 1000; changes++) {
    const folder = join(world.root, 'trial', 'store');
    rmSync(join(world.root, 'trial'), { recursive: true, force: true });
    cpSync(world.place.store, folder, { recursive: true });
    const trial = new NodeProgram(program, [wasmPath, folder, action, 's1', String(changes)]);
    const isDone = await trial.finish().then(
      () => true,
      (error: unknown) => {
        // Any other end would prove nothing. Windows has no signals.
        expect(String(error)).toMatch(/ended with (?:SIGKILL|1): $/);
        return false;
      },
    );
    found.push(stateOf(folder));
    if (isDone) return { states: [...new Set(found)], kills: changes, last: found.at(-1), folder };
  }
  throw new Error('It never came to its end.');
}

describe('kill -9', () => {
  it('during a repair, or during its undo, leaves the store as it was before or after', async () => {
    const damaged = stateOf(world.place.store);
    const repair = await killed('repair');
    expect(repair.kills).toBeGreaterThan(3);
    expect([repair.states.length, repair.states[0] === damaged, repair.states[1] === repair.last]).toEqual([
      2,
      true,
      true,
    ]);
    rmSync(world.place.store, { recursive: true });
    cpSync(repair.folder, world.place.store, { recursive: true });
    const undo = await killed('undo');
    expect(undo.kills).toBeGreaterThan(3);
    expect([undo.states.length, undo.states[0] === repair.last, undo.states[1] === undo.last]).toEqual([2, true, true]);
    expect([repair.last?.slice(0, 3), undo.last?.slice(0, 3)]).toEqual(['[1,', '[0,']);
  });
});
