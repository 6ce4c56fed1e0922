import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutputFilter, type OutputPiece } from '../../../src/agent/outputFilter';
import { documentStart, isCodeAt, placeAfter } from '../../../src/transcript/text/documentPlace';
import { isInCode } from '../../support/markdown/codeOracle';
import { answersAboutTags, specExamples } from '../../support/markdown/markdownSamples';
import { isOnlyUntagged } from '../../support/markdown/tagAlignment';

/** The answer in these requests, each of them in deltas of `size` characters. */
function filtered(requests: readonly string[], size = Infinity): readonly OutputPiece[] {
  const filter = new OutputFilter();
  const pieces = requests.flatMap((request, index) => {
    const begun = index === 0 ? [] : filter.beginRequest(true);
    const deltas: OutputPiece[] = [];
    for (let at = 0; at < request.length; at += size) deltas.push(...filter.take(request.slice(at, at + size)));
    return [...begun, ...deltas];
  });
  return [...pieces, ...filter.end()];
}

/** Neighbors of one kind as one: how they were cut does not matter. */
function joined(pieces: readonly OutputPiece[]): readonly OutputPiece[] {
  return pieces.reduce<OutputPiece[]>((all, piece) => {
    const last = all.at(-1);
    if (piece.kind === 'thinkingEnd' || last?.kind !== piece.kind) return [...all, piece];
    return [...all.slice(0, -1), { kind: piece.kind, text: last.text + piece.text }];
  }, []);
}

const anyTag = /<\/?(?:think|thinking)>|<\/?memory-context>/gi;

function isAllCode(raw: string): boolean {
  return [...raw.matchAll(anyTag)].every(({ index }) => isInCode(raw, index));
}

/** What is wrong with the answer for one way of cutting it into two requests; null when nothing is. */
function faultOf(raw: string, allCode: boolean, cut: number, size: number): string | null {
  const pieces = filtered([raw.slice(0, cut), raw.slice(cut)], size);
  const isRight = allCode
    ? JSON.stringify(joined(pieces)) === JSON.stringify(raw === '' ? [] : [{ kind: 'text', text: raw }])
    : isOnlyUntagged(raw, pieces, cut);
  return isRight ? null : `${JSON.stringify(raw)} cut at ${cut}: ${JSON.stringify(joined(pieces))}`;
}

function faultsOf(raw: string, cuts: readonly number[], size = 1): readonly string[] {
  const allCode = isAllCode(raw);
  return cuts.flatMap((cut) => faultOf(raw, allCode, cut, size) ?? []);
}

function everyCut(raw: string): readonly number[] {
  return Array.from({ length: raw.length + 1 }, (_, cut) => cut);
}

const insertions = [
  '<think>',
  '</think>',
  '<think>w</think>',
  '<think>\nw\n</think>\n',
  '<memory-context>\nw\n</memory-context>\n',
];
const fragments = fc.constantFrom(
  'word',
  'a b',
  ' ',
  '  ',
  '    ',
  '\t',
  '\n',
  '\n\n',
  '\r\n',
  '`',
  '``',
  '```',
  '````',
  '~~~',
  '- ',
  '1. ',
  '> ',
  '# ',
  '***',
  '---',
  '===',
  '\\',
  '\\`',
  '|',
  '](x`y)',
  '<b title="`">',
  '<pre>',
  '</pre>',
  '<!--',
  '-->',
  '<div>',
  '<a>',
  '<',
);
const someMarkdown = fc.array(fragments, { maxLength: 24 }).map((parts) => parts.join(''));
const someTags = fc.constantFrom(
  '<think>',
  '</think>',
  '<THINK>',
  '<memory-context>',
  '</memory-context>',
  '\n<think>\n',
  '\n</think>\n',
  '\n<memory-context>\nw\n</memory-context>\n',
);

/** Why a place may count as code although the reference does not say so: nothing has closed its backticks yet, or
 *  it stands in a fence's own line or in HTML that is shown as it is. */
function mayBeInDoubt(before: string): boolean {
  return (
    /[`~]/.test(before.slice(before.search(/(?:(?!\n[ \t>]*\n)[^])*$/))) ||
    /<(?:pre|script|style|textarea|[!?])/i.test(before)
  );
}

describe('code in an answer', () => {
  it('is recognized at every position of every example in the CommonMark specification', () => {
    const places = specExamples.flatMap((example) => everyCut(example).map((at) => ({ example, at })));
    const wrong = places.filter(({ example, at }) => {
      const before = example.slice(0, at);
      const isCode = isCodeAt(placeAfter(documentStart, before));
      return isInCode(example, at) ? !isCode : isCode && !mayBeInDoubt(before);
    });
    expect({ enough: places.length > 10_000, wrong }).toEqual({ enough: true, wrong: [] });
  });

  it('is recognized in any Markdown, however it is cut', () => {
    fc.assert(
      fc.property(someMarkdown, someMarkdown, fc.nat({ max: 9 }), (before, after, cut) => {
        const place = placeAfter(placeAfter(documentStart, before.slice(0, cut)), before.slice(cut));
        expect(place).toEqual(placeAfter(documentStart, before));
        const isCode = isCodeAt(place);
        if (isInCode(before + after, before.length)) expect(isCode).toBe(true);
        else if (isCode) expect(mayBeInDoubt(before)).toBe(true);
      }),
      { numRuns: 4000 },
    );
  });
});

describe('everything outside a tag is delivered byte for byte, in the same part,', () => {
  it('in every example of the CommonMark specification', () => {
    const wrong = specExamples.flatMap((example) => faultsOf(example, everyCut(example)));
    expect(wrong).toEqual([]);
  });

  it.each(insertions)('in every such example with %j anywhere in it', (inserted) => {
    const wrong = specExamples.flatMap((example, number) => {
      const step = 1 + (number % 5);
      return everyCut(example)
        .filter((at) => at % step === 0)
        .flatMap((at) => {
          const raw = `${example.slice(0, at)}${inserted}${example.slice(at)}`;
          return faultsOf(raw, [0, at, at + 3], 5);
        });
    });
    expect(wrong).toEqual([]);
  });

  it('in answers about the tags, cut at every position', () => {
    const isCode = answersAboutTags.slice(0, 3).map((answer) => isAllCode(answer));
    const wrong = answersAboutTags.flatMap((answer) => faultsOf(answer, everyCut(answer)));
    expect({ isCode, wrong }).toEqual({ isCode: [true, true, true], wrong: [] });
  });

  it('in any Markdown with tags, with any two requests and any deltas', () => {
    const text = fc
      .array(fc.oneof({ weight: 3, arbitrary: fragments }, { weight: 1, arbitrary: someTags }), { maxLength: 20 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.nat({ max: 80 }), fc.integer({ min: 1, max: 9 }), (raw, cut, size) => {
        expect(faultsOf(raw, [cut], size)).toEqual([]);
      }),
      { numRuns: 4000 },
    );
  });

  it('in every answer of up to four pieces', () => {
    const alphabet = [
      '<think>',
      '</think>',
      '<memory-context>',
      '</memory-context>',
      '`',
      '```',
      '\n',
      'a',
      '    ',
      '- ',
    ];
    let answers: readonly (readonly string[])[] = [[]];
    const wrong: string[] = [];
    let count = 0;
    for (let length = 1; length <= 4; length++) {
      answers = answers.flatMap((answer) => alphabet.map((piece) => [...answer, piece]));
      for (const answer of answers) {
        count++;
        const raw = answer.join('');
        const cuts = answer.map((_, index) => answer.slice(0, index).join('').length);
        wrong.push(...faultsOf(raw, cuts, 4));
      }
    }
    expect({ count, wrong }).toEqual({ count: 11_110, wrong: [] });
  });
});
