import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareMessage } from '../../../../../src/features/transcript/core/compareDelivery';
import type { AssistantPart } from '../../../../../src/transcript/part';
import { textHash, type DeliveryEntry } from '../../../../../src/transcript/deliveryEntry';

type Delivered = AssistantPart & { readonly kind: 'text' | 'thinking' };

const delivered: fc.Arbitrary<Delivered> = fc.record({
  kind: fc.constantFrom('text' as const, 'thinking' as const),
  text: fc.string({ minLength: 8, maxLength: 60 }),
});
const parts = fc.uniqueArray(delivered, { minLength: 1, maxLength: 4, selector: ({ text }) => text.slice(0, 4) });

/** What a view showed of these parts: as far as `share` of each. */
function reported(shown: readonly Delivered[], share = 1): readonly DeliveryEntry[] {
  return shown.map(({ kind, text }, part) => {
    const length = Math.max(1, Math.floor(text.length * share));
    return { messageUid: 'm', turnUid: 't', part, kind, length, hash: textHash(text, length) };
  });
}

const lengthOf = (entries: readonly DeliveryEntry[]): number => entries.reduce((sum, { length }) => sum + length, 0);
const all = (check: (shown: readonly Delivered[], share: number) => void): void =>
  fc.assert(fc.property(parts, fc.double({ min: 0.2, max: 1, noNaN: true }), check));

describe('a stored message compared with what was shown', () => {
  it('is whole if it begins with what was shown, however much more is stored', () => {
    all((shown, share) => {
      const entries = reported(shown, share);
      expect(compareMessage(entries, shown, [])).toEqual({
        parts: entries.length,
        shown: lengthOf(entries),
        onDisk: lengthOf(entries),
        missing: [],
      });
    });
  });

  it('is whole if it was rewritten and an earlier version contains what was shown', () => {
    all((shown, share) => {
      expect(
        compareMessage(reported(shown, share), [{ kind: 'text', text: 'joined to something else' }], [[], shown])
          .missing,
      ).toEqual([]);
    });
  });

  it('is whole if parts were joined or moved after they were shown', () => {
    all((shown, share) => {
      expect(
        compareMessage(
          reported(shown, share),
          [
            { kind: 'toolCall', callId: 'c', name: 'read_file', arguments: '{}' },
            ...shown.map((part) => ({ ...part, text: `${part.text}\n\nand on` })),
          ],
          [],
        ).missing,
      ).toEqual([]);
    });
  });

  it('names the part that lost its end, with the shown and the stored length', () => {
    fc.assert(
      fc.property(parts, fc.nat(), fc.nat(), (shown, which, cut) => {
        const at = which % shown.length;
        const text = shown[at]?.text ?? '';
        const left = text.slice(0, cut % text.length);
        const entries = reported(shown);
        const { missing, onDisk } = compareMessage(
          entries,
          shown.map((part, index) => (index === at ? { ...part, text: left } : part)),
          [],
        );
        expect([missing, onDisk]).toEqual([
          [{ messageUid: 'm', part: at, kind: shown[at]?.kind, shown: text.length, stored: left.length }],
          lengthOf(entries) - text.length,
        ]);
      }),
    );
  });

  it('names the part in which a character was changed', () => {
    fc.assert(
      fc.property(parts, fc.nat(), fc.nat(), (shown, which, where) => {
        const at = which % shown.length;
        const text = shown[at]?.text ?? '';
        const index = where % text.length;
        const altered = text.slice(0, index) + String.fromCharCode(text.charCodeAt(index) ^ 1) + text.slice(index + 1);
        expect(
          compareMessage(
            reported(shown),
            shown.map((part, other) => (other === at ? { ...part, text: altered } : part)),
            [],
          ).missing.map(({ part }) => part),
        ).toEqual([at]);
      }),
    );
  });

  it('lacks everything if its row is gone', () => {
    all((shown, share) => {
      const entries = reported(shown, share);
      const { missing, onDisk } = compareMessage(entries, null, []);
      expect([missing.length, onDisk, missing.every(({ stored }) => stored === null)]).toEqual([
        entries.length,
        0,
        true,
      ]);
    });
  });

  it('counts a part that two views showed once, up to the longest shown length', () => {
    all((shown, share) => {
      const most = reported(shown);
      expect(compareMessage([...reported(shown, share), ...most], shown, [])).toEqual({
        parts: shown.length,
        shown: lengthOf(most),
        onDisk: lengthOf(most),
        missing: [],
      });
    });
  });
});
