import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withDelivered } from '../../../src/gateway/verify/deliveryCheck';
import type { DeliveredPart } from '../../../src/gateway/verify/shownLengths';
import type { AssistantPart } from '../../../src/transcript/part';

const text = (words: string): DeliveredPart => ({ kind: 'text', text: words });
const thinking = (words: string): DeliveredPart => ({ kind: 'thinking', text: words });
const call = (callId: string): AssistantPart => ({ kind: 'toolCall', callId, name: 'read_file', arguments: '{}' });
const metadata = { anthropic: { signature: 'abc' } };

describe('restoring delivered text into a row', () => {
  it('completes truncated parts, and inserts missing parts before what follows them', () => {
    expect([
      withDelivered([], [thinking('t'), text('a')]),
      withDelivered([call('1')], [text('a')]),
      withDelivered([text('a'), call('1')], [thinking('t'), text('abc')]),
      withDelivered([text('abcd')], [text('abc')]),
      withDelivered([text('other')], [text('a')]),
      withDelivered([text('b'), call('1')], [text('a'), thinking('t'), text('b')]),
      withDelivered([{ ...thinking('t'), metadata }, text('a')], [thinking('to the end'), text('a')]),
      withDelivered([{ ...thinking(''), metadata }], [thinking('t')]),
    ]).toEqual([
      [thinking('t'), text('a')],
      [text('a'), call('1')],
      [thinking('t'), text('abc'), call('1')],
      [text('abcd')],
      [text('a'), text('other')],
      [text('a'), thinking('t'), text('b'), call('1')],
      [{ ...thinking('to the end'), metadata }, text('a')],
      [thinking('t'), { ...thinking(''), metadata }],
    ]);
  });

  it('loses no part and no word of the row, and keeps everything shown in order, whatever the row lost', () => {
    const words = fc.constantFrom('a', 'ab', 'abc', 'b', 'x y');
    const part = fc.oneof(words.map(text), words.map(thinking));
    const stored = fc.array(fc.oneof(part, fc.constantFrom('1', '2').map(call)), { maxLength: 5 });
    fc.assert(
      fc.property(stored, fc.array(part, { maxLength: 5 }), (row, shown) => {
        const whole = withDelivered(row, shown);
        expect(holds(whole, row)).toBe(true);
        expect(holds(whole, shown)).toBe(true);
      }),
    );
  });
});

/** Whether each of `parts` is in `whole`, in order: a call as it is, a text as the beginning of one. */
function holds(whole: readonly AssistantPart[], parts: readonly AssistantPart[]): boolean {
  let from = 0;
  return parts.every((part) => {
    const at = whole.findIndex((candidate, index) => index >= from && fits(candidate, part));
    from = at + 1;
    return at !== -1;
  });
}

function fits(candidate: AssistantPart, part: AssistantPart): boolean {
  if (candidate.kind === 'toolCall' || part.kind === 'toolCall')
    return JSON.stringify(candidate) === JSON.stringify(part);
  return candidate.kind === part.kind && candidate.text.startsWith(part.text);
}
