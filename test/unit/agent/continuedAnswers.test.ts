import { describe, expect, it } from 'vitest';
import { continued, partsOf } from '../../support/answerReading';
import { answersAboutTags, repetitiveAnswers, specExamples } from '../../support/markdown/markdownSamples';
import { streamTexts } from '../../support/streamTexts';
import { ownStreams, streamsIn } from '../../faults';

/** A directory with recorded streams of real services, beside our own. */
const directory = process.env['HERMES_STREAMS'];
const recorded = [...ownStreams(), ...(directory === undefined ? [] : streamsIn(directory))].map(
  (stream) => streamTexts(stream).text,
);

function everyCut(text: string, step = 1): readonly number[] {
  return Array.from({ length: Math.floor(text.length / step) + 1 }, (_, index) => index * step);
}

function wrongCuts(answer: string, step = 1): readonly string[] {
  return everyCut(answer, step).flatMap((cut) => {
    const parts = partsOf(continued(answer, cut));
    const isWhole = parts.every(({ kind }) => kind === 'text') && parts.map(({ text }) => text).join('') === answer;
    return isWhole
      ? []
      : [
          `${JSON.stringify(answer.slice(0, cut))} goes on with ${JSON.stringify(answer.slice(cut))}: ` +
            `${JSON.stringify(parts)}`,
        ];
  });
}

describe('an answer that is cut at the output limit and continued is delivered whole, wherever it is cut:', () => {
  it.each([
    ['an example of the CommonMark specification', specExamples, 1],
    ['all of those examples as one answer', [specExamples.join('\n\n')], 97],
    ['an answer about tags in code', answersAboutTags.slice(0, 4), 1],
    ['text that repeats itself', repetitiveAnswers, 1],
    ['a recorded answer', recorded, 7],
  ])('%s', (_name, answers, step) => {
    expect(answers.flatMap((answer) => wrongCuts(answer, step))).toEqual([]);
  });
});

describe('an answer of several requests', () => {
  it.each([
    [
      'goes on in the code it was cut in, tags and all',
      ['```xml\n<root>\n', '<thinking>\ninner words\n</thinking>\n</root>\n```\nDone.'],
      'text ```xml\n<root>\n<thinking>\ninner words\n</thinking>\n</root>\n```\nDone.',
    ],
    [
      'goes on in the code span it was cut in',
      ['Use `', '<think>` and `</think>`.'],
      'text Use `<think>` and `</think>`.',
    ],
    [
      'keeps a tag that begins a request in the middle of a line, where nothing closes it',
      ['Models open ', '<think> and it has no closer, and so on.\n\nMore.'],
      'text Models open <think> and it has no closer, and so on.\n\nMore.',
    ],
    [
      'keeps an example of a memory fence in code',
      ['```\n', '<memory-context>\nexample\n</memory-context>\n```\n'],
      'text ```\n<memory-context>\nexample\n</memory-context>\n```\n',
    ],
    [
      'drops a memory fence that was cut',
      ['One.\n<memory-', 'context>\nsec', 'ret\n</memory-context>\nTwo.'],
      'text One.\nTwo.',
    ],
    [
      'thinks again before it goes on',
      ['<think>a</think>\n\nThe quick bro', '<think>b\n\nc</think>\n\nwn fox.'],
      'thinking a · text The quick bro · thinking b\n\nc · text wn fox.',
    ],
    [
      'thinks before it goes on, without having done so before',
      ['The quick bro', '<think>b\n\nc</think>\n\nwn fox.'],
      'text The quick bro · thinking b\n\nc · text wn fox.',
    ],
    [
      'never closes thinking of a continuation: what it held is said',
      ['<think>a</think>One. ', '<think>Two. Three.'],
      'thinking a · text One.  · thinking Two. Three. · text Two. Three.',
    ],
  ])('%s', (_name, texts, expected) => {
    const requests = texts.map((text, index) => ({
      mode: index === 0 ? ('again' as const) : ('goesOn' as const),
      deltas: [...text],
    }));
    expect(
      partsOf(requests)
        .map(({ kind, text }) => `${kind} ${text}`)
        .join(' · '),
    ).toBe(expected);
  });

  it.each([
    [
      'goes on in thinking that it repeats',
      ['<think>\nLet me lo', '<think>\nLet me look.</think>\nHi.'],
      'thinking \nLet me lo · thinking \nLet me look. · text Hi.',
    ],
    [
      'goes on in thinking at the end of a word',
      ['<think>\nLet me', '<think>\nLet me look.</think>\nHi.'],
      'thinking \nLet me · thinking  look. · text Hi.',
    ],
    [
      'goes on with a tag that was cut',
      ['Hello\n<thi', 'Hello\n<think>a</think>\nYes.'],
      'text Hello\n · thinking a · text Yes.',
    ],
    [
      'says what was held of an attempt whose words differ',
      ['Hello <thi', 'I read it.'],
      'text Hello <thi\n\nI read it.',
    ],
    [
      'does not think on where it says something else',
      ['<think>\nLet me', 'The answer.'],
      'thinking \nLet me · text The answer.',
    ],
  ])('whose first request is repeated %s', (_name, texts, expected) => {
    expect(
      partsOf(texts.map((text) => ({ mode: 'again', deltas: [...text] })))
        .map(({ kind, text }) => `${kind} ${text}`)
        .join(' · '),
    ).toBe(expected);
  });

  it('is not hidden in unclosed thinking once it has ended', () => {
    const request = { mode: 'again' as const, deltas: ['<think>Hm.\n\nIt is four.'] };
    expect([partsOf([request]), partsOf([request, request]), partsOf([request], false)]).toEqual([
      [
        { kind: 'thinking', text: 'Hm.\n\nIt is four.' },
        { kind: 'text', text: 'Hm.\n\nIt is four.' },
      ],
      [
        { kind: 'thinking', text: 'Hm.\n\nIt is four.' },
        { kind: 'text', text: 'Hm.\n\nIt is four.' },
      ],
      [{ kind: 'thinking', text: 'Hm.\n\nIt is four.' }],
    ]);
  });
});
