import { expect, it } from 'vitest';
import { bringExport } from '../../../../../../src/features/history/core/import/exportImport';
import type { CopyToThisFolder } from '../../../../../../src/store/sessionCopying';
import { StoreError } from '../../../../../../src/store/storeError';

const copy = { folder: '/copy', sessionIds: Array.from({ length: 60 }, (_, index) => `s${index}`) };

/** A store in which each imported session has two messages. `then`: runs after each batch. */
const storeThat = (then: () => void) => ({
  copyToThisFolder: async ({ sessionIds }: CopyToThisFolder) => {
    then();
    return { sessions: sessionIds.length, messages: 2 * sessionIds.length, skipped: 0, newIds: {} };
  },
});

it('says what was imported when it is stopped', async () => {
  const stopping = new AbortController();
  const done: number[] = [];
  const brought = await bringExport(
    storeThat(() => stopping.abort()),
    copy,
    stopping.signal,
    (progress) => done.push(progress.done),
  );
  expect([brought, done]).toEqual([{ sessions: 25, messages: 50, skipped: 0, newIds: {}, isStopped: true }, [0, 25]]);
});

it('is whole when it is stopped after the last session', async () => {
  const stopping = new AbortController();
  let batches = 0;
  const store = storeThat(() => {
    if (++batches === 3) stopping.abort();
  });
  expect(await bringExport(store, copy, stopping.signal)).toEqual({
    sessions: 60,
    messages: 120,
    skipped: 0,
    newIds: {},
    isStopped: false,
  });
});

it('fails with the store, also while it is being stopped', async () => {
  const stopping = new AbortController();
  const store = storeThat(() => {
    stopping.abort();
    throw new StoreError('full', 'The disk is full.', 'full');
  });
  await expect(bringExport(store, copy, stopping.signal)).rejects.toThrow('The disk is full.');
});
