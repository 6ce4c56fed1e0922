import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RepeatGate } from '../../../src/agent/repeatGate';
import type { RepeatMode } from '../../../src/transcript/repeats';

/** What a person would read: the delivered text, and behind it what the gate let through of the deltas. */
function read(mode: RepeatMode, delivered: string, deltas: readonly string[]): string {
  const gate = new RepeatGate(mode, delivered, '\n\n', () => true);
  return delivered + deltas.map((delta) => gate.take(delta)).join('') + gate.end();
}

describe('an answer that was asked for again', () => {
  it.each([
    ['all of it repeated', 'I look at it.', 'I look at it.', 'I look at it.'],
    ['repeated and gone on with', 'I look', 'I look at it.', 'I look at it.'],
    ['broken off in a word', 'Hello wor', 'Hello world', 'Hello world'],
    ['repeated in part', 'I look at it.', 'I look', 'I look at it.'],
    ['repeated with other white space', 'I look \n', 'I  look\nat it.', 'I look \nat it.'],
    ['said differently', 'I look at it.', 'I read it.', 'I look at it.\n\nI read it.'],
    ['begun with nothing delivered', '', 'I look.', 'I look.'],
  ])('%s', (_name, delivered, arriving, expected) => {
    expect([read('again', delivered, [arriving]), read('again', delivered, [...arriving])]).toEqual([
      expected,
      expected,
    ]);
  });
});

describe('an answer that was asked for again, behind a part of another kind', () => {
  it.each([
    ['goes on behind the words it repeats', 'I look', 'I look at it.', ' at it.'],
    [
      'is said whole where it would begin with half a word',
      'I look at item 1',
      'I look at item 10.',
      'I look at item 10.',
    ],
  ])('%s', (_name, delivered, arriving, expected) => {
    const gate = new RepeatGate('again', delivered, '', () => false);
    expect([...arriving].map((character) => gate.take(character)).join('') + gate.end()).toBe(expected);
  });
});

describe('an answer that goes on', () => {
  it.each([
    ['at the very place', 'One, two, thr', 'ee, four.', 'One, two, three, four.'],
    [
      'with its last words again',
      'The quick brown fox jumps',
      'brown fox jumps over it.',
      'The quick brown fox jumps over it.',
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
    ['behind a line that was ended', 'one two three four\n', 'three four\nfive', 'one two three four\nfive'],
  ])('%s', (_name, delivered, arriving, expected) => {
    expect([read('goesOn', delivered, [arriving]), read('goesOn', delivered, [...arriving])]).toEqual([
      expected,
      expected,
    ]);
  });

  it('holds back only what may be a repeat', () => {
    const gate = new RepeatGate('goesOn', 'The quick brown fox', '', () => true);
    expect(['quick ', 'brown ', 'fox', ' jumps', ' over'].map((delta) => gate.take(delta))).toEqual([
      '',
      '',
      '',
      ' jumps',
      ' over',
    ]);
  });
});

describe('in whatever pieces it comes', () => {
  const words = fc.array(fc.constantFrom('alpha', 'beta', 'gamma', 'delta', '{', '}', ' ', '\n'), { maxLength: 14 });

  it('the reading is the same, what was delivered stands, and what is new ends it', () => {
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
