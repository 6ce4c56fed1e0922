import { describe, expect, test } from 'vitest';
import { MarkdownBlocks } from '../../../../src/webview/markdown/blocks';
import { hostileMarkdown } from '../../../support/hostileMarkdown';

/** Every tag that the renderer writes, with the attributes that it writes, as a pattern over its HTML. */
const quoted = '"[^"<>]*"';
const ownTags = new RegExp(
  [
    `</?(?:blockquote|code|del|em|h[1-6]|li|p|strong|table|tbody|thead|tr|ul|span)>`,
    `<(?:br|hr)>`,
    `</(?:a|ol|pre|td|th)>`,
    `<ol(?: start=${quoted})?>`,
    `<t[dh](?: align=${quoted})?>`,
    `<p class="(?:raw-html|math-block)">`,
    `<span class="(?:math|footnote)">`,
    `<pre data-language=${quoted}(?: data-info=${quoted})? tabindex="0">`,
    `<a role="link" tabindex="0" data-href=${quoted} title=${quoted}>`,
    `<input type="checkbox" disabled(?: checked)? aria-label=${quoted}>`,
  ].join('|'),
  'g',
);

/** What looks like a tag to a browser and was not written by the renderer. */
function strangeTags(html: string): readonly string[] {
  return html.replace(ownTags, '').match(/<[a-z/!?][^>]{0,80}/gi) ?? [];
}

describe('no text of an answer becomes HTML, wherever it is', () => {
  test.each(hostileMarkdown.filter(({ text }) => text.length < 5000))('$name', ({ text }) => {
    const whole = new MarkdownBlocks()
      .render(text, true)
      .map(({ html }) => html)
      .join('');
    const pieces = new MarkdownBlocks();
    for (let part = 1; part < 8; part++) pieces.render(text.slice(0, (text.length * part) / 8), false);
    const inPieces = pieces
      .render(text, true)
      .map(({ html }) => html)
      .join('');
    expect([strangeTags(whole), strangeTags(inPieces)]).toEqual([[], []]);
  });
});
