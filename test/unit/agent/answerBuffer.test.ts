import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerBuffer } from '../../../src/agent/answerBuffer';
import type { Chunk } from '../../../src/transcript/message';

describe('an answer while it streams', () => {
  it('begins a new part when the kind changes or a part ends', () => {
    const answer = new AnswerBuffer('m');
    answer.add('thinking', 'hm');
    answer.end('thinking', { anthropic: { signature: 's' } });
    answer.add('text', 'one');
    answer.end('text', undefined);
    answer.add('text', 'two');
    const chunks = answer.nextChunks(false);
    answer.markStored(chunks);
    expect({ chunks, stored: answer.storedParts() }).toEqual({
      chunks: [
        { messageUid: 'm', seq: 1, part: 0, kind: 'thinking', start: 0, text: 'hm' },
        { messageUid: 'm', seq: 2, part: 1, kind: 'text', start: 0, text: 'one' },
        { messageUid: 'm', seq: 3, part: 2, kind: 'text', start: 0, text: 'two' },
      ],
      stored: [
        { kind: 'thinking', text: 'hm', metadata: { anthropic: { signature: 's' } } },
        { kind: 'text', text: 'one' },
        { kind: 'text', text: 'two' },
      ],
    });
  });

  it('never splits a surrogate pair, and replaces a lone surrogate only when no more text can arrive', () => {
    const answer = new AnswerBuffer('m');
    answer.add('text', 'a\ud83d');
    const first = answer.nextChunks(false);
    answer.markStored(first);
    answer.add('text', '\ude00');
    const second = answer.nextChunks(false);
    answer.markStored(second);
    answer.add('text', '\ud83d');
    const held = answer.nextChunks(false);
    const last = answer.nextChunks(true);
    expect([first, second, held, last].map((chunks) => chunks.map((chunk) => chunk.text))).toEqual([
      ['a'],
      ['😀'],
      [],
      ['\ufffd'],
    ]);
  });

  it('keeps a part that has only metadata, because its provider needs it back', () => {
    const answer = new AnswerBuffer('m');
    answer.end('thinking', { anthropic: { redactedData: 'r' } });
    answer.add('text', 'a');
    answer.markStored(answer.nextChunks(true));
    expect(answer.storedParts()).toEqual([
      { kind: 'thinking', text: '', metadata: { anthropic: { redactedData: 'r' } } },
      { kind: 'text', text: 'a' },
    ]);
  });

  it('starts no row for metadata alone, but keeps the metadata for the final row', () => {
    const answer = new AnswerBuffer('m');
    answer.end('thinking', { anthropic: { redactedData: 'r' } });
    expect({ chunks: answer.nextChunks(true), hasStored: answer.hasStored, parts: answer.storedParts() }).toEqual({
      chunks: [],
      hasStored: false,
      parts: [{ kind: 'thinking', text: '', metadata: { anthropic: { redactedData: 'r' } } }],
    });
  });

  it('emits every character once, in order, however deltas and commits interleave', () => {
    const step = fc.oneof(
      fc.record({
        do: fc.constant('add' as const),
        kind: fc.constantFrom('text' as const, 'thinking' as const),
        text: fc.string({ unit: 'binary', minLength: 1, maxLength: 5 }),
      }),
      fc.record({ do: fc.constant('commit' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const answer = new AnswerBuffer('m');
        const given = { text: '', thinking: '' };
        const chunks: Chunk[] = [];
        const commit = (all: boolean) => {
          const next = answer.nextChunks(all);
          answer.markStored(next);
          chunks.push(...next);
        };
        for (const action of steps) {
          if (action.do === 'commit') commit(false);
          else {
            answer.add(action.kind, action.text);
            given[action.kind] += action.text;
          }
        }
        commit(true);
        const of = (kind: 'text' | 'thinking') =>
          answer
            .storedParts()
            .filter((part) => part.kind === kind)
            .map((part) => ('text' in part ? part.text : ''))
            .join('');
        expect({ text: of('text'), thinking: of('thinking') }).toEqual({
          text: given.text.toWellFormed(),
          thinking: given.thinking.toWellFormed(),
        });
        expect(chunks.map((chunk) => chunk.seq)).toEqual(chunks.map((_, index) => index + 1));
      }),
    );
  });
});
