import { describe, expect, test } from 'vitest';
import { isSmallEnough, mostExpansions, texOf } from '../../../../src/webview/markdown/formulas';

describe('math in an answer', () => {
  test.each([
    ['$x_1$', { tex: 'x_1', isDisplay: false }],
    ['\\(x\\)', { tex: 'x', isDisplay: false }],
    ['$$\nx\n$$', { tex: 'x', isDisplay: true }],
    ['\\[ x \\]', { tex: 'x', isDisplay: true }],
    ['  $$x$$ ', { tex: 'x', isDisplay: true }],
    // Still arriving, or empty.
    ['$$\nx', null],
    ['$$', null],
    ['$$$$', null],
    ['\\[x', null],
    ['$', null],
    ['x', null],
  ])('%j is TeX with signs around it', (source, expected) => expect(texOf(source)).toEqual(expected));

  test('is built only when it is short and flat', () => {
    const nested = (open: string, close: string, depth: number): string =>
      `${open.repeat(depth)}x${close.repeat(depth)}`;
    expect({
      usual: isSmallEnough('\\left\\{ \\frac{\\sqrt{a}}{b} \\right\\}'),
      // Arrows and commands that only begin like a delimiter, and braces that are text.
      alike: isSmallEnough('\\leftarrow \\rightarrow \\{ '.repeat(100)),
      long: isSmallEnough('x'.repeat(5001)),
      braces: isSmallEnough(nested('{', '}', 61)),
      delimiters: isSmallEnough(nested('\\left(', '\\right)', 61)),
      environments: isSmallEnough(nested('\\begin{matrix}', '\\end{matrix}', 61)),
      beside: isSmallEnough('{x}'.repeat(1000)),
    }).toEqual({
      usual: true,
      alike: true,
      long: false,
      braces: false,
      delimiters: false,
      environments: false,
      beside: true,
    });
  });

  test('that defines macros may use them less, the longer it is', () => {
    expect([
      mostExpansions('\\defeq \\dots'),
      mostExpansions('\\newcommand{\\R}{\\mathbb{R}} x \\in \\R'),
      mostExpansions(`\\def\\a{${'x'.repeat(1990)}}`),
      mostExpansions(`\\gdef\\a{${'x'.repeat(1990)}}`),
      mostExpansions(`\\futurelet\\a${'x'.repeat(1990)}`),
    ]).toEqual([1000, 555, 10, 10, 9]);
  });
});
