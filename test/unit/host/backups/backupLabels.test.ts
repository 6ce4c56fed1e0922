import { describe, expect, it } from 'vitest';
import { backupTexts, conversationFacts, conversationsIn } from '../../../../src/host/backups/backupLabels';
import { t } from '../../../../src/base/translate';
import type { SessionEntry } from '../../../../src/history/backup/manifest';

const entry = (id: string, change: Partial<SessionEntry> = {}): SessionEntry => ({
  id,
  conversationId: id,
  title: id,
  lastActivityAt: 1,
  messages: 2,
  isSubAgent: false,
  ...change,
});
const context = { t, language: 'en', now: 1_760_000_000 };

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

  it('names time, contents and reason', () => {
    const texts = backupTexts(
      { id: 'b', madeAt: context.now, reason: 'migration', sessions: 1, messages: 3, bytes: 4.2e6, addedBytes: 9 },
      context,
    );
    const facts = conversationFacts(
      { sessionId: 's', title: null, lastActivityAt: context.now, messages: 1, state: 'missing' },
      context,
    );
    expect([
      texts.description,
      texts.detail,
      texts.label.includes('2025'),
      facts.endsWith('1 message · not here now'),
    ]).toEqual(['1 session · 3 messages · 4.2 MB', 'Made before an update of the file', true, true]);
  });
});
