import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutputFilter, type OutputPiece } from '../../../src/agent/outputFilter';

/** The answer as a surface would show it: `thinking` in angle brackets, each passage closed by a bar. */
function shown(pieces: readonly OutputPiece[]): string {
  let text = '';
  let kind: 'text' | 'thinking' = 'text';
  for (const piece of pieces) {
    if (piece.kind === 'thinkingEnd') {
      text += kind === 'thinking' ? '|»' : '';
      kind = 'text';
      continue;
    }
    if (piece.kind !== kind) text += piece.kind === 'thinking' ? '«' : '»';
    kind = piece.kind;
    text += piece.text;
  }
  return text;
}

function filtered(deltas: readonly string[]): string {
  const filter = new OutputFilter();
  return shown([...deltas.flatMap((delta) => filter.take(delta)), ...filter.end()]);
}

describe('what the filter removes from an answer', () => {
  it.each([
    ['thinking at the start', '<think>Hm.</think>\n\nYes.', '«Hm.|»Yes.'],
    [
      'every known tag, whatever its case',
      '<THINKING>a</thinking>\n<reasoning>b</reasoning>\n<Thought>c</' +
        'Thought>\n<REASONING_SCRATCHPAD>d</REASONING_SCRATCHPAD>e',
      '«a|»«b|»«c|»«d|»e',
    ],
    ['thinking at the start of a line', 'One.\n  <think>two</think>\nthree', 'One.\n  «two|»three'],
    ['a pair in the middle of a line', 'One <think>two</think> three', 'One «two|» three'],
    ['thinking that is never closed', '<think>and so on\nand on', '«and so on\nand on|»'],
    [
      'another tag inside of thinking',
      '<think>a <thinking> b </thinking> c</think>d',
      '«a <thinking> b </thinking> c|»d',
    ],
    ['a closer that closes nothing, with the space behind it', 'Thought.</think>\n\nAnswer.', 'Thought.Answer.'],
    ['a memory fence on lines of its own', 'One.\n<memory-context>\nsecret\n</memory-context>\nTwo.', 'One.\nTwo.'],
    [
      'a memory fence with text behind its closer',
      'One.\n<memory-context>\nsecret `</memory-context>` \n</memory-context>Two.',
      'One.\nTwo.',
    ],
    [
      'a closer in backticks, from thinking',
      '<think>It ends at `</think>`, I think.</think>\n\nYes.',
      '«It ends at `</think>`, I think.|»Yes.',
    ],
    [
      'thinking behind text, but not the indentation of what follows',
      '- One\n<think>two</think>\n\n  - three',
      '- One\n«two|»  - three',
    ],
    [
      'thinking whose closer is near, but not one in code',
      'One.\n<think>`</think>` two</think>\nthree',
      'One.\n«`</think>` two|»three',
    ],
  ])('%s', (_name, text, expected) => {
    expect(filtered([text])).toBe(expected);
  });

  it.each([
    ['an opener in the middle of a line that is not closed there', 'Models open <think> first.\nThen they close </b>.'],
    ['tags in inline code', 'Use `<think>` and `</think>`.'],
    ['inline code at the start of a line', '`<think>` begins, `</think>` ends.'],
    ['tags in a fenced block', 'So:\n```html\n<think>\nx\n</think>\n<memory-context>\n```\nDone.'],
    ['a memory fence that is not alone on its line', 'It says <memory-context> there.\n<memory-context> too\n'],
    ['a memory fence that is never closed', 'One.\n<memory-context>\nsecret'],
    ['thinking behind text that is never closed', 'One.\n<think> is the tag.\n\nAnd so on.'],
    ['thinking behind text that is closed in code alone', 'It opens with\n<think>\nand closes with `</think>`.'],
    ['a sentence about the memory fence', 'The tag\n<memory-context>\nopens it, and `</memory-context>` closes it.'],
    ['a closer of an opener that was a word', 'Models open <think> first.\nThen they close </think>\nand answer.'],
    ['a closer in a sentence', 'Behind </think> comes the answer.'],
    [
      'tags in a fence of four backticks around one of three',
      '````md\n```\n<think>\n```\n<memory-context>\nx\n</memory-context>\n````\n',
    ],
    ['tags in a fence of tildes', '~~~\n```\n<think>a</think>\n~~~\n'],
    ['tags in a fence behind a list mark', '1. Run\n   - ```xml\n     <think>\n     x\n     </think>\n     ```\n'],
    ['tags in a fence in a quotation', '> ```\n> <memory-context>\n> x\n> </memory-context>\n> ```\n'],
    ['tags in indented code', 'So:\n\n    <think>\n    x\n    </think>\n'],
    ['tags in a code span of two backticks, over two lines', 'See `` a ` b\n<think> c</think> ``.'],
    ['tags in preformatted HTML', '<pre>\n<think>\nx\n</think>\n</pre>\n'],
    ['other tags and comparisons', '<b>1</b> < 2 <thinker> <th'],
    ['white space', '\n\n  a  \n'],
  ])('leaves %s unchanged', (_name, text) => {
    expect(filtered([text])).toBe(text);
  });

  it.each([
    ['inline code that looks like a fence', 'Run\n```npm install```\nthen:\n', 'Done.'],
    ['a fence behind a list mark', '- ```sh\n  ls\n  ```\n', 'Done.'],
    ['a fence that its list ended', '- ```sh\n  ls\n\nThen:\n', 'Done.'],
  ])('removes tags after %s', (_name, before, after) => {
    expect(filtered([`${before}<memory-context>\nx\n</memory-context>\n<think>y</think>\n${after}`])).toBe(
      `${before}«y|»${after}`,
    );
  });

  it('continues with the next part, and ends thinking with the part before it', () => {
    const filter = new OutputFilter();
    const first = [...filter.take('<think>one'), ...filter.end()];
    expect([shown(first), filter.unclosed, shown([...filter.take('two'), ...filter.end()]), filter.unclosed]).toEqual([
      '«one|»',
      'one',
      'two',
      '',
    ]);
  });

  it('passes a delta on unchanged if there is nothing to remove', () => {
    expect(new OutputFilter().take('if (a < b) {\n  `c`\n}')).toEqual([
      { kind: 'text', text: 'if (a < b) {\n  `c`\n}' },
    ]);
  });

  it('holds a line back no longer than a tag pair can reach', () => {
    const filter = new OutputFilter();
    const held = filter.take(`a <think>${'b'.repeat(1900)}`);
    expect([shown(held), shown(filter.take('b'.repeat(200)))]).toEqual(['a ', `<think>${'b'.repeat(2100)}`]);
  });

  it('emits text as soon as it cannot be a tag', () => {
    const filter = new OutputFilter();
    const deltas = ['\n<think>', 'x<', '/think', '>y ', 'a <', 'b', ' <thi', 'ngs'];
    expect(deltas.map((delta) => shown(filter.take(delta)))).toEqual([
      '\n',
      '«x',
      '',
      'y ',
      'a ',
      '<b',
      ' ',
      '<things',
    ]);
  });

  it('emits the thinking that opens an answer while it streams, and thinking after text when its closing tag arrives', () => {
    const filter = new OutputFilter();
    const deltas = ['<think>', 'a', 'b', '</think>\n\n', 'One.\n', '<think>', 'c', '</think>\n', 'Two.'];
    expect(deltas.map((delta) => shown(filter.take(delta)))).toEqual([
      '',
      '«a',
      '«b',
      '',
      'One.\n',
      '',
      '',
      '«c|»',
      'Two.',
    ]);
  });
});

describe('however an answer is split into deltas', () => {
  const word = fc.constantFrom(
    'a',
    ' ',
    '\n',
    '`',
    '```',
    '<',
    '>',
    '</',
    '<think>',
    '</think>',
    '<THINK>',
    '<thinking>',
    '</thinking>',
    '<thi',
    'nk>',
    '<memory-context>',
    '</memory-context>',
    '\r\n',
    '🌍',
    'word',
  );
  const answer = fc.array(word, { maxLength: 30 }).map((words) => words.join(''));

  it('the result is the same', () => {
    fc.assert(
      fc.property(answer, fc.array(fc.nat({ max: 60 }), { maxLength: 12 }), (text, cuts) => {
        const at = [0, ...cuts.filter((cut) => cut < text.length).sort((left, right) => left - right), text.length];
        const deltas = at.slice(1).map((end, index) => text.slice(at[index], end));
        expect(filtered(deltas)).toBe(filtered([text]));
        expect(filtered([...text])).toBe(filtered([text]));
      }),
      { numRuns: 1500 },
    );
  });

  it('no word outside a memory fence is lost or moved', () => {
    const plain = fc
      .array(fc.constantFrom('x', 'y ', '\n', '`', '<', '<think>', '</think>', '<reasoning>', '</reasoning>'), {
        maxLength: 30,
      })
      .map((words) => words.map((word, index) => (/[xy]/.test(word) ? `${word.trim()}${index} ` : word)).join(''));
    fc.assert(
      fc.property(plain, (text) => {
        const words = (from: string): readonly string[] => from.match(/[xy]\d+/g) ?? [];
        expect(words(filtered([text]))).toEqual(words(text));
      }),
      { numRuns: 1500 },
    );
  });

  it('text without tags passes through unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        expect(filtered([...text])).toBe(text);
      }),
    );
  });
});
