import { describe, expect, test } from 'vitest';
import { MarkdownBlocks } from '../../../../src/webview/markdown/blocks';
import { fileNamesIn, mayBeName } from '../../../../src/webview/markdown/nameTexts';
import { growsAtMost } from '../../../support/growth';
import { hostileMarkdown } from '../../../support/hostileMarkdown';

const parsed = (text: string): string =>
  new MarkdownBlocks()
    .render(text, true)
    .map(({ html }) => html)
    .join('');

describe('hostile text costs no more than its size explains, as a whole and in pieces', () => {
  test.each(hostileMarkdown)('$name', ({ text }) => {
    // With the end of the whole: what is tried at each character is often found, or not, at the last.
    const part = (share: number): string => text.slice(0, (text.length - 1) * share) + (text.at(-1) ?? '');
    const whole = growsAtMost(20, (share) => void parsed(part(share)));
    // Emphasis in emphasis grows with the cube.
    const inPieces = growsAtMost(64, (share) => {
      const [given, blocks] = [part(share), new MarkdownBlocks()];
      for (let end = 1; end < 20; end++) blocks.render(given.slice(0, (given.length * end) / 20), false);
      blocks.render(given, true);
    });
    const names = growsAtMost(20, (share) => void (fileNamesIn(part(share)).length + Number(mayBeName(part(share)))));
    expect([whole, inPieces, names]).toEqual([true, true, true]);
  });
});
