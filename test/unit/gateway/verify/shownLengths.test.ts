import { describe, expect, it } from 'vitest';
import { ShownLengths } from '../../../../src/gateway/verify/shownLengths';
import type { Chunk } from '../../../../src/transcript/message';
import { TranscriptBuilder } from '../../../support/builders/messages';

const chunk = (seq: number, part: number, start: number, text: string): Chunk => ({
  messageUid: 'm1',
  seq,
  part,
  kind: 'text',
  start,
  text,
});

describe('the delivery report', () => {
  it('reports nothing missing if the stored rows begin with what was shown', () => {
    const report = new ShownLengths('t');
    report.observe(
      { kind: 'delivered', turnUid: 't', chunks: [chunk(1, 0, 0, 'Hello '), chunk(2, 0, 6, 'world')] },
      's',
    );
    expect(report.missingFrom(new TranscriptBuilder().assistant('Hello world!').messages)).toEqual([]);
  });

  it('names rows that are shorter, different or missing', () => {
    const report = new ShownLengths('t');
    report.observe({ kind: 'delivered', turnUid: 't', chunks: [chunk(1, 0, 0, 'Hello world')] }, 's');
    const missing = (rows: TranscriptBuilder) => report.missingFrom(rows.messages).map(({ stored }) => stored);
    expect([
      missing(new TranscriptBuilder().assistant('Hello')),
      missing(new TranscriptBuilder().assistant('Other words')),
      missing(new TranscriptBuilder()),
    ]).toEqual([['Hello'], ['Other words'], [null]]);
  });
});
