import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { answer, prompt, settledTurn } from '../../../support/builders/viewMessages';
import { storedTurn, transcriptState } from '../../../support/builders/transcriptState';
import { hostileHtml, hostileMarkdown } from '../../../support/hostileMarkdown';
import { harm, harmless } from '../../../support/webviewPreview/renderedHarm';
import { tell, usePreview } from '../../../support/webviewPreview/openPreview';

/** Where Markdown may hold a text; each changes how what is in it is read. */
const contexts: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => each(text, '> '),
  (text) => `- ${each(text, '  ').trimStart()}`,
  (text) => `1. a\n\n   ${each(text, '   ').trimStart()}`,
  (text) => `| a | b |\n|---|---|\n| ${oneLine(text)} | x |`,
  (text) => `# ${oneLine(text)}`,
  (text) => `[${oneLine(text)}](https://example.com "${oneLine(text).replaceAll('"', '')}")`,
  (text) => `**_${oneLine(text)}_**`,
  (text) => `press <kbd>${text}`,
  (text) => `> - > \`\`\`html\n> - > ${oneLine(text)}\n\n${text}`,
];
const each = (text: string, mark: string): string =>
  text
    .split('\n')
    .map((line) => mark + line)
    .join('\n');
const oneLine = (text: string): string => text.replaceAll('\n', ' ');

/** More texts, as a JSON list in this file: collections of others are tried this way, and are not part of the
 *  project. */
const more = process.env['HERMES_HOSTILE_TEXTS'];
const texts: readonly string[] = [
  ...[...hostileHtml, ...hostileMarkdown].map(({ text }) => text).filter((text) => text.length < 3000),
  ...(more === undefined ? [] : (JSON.parse(readFileSync(more, 'utf8')) as string[])),
];
const nested = texts.flatMap((text) => contexts.map((place) => place(text)));
const perPage = 150;
const pages = Array.from({ length: Math.ceil(nested.length / perPage) }, (_, index) =>
  nested.slice(index * perPage, (index + 1) * perPage),
);

describe('hostile text adds nothing of its own in any context', () => {
  const preview = usePreview();

  test(`${contexts.length} places of Markdown, each of ${texts.length} texts`, async () => {
    const found: unknown[] = [];
    for (const drawn of pages) {
      const opened = await preview.open('transcript');
      const messages = drawn.map((text, index) => answer({ uid: `piece${index}`, position: index + 2 }, [text]));
      await tell(
        opened.page,
        'bootstrap',
        transcriptState({
          messages: [prompt({ uid: 'u1', position: 1 }, 'Show me'), ...messages],
          turns: [storedTurn(settledTurn())],
        }),
      );
      await opened.page.locator('.markdown').first().waitFor({ state: 'attached' });
      const rows = await opened.page.locator('.markdown').count();
      const harmed = { ...(await harm(opened)), missing: drawn.length - rows };
      if (JSON.stringify(harmed) !== JSON.stringify({ ...harmless, missing: 0 }))
        found.push({ harmed, texts: drawn.map((text) => text.slice(0, 80)) });
      await opened.page.close();
    }
    expect(found).toEqual([]);
  });
});
