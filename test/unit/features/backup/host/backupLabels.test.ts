import { describe, expect, it } from 'vitest';
import { conversationsIn } from '../../../../../src/features/backup/host/backupPicks';
import type { SessionEntry } from '../../../../../src/features/backup/core/manifest';

const entry = (id: string, change: Partial<SessionEntry> = {}): SessionEntry => ({
  id,
  conversationId: id,
  title: id,
  lastActivityAt: 1,
  messages: 2,
  isSubAgent: false,
  ...change,
});

describe('the preview of a backup', () => {
  it('lists conversations once, newest first, and says what is missing here', () => {
    const found = conversationsIn(
      [
        entry('old', { lastActivityAt: 1 }),
        entry('first', { lastActivityAt: 2 }),
        entry('second', { conversationId: 'first', lastActivityAt: 9, messages: 5 }),
        entry('helper', { conversationId: 'helper', isSubAgent: true }),
        entry('gone', { lastActivityAt: 4 }),
        entry('empty', { messages: 0 }),
      ],
      new Map([
        ['old', 3],
        ['first', 2],
        ['second', 4],
      ]),
    );
    expect(found.map(({ sessionId, messages, state }) => [sessionId, messages, state])).toEqual([
      ['second', 7, 'shorter'],
      ['gone', 2, 'missing'],
      ['old', 2, 'here'],
    ]);
  });
});
