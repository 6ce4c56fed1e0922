import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keptBackups, type RotatedBackup } from '../../../../../src/features/backup/core/makeBackup';
import { prunableConversations, type PrunedConversation } from '../../../../../src/features/backup/host/storageUse';

const hour = 3600;
const day = 24 * hour;
const start = 20_000 * day;
const unlimited = { bytes: Number.POSITIVE_INFINITY, bytesOf: () => 0 };

const at = (madeAt: number, isScheduled = true): RotatedBackup => ({ id: String(madeAt), madeAt, isScheduled });

describe('which backups are kept', () => {
  it('has one for each hour of a day, each day of a week, and each week of a month', () => {
    const now = start + 60 * day;
    const hourly = Array.from({ length: 60 * 24 }, (_, n) => at(start + (n + 0.5) * hour));
    const ages = keptBackups(hourly, now, unlimited).map((id) => (now - Number(id)) / day);
    expect({
      ofTheDay: ages.filter((age) => age < 1).length,
      ofTheWeek: ages.filter((age) => age >= 1 && age < 7).length,
      ofTheMonth: ages.filter((age) => age >= 7 && age < 31).length,
      older: ages.filter((age) => age >= 31).length,
    }).toEqual({ ofTheDay: 24, ofTheWeek: 6, ofTheMonth: 3, older: 0 });
  });

  it.each([
    ['nothing', [], []],
    ['the only one, however old', [at(start - 400 * day)], [start - 400 * day]],
    ['the newer of one hour', [at(start - 100), at(start - 50)], [start - 50]],
    ['both of one hour when one was asked for', [at(start - 100, false), at(start - 50)], [start - 50, start - 100]],
    ['none that was asked for more than a month ago', [at(start - 32 * day, false), at(start - 50)], [start - 50]],
    ['one from the future, as now', [at(start + 900 * day), at(start - 50)], [start + 900 * day, start - 50]],
  ])('keeps %s', (_, backups, kept) => {
    expect(keptBackups(backups, start, unlimited)).toEqual(kept.map(String));
  });

  it('removes the oldest until the rest fits, never the newest', () => {
    const backups = Array.from({ length: 10 }, (_, n) => at(start - n * hour));
    const limited = (bytes: number): readonly string[] =>
      keptBackups(backups, start, { bytes, bytesOf: (ids) => ids.length * 100 });
    expect([limited(350), limited(0)]).toEqual([[0, 1, 2].map((n) => String(start - n * hour)), [String(start)]]);
  });

  it('keeps the same whether old ones are removed each time or all at once', () => {
    const gaps = fc.array(fc.integer({ min: 60, max: 3 * day }), { minLength: 1, maxLength: 80 });
    fc.assert(
      fc.property(gaps, (steps) => {
        let now = start;
        const all: RotatedBackup[] = [];
        let left: readonly RotatedBackup[] = [];
        for (const step of steps) {
          now += step;
          all.push(at(now));
          const ids = new Set(keptBackups([...left, at(now)], now, unlimited));
          left = [...left, at(now)].filter(({ id }) => ids.has(id));
        }
        expect(left.map(({ id }) => id).reverse()).toEqual(keptBackups(all, now, unlimited));
      }),
      { numRuns: 300 },
    );
  });
});

describe('which conversations may be pruned', () => {
  const old: PrunedConversation = { id: '', parentId: null, isPinned: false, isLive: false, lastActiveAt: 1 };

  it.each([
    ['an old one', [{ ...old, id: 'a' }], ['a']],
    [
      'not one that is pinned, live or recent',
      [
        { ...old, id: 'a', isPinned: true },
        { ...old, id: 'b', isLive: true },
        { ...old, id: 'c', lastActiveAt: 100 },
      ],
      [],
    ],
    [
      'no parent of a pinned one, at any distance',
      [
        { ...old, id: 'a' },
        { ...old, id: 'b', parentId: 'a' },
        { ...old, id: 'c', parentId: 'b', isPinned: true },
        { ...old, id: 'd', parentId: 'a' },
      ],
      ['d'],
    ],
    [
      'an end of a cycle',
      [
        { ...old, id: 'a', parentId: 'b', isLive: true },
        { ...old, id: 'b', parentId: 'a' },
      ],
      [],
    ],
  ])('names %s', (_, conversations, expected) => {
    expect(prunableConversations(conversations, 50)).toEqual(expected);
  });

  it('never names a pinned or live one, or an ancestor of one that stays', () => {
    const some = fc.array(
      fc.record({
        parent: fc.option(fc.nat(19), { nil: null }),
        isPinned: fc.boolean(),
        isLive: fc.boolean(),
        lastActiveAt: fc.nat(100),
      }),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(some, (rows) => {
        const conversations = rows.map(({ parent, ...row }, n) => ({
          ...row,
          id: String(n),
          parentId: parent === null ? null : String(parent),
        }));
        const gone = new Set(prunableConversations(conversations, 50));
        const wrong = conversations.filter(
          ({ id, parentId, isPinned, isLive, lastActiveAt }) =>
            (gone.has(id) && (isPinned || isLive || lastActiveAt >= 50)) ||
            (!gone.has(id) && parentId !== null && gone.has(parentId)),
        );
        expect(wrong).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
