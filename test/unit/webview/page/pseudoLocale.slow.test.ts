import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { englishTexts, pseudo, pseudoBundle, pseudoName, untranslated } from '../../../support/pseudoLocale';
import { type PreviewAppearance, untilAtRest } from '../../../support/webviewPreview/browserPreview';
import type { PreviewState } from '../../../support/webviewPreview/previewState';
import { states } from '../../../support/webviewPreview/states';
import { usePreview } from '../../../support/webviewPreview/openPreview';
import { standsOutside } from '../../../support/webviewPreview/audit';

const preview = usePreview();

const texts = englishTexts();
const language: Required<PreviewAppearance>['language'] = {
  localization: pseudoBundle(),
  named: (english) => pseudoName(english, texts),
};

/** What is no language: names of products and protocols, units, and what the browser itself says of times and
 *  numbers. */
const universal =
  /^(?:Hermes|Demo|JSON|Markdown|MCP|npm|git|tok(?:ens)?|KB|MB|ms|min|h|s|k|M|x|ago|now|yesterday|last|next|in|am|pm|AM|PM|Ctrl|Shift|Alt|Enter|Esc|Tab|\d+[smhdwky]|mo|yr|wk|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Sat|Sun|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|June|July|August|September|October|November|December|at|of)$/;

/** Everything that the state is about, in one text without the signs of Markdown and with one blank between words. */
function dataOf(state: PreviewState): string {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value === 'string') {
      found.push(value);
      if (/^[[{]/.test(value)) tryJson(value);
    } else if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null)
      Object.entries(value).forEach(([name, each]) => (found.push(name), visit(each)));
  };
  const tryJson = (text: string): void => {
    try {
      visit(JSON.parse(text));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  };
  const { bootstrap, events, requests, agents, type, currentFile } = state;
  visit([bootstrap, events, requests, agents, type, currentFile, Reflect.get(state, 'stored')]);
  return plain(found.join(' '));
}

const plain = (text: string): string =>
  text
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .toLowerCase()
    .trim();

/** Texts and names in the page, as a person or a screen reader gets them. */
function wordsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const found = new Set<string>();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (parent === null || ['SCRIPT', 'STYLE', 'NOSCRIPT'].includes(parent.tagName)) continue;
      // The names of commands are typed as they are.
      if (parent.closest('[translate=no]') !== null) continue;
      found.add(node.textContent ?? '');
    }
    for (const element of document.body.querySelectorAll('*')) {
      for (const name of [
        'aria-label',
        'title',
        'placeholder',
        'alt',
        'aria-description',
        'aria-roledescription',
        'aria-valuetext',
        'aria-placeholder',
      ])
        found.add(element.getAttribute(name) ?? '');
    }
    return [...found];
  });
}

/** Words of a text that are neither translated nor data of the state. */
function strangers(text: string, data: string): readonly string[] {
  const left = untranslated(text);
  if (!/\p{L}{2}/u.test(left) || data.includes(plain(left))) return [];
  // Data is cut, joined and put into other forms (paths, counts); what is left must be words of ours.
  const words = left.match(/\p{L}[\p{L}\p{N}'’]*/gu) ?? [];
  const own = words.filter(
    (word) => word.length > 1 && !universal.test(word) && !new RegExp(`(?:^| )${plain(word)}`).test(data),
  );
  return own.length === 0 ? [] : [`${own.join(' ')} (in “${left.slice(0, 80)}”)`];
}

describe('in another language', { concurrent: true }, () => {
  test('untranslated text is found', () => {
    expect([
      strangers(`${pseudo('Send')} now please`, 'x'),
      strangers(pseudo('Send {name}').replace('{name}', pseudo('this')), 'x'),
      strangers('src/upload.ts', 'read src upload ts'),
    ]).toEqual([['please (in “now please”)'], [], []]);
  });

  test.each(Object.keys(states))('no text stays in English in state %s', async (name) => {
    const state = states[name];
    if (state === undefined) throw new Error(`There is no state ${name}`);
    const { page, problems } = await preview.open(name, { language });
    await untilAtRest(page);
    const data = dataOf(state);
    const found = [...new Set((await wordsOf(page)).flatMap((text) => strangers(text, data)))];
    await preview.leave(page);
    // A press on data, which has no name of ours, is tried and may miss.
    expect({
      found,
      problems: problems.filter((problem) => !state.press?.includes(problem) || texts.includes(problem)),
    }).toEqual({ found: [], problems: [] });
  });

  test.each(
    ['empty-no-model', 'empty-chosen', 'complete', 'approval', 'queue', 'failed', 'transcript', 'store-failed'].filter(
      (name) => states[name] !== undefined,
    ),
  )('longer words push nothing out of a narrow panel in state %s', async (name) => {
    const { page } = await preview.open(name, { width: 300, language });
    await untilAtRest(page);
    const outside = await standsOutside(page, 300);
    await preview.leave(page);
    expect(outside).toEqual([]);
  });
});
