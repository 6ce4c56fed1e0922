import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runKillTrials } from '../../../crash/killTrials';
import { seededRandom } from '../../../crash/powerCuts';
import { testSqlite } from '../../../support/sqlite';

test('a writing process that is killed twenty times loses nothing it acknowledged', async () => {
  const { acknowledged, killedWhileOpening, ...found } = await runKillTrials(
    await testSqlite(),
    join(__dirname, '../../../crash/storeWriter.ts'),
    20,
    seededRandom(31),
  );
  expect(found).toEqual({ trials: 20, lost: 0, partial: 0, corrupt: 0 });
  expect(acknowledged).toBeGreaterThan(60);
  expect(killedWhileOpening).toBeLessThan(20);
}, 180_000);
