import { expect, it } from 'vitest';
import type { SearchQuery } from '../../../../src/store/sessionStore';
import { SimulatedDisk } from '../../../support/simulatedDisk';
import { promisedOperations } from '../../../../src/store/sessionMethods';
import { ManualClock } from '../../../support/manualClock';
import { spillingOver, testSpillHome } from '../../../support/spills';
import { testSqlite } from '../../../support/sqlite';

it('a search passes on its signal and its progress', async () => {
  const seen: unknown[] = [];
  const clock = new ManualClock();
  const inner = {
    ...promisedOperations(() => Promise.reject(new Error('not asked'))),
    search: async (
      query: SearchQuery,
      signal?: AbortSignal,
      onProgress?: (progress: { done: number; total: number }) => void,
    ) => {
      seen.push(query.text, signal?.aborted);
      onProgress?.({ done: 1, total: 2 });
      return [];
    },
    close: () => Promise.resolve(),
  };
  const log = { trace: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const { store } = spillingOver(
    inner,
    testSpillHome(await testSqlite(), new SimulatedDisk(), () => clock.now(), { folders: [] }),
    clock,
    log,
  );
  await store.search({ text: 'needle', limit: 1 }, AbortSignal.abort(), (progress) => seen.push(progress));
  expect(seen).toEqual(['needle', true, { done: 1, total: 2 }]);
});
