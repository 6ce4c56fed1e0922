// @vitest-environment happy-dom
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MarkdownBlocks } from '../../../../src/webview/markdown/blocks';
import { RenderedBlocks } from '../../../../src/webview/markdown/renderedBlocks';
import { loadBlockTools } from '../../../../src/webview/markdown/closedBlocks';
import { loadHighlighting } from '../../../../src/webview/markdown/codeColours';

// What the sanitiser lets through is tested in a browser.
vi.mock('../../../../src/webview/markdown/sanitizer', () => import('../../../support/plainSanitizer'));

const actions = { openLink: () => undefined, copy: () => undefined };

/** Tells at once that everything is seen, or never tells anything. */
class Sight {
  static sees = false;
  static readonly observed = new Set<Element>();
  private readonly seen: (entries: readonly object[]) => void;
  constructor(seen: (entries: readonly object[]) => void) {
    this.seen = seen;
  }
  observe(target: Element): void {
    Sight.observed.add(target);
    if (Sight.sees) this.seen([{ target, isIntersecting: true }]);
  }
  unobserve(target: Element): void {
    Sight.observed.delete(target);
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('IntersectionObserver', Sight);
});
afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function drawing(): { readonly element: HTMLElement; draw(text: string, complete: boolean): string } {
  const element = document.body.appendChild(document.createElement('div'));
  const [blocks, drawn] = [new MarkdownBlocks(), new RenderedBlocks(element)];
  return {
    element,
    draw: (text, complete) => {
      drawn.show(blocks.render(text, complete), actions);
      return element.innerHTML;
    },
  };
}

describe('the rendered blocks of an answer', () => {
  test('equal, at every step, the text rendered at once', () => {
    const pieces = [
      '```ts\n',
      '```\n',
      '~~~\n',
      'const a = "<b>";\n',
      '\n',
      '\n\n',
      'text',
      '**',
      ' & ',
      '> ',
      '# T\n',
      '| a | b |\n|---|---|\n| 1 | 2 |\n',
      '1. one\n',
      '`',
      '[a](b.ts)',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 20, size: 'max' }), (parts) => {
        const streamed = drawing();
        parts.forEach((_, index) => streamed.draw(parts.slice(0, index + 1).join(''), false));
        expect(streamed.draw(parts.join(''), true)).toBe(drawing().draw(parts.join(''), true));
        document.body.replaceChildren();
      }),
      { numRuns: 100 },
    );
  });

  test('name a table by its columns, as no landmark, and keep short cells on one line', () => {
    const { element, draw } = drawing();
    draw('| Value | |\n|---|---|\n| ±10 % | of the first measurement |\n\n| | |\n|---|---|\n| 1 | |\n', true);
    const frames = [...element.querySelectorAll('.table-frame')];
    expect([
      frames.map((frame) => `${frame.getAttribute('role') ?? ''} ${frame.getAttribute('aria-label') ?? ''}`),
      [...element.querySelectorAll('td:not(.short)')].map((cell) => cell.textContent),
    ]).toEqual([['group Value', 'group Table'], ['of the first measurement']]);
  });

  test('keep the element and the text node of code that grows', () => {
    const { element, draw } = drawing();
    draw('Look:\n\n```ts\nconst a', false);
    const text = element.querySelector('pre > code')?.firstChild;
    draw('Look:\n\n```ts\nconst a = "<b>";', false);
    draw('Look:\n\n```ts\nconst a = "<b>";\n```\n\nDone.', false);
    expect([element.querySelector('pre > code')?.firstChild === text, text?.textContent]).toEqual([
      true,
      'const a = "<b>";',
    ]);
  });

  test('keep the existing content of a block that grows, and the selection in it', () => {
    const { element, draw } = drawing();
    draw('One **two** thr', false);
    const [paragraph, text] = [element.querySelector('p'), element.querySelector('p')?.lastChild];
    draw('One **two** three\nand `four`', false);
    expect([
      element.querySelector('p') === paragraph,
      element.querySelector('strong')?.nextSibling === text,
      element.innerHTML,
    ]).toEqual([
      true,
      true,
      '<div class="markdown-run"><div class="markdown-block"><p>One <strong>two</strong> three\nand ' +
        '<code>four</code></p>\n</div></div>',
    ]);
  });

  test('are colored once their code is closed and stays in view, and keep their text', async () => {
    await Promise.all([loadBlockTools(), loadHighlighting()]);
    Sight.sees = true;
    const { element, draw } = drawing();
    const coloured = (): readonly boolean[] =>
      [...element.querySelectorAll('pre')].map((pre) => pre.querySelector('[class^=hljs-]') !== null);
    draw('```ts\nconst a = 1;\n', false);
    vi.advanceTimersByTime(1000);
    const open = coloured();
    draw('```ts\nconst a = 1;\n```\n\nDone.', false);
    const atOnce = coloured();
    vi.advanceTimersByTime(1000);
    expect({ open, atOnce, rested: coloured(), text: element.querySelector('code')?.textContent }).toEqual({
      open: [false],
      atOnce: [false],
      rested: [true],
      text: 'const a = 1;',
    });
    Sight.sees = false;
  });

  test('stay plain while out of view', async () => {
    await Promise.all([loadBlockTools(), loadHighlighting()]);
    const { element, draw } = drawing();
    draw('```ts\nconst a = 1;\n```', true);
    vi.advanceTimersByTime(1000);
    expect(element.querySelector('[class^=hljs-]')).toBeNull();
  });

  test('get code actions out of view once no block has closed for a while', async () => {
    await loadBlockTools();
    const { element, draw } = drawing();
    const dressed = (): number => element.querySelectorAll('[role=toolbar]').length;
    let text = '';
    for (let count = 0; count < 10; count++) {
      text += '```sh\nls\n```\n\n';
      draw(text, false);
      vi.advanceTimersByTime(100);
    }
    const streaming = dressed();
    vi.advanceTimersByTime(1000);
    draw(text, true);
    vi.advanceTimersByTime(1000);
    expect({ streaming, quiet: dressed() }).toEqual({ streaming: 0, quiet: 10 });
  });

  test('are released with their page, seen or not', () => {
    const { element, draw } = drawing();
    draw('One.\n\nTwo.', true);
    const kept = drawing();
    kept.draw('Three.', true);
    const observed = (): readonly boolean[] =>
      [element, kept.element].map(({ firstElementChild: run }) => run !== null && Sight.observed.has(run));
    const before = observed();
    element.remove();
    vi.advanceTimersByTime(1000);
    expect({ before, after: observed() }).toEqual({ before: [true, true], after: [false, true] });
  });
});
