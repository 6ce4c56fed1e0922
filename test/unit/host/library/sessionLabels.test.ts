import { describe, expect, it } from 'vitest';
import { factsOf, sessionMarks, accessibleLabel } from '../../../../src/host/library/sessionLabels';
import { summary } from '../scriptedGateway';

const now = 10_000;

describe('a row of the sessions view', () => {
  it('shows age, turns and state', () => {
    expect([
      factsOf(summary('a', { lastActiveAt: 9_700, turnCount: 1 }), now),
      factsOf(summary('b', { lastActiveAt: 9_999, turnCount: 3, private: true, lastTurn: { state: 'waiting' } }), now),
      factsOf(
        summary('c', {
          lastActiveAt: 9_999,
          turnCount: 0,
          lastTurn: { state: 'interrupted' },
          unread: true,
          problem: 'Damaged.',
        }),
        now,
      ),
    ]).toEqual([
      ['5 minutes ago', '1 turn'],
      ['now', '3 turns', 'private', 'needs approval'],
      ['now', '0 turns', 'couldn’t be fully read', 'interrupted', 'unread'],
    ]);
  });

  it('marks the most urgent state first, and nothing if all is well', () => {
    expect([
      sessionMarks(summary('a')),
      sessionMarks(summary('b', { lastTurn: null })),
      sessionMarks(summary('c', { lastTurn: { state: 'running' }, unread: true })),
    ]).toEqual([[], [], ['running', 'unread']]);
  });

  it('gives its icon and place in words to screen readers', () => {
    const row = summary('a', { lastActiveAt: 9_700, pinned: true, from: 'b', lastTurn: { state: 'failed' } });
    expect(accessibleLabel(row, now, true)).toBe(
      'Title of a, 5 minutes ago, 1 turn, failed, pinned, Branched from “Title of b”, open',
    );
  });
});
