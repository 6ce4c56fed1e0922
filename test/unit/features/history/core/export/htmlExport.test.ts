import { expect, it } from 'vitest';
import { htmlArticle } from '../../../../../../src/features/history/core/export/readable/htmlExport';
import { hostileMarkdown } from '../../../../../support/hostileMarkdown';
import { answer, sessionDbWorld } from '../../../../../support/sessionDbWorld';

/** Every tag that an HTML export writes for the text of an answer. */
const quoted = '"[^"<>]*"';
const ownTags = new RegExp(
  [
    '</?(?:article|blockquote|code|del|em|h[1-6]|hr|br|li|ol|p|pre|section|strong|table|tbody|td|th|thead|tr|ul)>',
    `<section class="(?:agent|user)">`,
    `<a href=${quoted} rel="noreferrer noopener">`,
    '</a>',
    `<ol start=${quoted}>`,
    `<t[dh] align=${quoted}>`,
    `<code class=${quoted}>`,
    `<input (?:checked="" )?disabled="" type="checkbox">`,
  ].join('|'),
  'g',
);

it.each(hostileMarkdown.filter(({ text }) => text.length < 5000))(
  'no text of an exported page becomes an element: $name',
  async ({ text }) => {
    const { db } = await sessionDbWorld();
    const session = db.createSession({ id: 's1', startedAt: 1 });
    const message = { ...answer('a', text, 't', 's1'), position: 1 };
    const html = htmlArticle({ session, messages: [message], turns: [], exportedAt: 1 }, { language: 'en' });
    expect(html.replace(ownTags, '').match(/<[a-z/!?][^>]{0,80}/gi) ?? []).toEqual([]);
    expect(html).not.toMatch(/href="(?!https?:|mailto:)/i);
  },
);
