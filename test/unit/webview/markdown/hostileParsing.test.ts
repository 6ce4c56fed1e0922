import { describe, expect, test } from 'vitest';
import { MarkdownBlocks } from '../../../../src/webview/markdown/blocks';
import { fileNamesIn, mayBeName } from '../../../../src/webview/markdown/nameTexts';
import { hostileMarkdown } from '../../../support/hostileMarkdown';

const parsed = (text: string): string =>
  new MarkdownBlocks()
    .render(text, true)
    .map(({ html }) => html)
    .join('');

/** CPU time of this process: other programs on the machine do not count. */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Far beyond what any of them takes: what hangs takes minutes. */
describe('hostile text is parsed in bounded time, as a whole and in pieces', () => {
  test.each(hostileMarkdown)('$name', ({ text }) => {
    const whole = cpuMs(() => parsed(text));
    const inPieces = cpuMs(() => {
      const blocks = new MarkdownBlocks();
      for (let end = 1; end < 20; end++) blocks.render(text.slice(0, (text.length * end) / 20), false);
      blocks.render(text, true);
    });
    const names = cpuMs(() => void (fileNamesIn(text).length + Number(mayBeName(text))));
    expect([whole < 8000 || whole, inPieces < 40_000 || inPieces, names < 2000 || names]).toEqual([true, true, true]);
  });
});
