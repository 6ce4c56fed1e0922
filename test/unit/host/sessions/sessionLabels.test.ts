import { describe, expect, it } from 'vitest';
import type { Translate } from '../../../../src/base/translate';
import {
  factsOf,
  hoverText,
  sessionMarks,
  accessibleLabel,
  titleText,
} from '../../../../src/host/sessions/sessionLabels';
import { summary } from './summaries';

const t: Translate = (message, args = {}) =>
  message.replace(/\{(\w+)\}/g, (whole, name: string) => args[name] ?? whole);
const context = { t, language: 'en', now: 10_000 };

describe('a row of the sessions view', () => {
  it('shows age, turns and state', () => {
    expect([
      factsOf(summary('a', { lastActiveAt: 9_700, turnCount: 1 }), context),
      factsOf(
        summary('b', { lastActiveAt: 9_999, turnCount: 3, private: true, lastTurn: { state: 'waiting' } }),
        context,
      ),
      factsOf(
        summary('c', {
          lastActiveAt: 9_999,
          turnCount: 0,
          lastTurn: { state: 'interrupted' },
          unread: true,
          problem: 'Damaged.',
        }),
        context,
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
    expect(accessibleLabel(row, { ...context, isShown: true })).toBe(
      'Title of a, 5 minutes ago, 1 turn, failed, pinned, Branched from “Title of b”, open',
    );
  });

  it('is named by its title, else its first prompt, else neither', () => {
    expect(
      [summary('a'), summary('b', { title: null, preview: 'Why?' }), summary('c', { title: null })].map((row) =>
        titleText(row, t),
      ),
    ).toEqual(['Title of a', 'Why?', 'Untitled Session']);
  });

  it('has a plain-text hover: first prompt, model, size, origin', () => {
    const lines = hoverText(
      summary('a', {
        preview: '**First** prompt',
        model: 'Local/m',
        turnCount: 2,
        messageCount: 5,
        from: 'b',
        queuedCount: 1,
        private: true,
        problem: 'Damaged.',
      }),
      context,
    ).split('\n');
    expect(lines.filter((line) => !line.startsWith('Started'))).toEqual([
      'Title of a',
      'Damaged.',
      '**First** prompt',
      'Model: Local/m',
      'Size: 2 turns, 5 messages',
      'Branched from “Title of b”',
      'Queued prompts: 1',
      'Private: not added to memory',
    ]);
  });
});
