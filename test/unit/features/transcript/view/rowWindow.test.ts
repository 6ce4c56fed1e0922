import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RowFilter } from '../../../../../src/features/transcript/protocol/transcriptProtocol';
import { TranscriptReader } from '../../../../../src/features/transcript/host/transcriptReader';
import {
  evict,
  mostLoaded,
  readAgain,
  withEarlier,
  withLater,
} from '../../../../../src/features/transcript/view/state/rowWindow';
import { StoredTranscript } from '../../../../support/builders/storedTranscript';
import { prompt } from '../../../../support/builders/viewMessages';

const shown: RowFilter = { role: null, state: null, hidden: false };

/** Rows of which every third is hidden. */
function transcript(count: number): StoredTranscript {
  return new StoredTranscript(
    Array.from({ length: count }, (_, index) =>
      prompt(
        {
          uid: `m${index}`,
          position: index * 3 + 1,
          ...(index % 3 === 2
            ? { visibility: { kind: 'hidden', reason: 'retried', absorbedInto: null } as const }
            : {}),
        },
        `text ${index}`,
      ),
    ),
  );
}

describe('the window of loaded rows', () => {
  test('is without a gap, bounded, and correct about its neighbors, wherever the user goes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4000 }),
        fc.boolean(),
        fc.integer({ min: 0, max: 3999 }),
        fc.array(fc.constantFrom('earlier', 'later', 'again', 'end'), { maxLength: 12 }),
        async (count, hidden, start, steps) => {
          const reader = new TranscriptReader(transcript(count));
          const filter = { ...shown, hidden };
          const read = (
            wanted: Parameters<TranscriptReader['rows']>[1],
            limit = 200,
          ): ReturnType<TranscriptReader['rows']> => reader.rows('s', wanted, limit, filter);
          const expected = (await reader.outlines.of('s')).passing(filter).map(({ uid }) => uid);
          let rows = await read({ kind: 'around', messageUid: `m${start % count}` });
          for (const step of steps) {
            const [first, last] = [rows.messages[0], rows.messages.at(-1)];
            if (first === undefined || last === undefined) break;
            if (step === 'end') rows = await read({ kind: 'end' });
            if (step === 'earlier' && rows.earlier > 0) {
              rows = withEarlier(rows, await read({ kind: 'before', position: first.position }));
              // The row one reads at is still there.
              expect(rows.messages.includes(first)).toBe(true);
            }
            if (step === 'later' && rows.later > 0) {
              rows = withLater(rows, await read({ kind: 'after', position: last.position }));
              expect(rows.messages.includes(last)).toBe(true);
            }
            if (step === 'again')
              rows = evict(
                readAgain(rows, await read({ kind: 'after', position: first.position - 1 }, rows.messages.length)),
                'end',
              );
            expect(rows.messages.length).toBeLessThanOrEqual(mostLoaded);
            expect(rows.messages.map(({ uid }) => uid)).toEqual(
              expected.slice(rows.earlier, rows.earlier + rows.messages.length),
            );
            expect(rows.numbers).toEqual(rows.messages.map(({ uid }) => Number(uid.slice(1)) + 1));
            expect(rows.earlier + rows.messages.length + rows.later).toBe(expected.length);
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  test('keeps unchanged rows as they are, so that they are not rendered again', async () => {
    const stored = transcript(10);
    const read = async (): ReturnType<TranscriptReader['rows']> =>
      new TranscriptReader(stored).rows('s', { kind: 'start' }, 50, shown);
    const before = await read();
    stored.messages = structuredClone(stored.messages).map((message) =>
      message.uid === 'm3' ? prompt({ uid: 'm3', position: message.position }, 'other') : message,
    );
    const after = readAgain(before, await read());
    expect(after.messages.filter((message) => !before.messages.includes(message)).map(({ uid }) => uid)).toEqual([
      'm3',
    ]);
  });
});
