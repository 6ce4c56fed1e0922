import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Passed, RepeatGate } from '../../../src/agent/answerIntake';
import type { RepeatMode } from '../../../src/transcript/text/repeats';

/** What a person would read: the delivered text, and behind it what the gate let through of the deltas; a bar
 *  where it begins differently. */
function read(mode: RepeatMode, delivered: string, deltas: readonly string[]): string {
  const gate = new RepeatGate(mode, delivered, () => true);
  return delivered + [...deltas.map((delta) => gate.take(delta)), gate.end()].map(passed).join('');
}

function passed({ text, joins }: Passed): string {
  return joins ? text : `|${text}`;
}

describe('an answer that is requested again', () => {
  it.each([
    ['all of it repeated', 'I look at it.', 'I look at it.', 'I look at it.'],
    ['repeated and gone on with', 'I look', 'I look at it.', 'I look at it.'],
    ['broken off in a word', 'Hello wor', 'Hello world', 'Hello world'],
    ['repeated in part', 'I look at it.', 'I look', 'I look at it.'],
    ['repeated with other white space', 'I look \n', 'I  look\nat it.', 'I look \nat it.'],
    ['said differently', 'I look at it.', 'I read it.', 'I look at it.|I read it.'],
    ['begun with nothing delivered', '', 'I look.', 'I look.'],
  ])('%s', (_name, delivered, arriving, expected) => {
    expect([read('again', delivered, [arriving]), read('again', delivered, [...arriving])]).toEqual([
      expected,
      expected,
    ]);
  });
});

describe('an answer that is requested again after a part of another kind', () => {
  it.each([
    ['goes on behind the words it repeats', 'I look', 'I look at it.', ' at it.'],
    [
      'is said whole where it would begin with half a word',
      'I look at item 1',
      'I look at item 10.',
      '|I look at item 10.',
    ],
  ])('%s', (_name, delivered, arriving, expected) => {
    const gate = new RepeatGate('again', delivered, () => false);
    expect([...[...arriving].map((character) => gate.take(character)), gate.end()].map(passed).join('')).toBe(expected);
  });
});

describe('an answer that continues', () => {
  it.each([
    ['at the very place', 'One, two, thr', 'ee, four.', 'One, two, three, four.'],
    [
      'with its last sentence again',
      'Look! The quick brown fox jumps over the very lazy',
      'The quick brown fox jumps over the very lazy dog.',
      'Look! The quick brown fox jumps over the very lazy dog.',
    ],
    [
      'with sixty characters again, from the middle of a sentence',
      'First, the parser that reads every file of the project twice before it answers makes a tree of the',
      'reads every file of the project twice before it answers makes a tree of the tokens.',
      'First, the parser that reads every file of the project twice before it answers makes a tree of the tokens.',
    ],
    [
      'with sixty characters of a finished line again',
      'Steps:\n1. Read every file of the project twice, and write down what each of them is for.\n',
      '1. Read every file of the project twice, and write down what each of them is for.\n2. Ask.',
      'Steps:\n1. Read every file of the project twice, and write down what each of them is for.\n2. Ask.',
    ],
    [
      'with its last line again',
      'One:\n- the quick brown fox jumps over the lazy',
      '- the quick brown fox jumps over the lazy dog\n',
      'One:\n- the quick brown fox jumps over the lazy dog\n',
    ],
    [
      'with its last lines again',
      'First.\nThe second line is here,\nand here comes',
      'The second line is here,\nand here comes the third.',
      'First.\nThe second line is here,\nand here comes the third.',
    ],
    [
      'in the middle of its last sentence, which may be chance',
      'Slowly the quick brown fox jumps over the very lazy',
      'quick brown fox jumps over the very lazy dog.',
      'Slowly the quick brown fox jumps over the very lazyquick brown fox jumps over the very lazy dog.',
    ],
    [
      'with a few of its last words again, which may be chance',
      'Look! The quick brown fox',
      'The quick brown fox jumps.',
      'Look! The quick brown foxThe quick brown fox jumps.',
    ],
    ['from its first word again', 'One, two, thr', 'One, two, three, four.', 'One, two, three, four.'],
    ['with all of it and nothing else', 'One, two, three.', 'One, two, three.', 'One, two, three.'],
    ['with a word that stood elsewhere before', 'a { b } c { d ', '}', 'a { b } c { d }'],
    ['with brackets that end alike', 'f(((x)))', ')))', 'f(((x))))))'],
    [
      'with a sentence that only begins as one before',
      'The sum is one. And',
      'The sum is two.',
      'The sum is one. AndThe sum is two.',
    ],
    [
      'with the last line again, which may be the next one',
      'First.\nA line that is said twice, because it has to be.\n',
      'A line that is said twice, because it has to be.\nEnd.',
      'First.\nA line that is said twice, because it has to be.\nA line that is said twice, because it ' +
        'has to be.\nEnd.',
    ],
    [
      'with a third row like the two before it',
      '[\n{"kind": "entry", "value": "the default one"},\n{"kind": "entry", "value": "the default one"},',
      '\n{"kind": "entry", "value": "the default one"}\n]',
      '[\n{"kind": "entry", "value": "the default one"},\n{"kind": "entry", "value": "the default ' +
        'one"},\n{"kind": "entry", "value": "the default one"}\n]',
    ],
    [
      'with a row like the two before it, cut off in it',
      'row of the table, row of the table, row of ',
      'row of the table, row of the table.',
      'row of the table, row of the table, row of row of the table, row of the table.',
    ],
    [
      'with a last line that is the first',
      'Row, row, row your boat gently down the stream.\nMerrily, merrily.\n',
      'Row, row, row your boat gently down the stream.',
      'Row, row, row your boat gently down the stream.\nMerrily, merrily.\nRow, row, row your boat ' +
        'gently down the stream.',
    ],
    ['with a refrain', 'Na na na na na na ', 'na na na na na na hey', 'Na na na na na na na na na na na na hey'],
  ])('%s', (_name, delivered, arriving, expected) => {
    expect([read('goesOn', delivered, [arriving]), read('goesOn', delivered, [...arriving])]).toEqual([
      expected,
      expected,
    ]);
  });

  it('holds back only text that may be a repeat', () => {
    const gate = new RepeatGate('goesOn', 'See!\nThe quick brown fox jumps over the very lazy', () => true);
    expect(
      ['The quick brown fox ', 'jumps over ', 'the very lazy', ' dog', ' now'].map((delta) => gate.take(delta).text),
    ).toEqual(['', '', '', ' dog', ' now']);
  });
});

describe('however it is split into pieces', () => {
  const words = fc.array(fc.constantFrom('alpha', 'beta', 'gamma', 'delta', '{', '}', ' ', '\n'), { maxLength: 14 });

  it('the result is the same, it starts with the delivered text, and it ends with the new text', () => {
    fc.assert(
      fc.property(words, words, words, fc.constantFrom<RepeatMode>('again', 'goesOn'), (first, second, third, mode) => {
        const delivered = [...first, ...second].join('');
        const arriving = [...(mode === 'again' ? first : []), ...second, 'Ω', ...third].join('');
        const whole = read(mode, delivered, [arriving]);
        expect({
          same: read(mode, delivered, [...arriving]),
          begins: whole.startsWith(delivered),
          ends: whole.endsWith(['Ω', ...third].join('')),
        }).toEqual({ same: whole, begins: true, ends: true });
        if (mode === 'again')
          expect(whole.replace(/\s/g, '')).toBe([...first, ...second, 'Ω', ...third].join('').replace(/\s/g, ''));
      }),
      { numRuns: 1500 },
    );
  });
});
