import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mostRendered, turnSpans, windowAround } from '../../../../../src/webview/chat/state/feedFetching';

/** Messages of turns, one behind the other; null stands for one that belongs to no turn, also in the middle of a
 *  turn. */
const conversations = fc
  .array(fc.record({ length: fc.integer({ min: 1, max: 90 }), between: fc.boolean() }), { minLength: 1, maxLength: 60 })
  .map((turns) =>
    turns.flatMap(({ length, between }, turn) => [
      ...Array.from({ length }, (_, index) => (between && index === 1 && length > 2 ? null : `t${turn}`)),
      ...(between ? [null] : []),
    ]),
  );

describe('the rendered part of a long conversation', () => {
  test('holds the reading position, splits no turn, and is bounded except for a turn that is longer itself', () => {
    fc.assert(
      fc.property(conversations, fc.nat(), (turnUids, seed) => {
        const anchor = seed % turnUids.length;
        const { from, to } = windowAround(turnUids, anchor);
        const inside = new Set(turnUids.slice(from, to).filter((uid) => uid !== null));
        const outside = [...turnUids.slice(0, from), ...turnUids.slice(to)];
        const own = turnSpans(turnUids).find((span) => span.from <= anchor && anchor < span.to);
        expect({
          holds: from <= anchor && anchor < to,
          split: outside.filter((uid) => uid !== null && inside.has(uid)),
          bounded: to - from <= Math.max(mostRendered, (own?.to ?? 0) - (own?.from ?? 0)),
        }).toEqual({ holds: true, split: [], bounded: true });
      }),
    );
  });

  test('has as much on both sides of the reading position as there is room for', () => {
    const turnUids = Array.from({ length: 1000 }, (_, index) => `t${Math.floor(index / 2)}`);
    expect(
      [windowAround(turnUids, 500), windowAround(turnUids, 999), windowAround(turnUids, 0)].map(({ from, to }) => [
        from,
        to,
      ]),
    ).toEqual([
      [410, 590],
      [820, 1000],
      [0, 180],
    ]);
  });

  test('is everything while that is not much', () => {
    expect(
      windowAround(
        Array.from({ length: mostRendered }, () => null),
        3,
      ),
    ).toEqual({ from: 0, to: mostRendered });
  });
});
