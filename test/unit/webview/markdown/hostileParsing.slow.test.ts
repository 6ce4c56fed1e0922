import { expect, test } from 'vitest';
import { MarkdownBlocks } from '../../../../src/webview/markdown/blocks';
import { fileNamesIn, mayBeName } from '../../../../src/webview/markdown/references';
import { expressionRuns } from '../../../support/expressionRuns';
import { hostileMarkdown } from '../../../support/hostileMarkdown';

/** Runs for each character at most. Emphasis in emphasis is tried again from each of its signs; the limit on
 *  formatted text bounds it. */
const mostRuns = (name: string): number => (name === 'emphasis in emphasis' ? 500 : 12);

test.each(hostileMarkdown)('$name: parsing takes no more steps than its size explains', ({ name, text }) => {
  const whole = expressionRuns(() => void new MarkdownBlocks().render(text, true));
  const inPieces = expressionRuns(() => {
    const blocks = new MarkdownBlocks();
    for (let part = 1; part < 20; part++) blocks.render(text.slice(0, (text.length * part) / 20), false);
    blocks.render(text, true);
  });
  const names = expressionRuns(() => void (fileNamesIn(text).length + Number(mayBeName(text))));
  const most = 100 + mostRuns(name) * text.length;
  // Twenty renders, each of the text so far: ten and a half times its length.
  expect([whole <= most || whole, inPieces <= 10.5 * most || inPieces, names <= 100 + text.length || names]).toEqual([
    true,
    true,
    true,
  ]);
});
