import { expect, it } from 'vitest';
import { KnownHistories } from '../../../../../src/features/sync/host/knownHistories';

const memory = () => {
  const kept = new Map<string, unknown>();
  return {
    kept,
    get: (key: string) => kept.get(key),
    update: (key: string, value: unknown) => Promise.resolve(void kept.set(key, value)),
  };
};
const known = (n: number) => ({ history: `git:${n}`, name: `Repository ${n}`, server: 'me@host:1/d', isSealed: false });

it('a history is found again on the same server only, as it was remembered last', async () => {
  const histories = new KnownHistories(memory());
  await histories.remember(known(1));
  await histories.remember({ ...known(1), isSealed: true });
  expect([
    histories.find('git:1', 'me@host:1/d'),
    histories.find('git:1', 'me@other:1/d'),
    histories.find('git:2', 'me@host:1/d'),
  ]).toEqual([{ ...known(1), isSealed: true }, null, null]);
});

it('the oldest are forgotten, and what cannot be read is none', async () => {
  const global = memory();
  const histories = new KnownHistories(global);
  for (let n = 0; n < 205; n++) await histories.remember(known(n));
  expect([4, 5, 204].map((n) => histories.find(`git:${n}`, 'me@host:1/d') !== null)).toEqual([false, true, true]);
  global.kept.set('sync.histories', [{ history: 1 }]);
  expect(histories.find('git:204', 'me@host:1/d')).toBeNull();
});
