// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from 'vitest';
import { handoffPart } from '../../../src/transcript/handoff';
import type { UserMessage } from '../../../src/transcript/message';
import { answer, prompt, settledTurn, shownSession } from '../../support/builders/viewMessages';
import { all, ChatPage } from './chatPage';

vi.mock('../../../src/webview/markdown/sanitizer', () => ({
  sanitizedFragment: (html: string): DocumentFragment => document.createRange().createContextualFragment(html),
}));

let page: ChatPage;
afterEach(() => page.close());

const summary = (before: number | null): UserMessage => ({
  ...prompt({ uid: 's2/handoff', position: 3, visibility: { kind: 'handoff' } }, ''),
  turnUid: null,
  parts: [handoffPart('The long summary for the model.', before === null ? undefined : { before, after: 4100 })],
});

test('where a summary stands for what is above it, one line says so; nothing above it is taken away', async () => {
  page = new ChatPage();
  const messages = [prompt({ uid: 'u1', position: 1 }, 'Why?'), answer({ uid: 'a1', position: 2 }, ['Because.']), summary(62_000)];
  await page.bootstrap(shownSession({ messages, turns: [settledTurn()] }));
  const lines = () => [...document.querySelectorAll('.summary-line')].map((line) => line.textContent);
  const known = { lines: lines(), articles: all('article').map((article) => article.dataset['uid']), told: document.body.textContent?.includes('long summary') };
  page.close();
  page = new ChatPage();
  await page.bootstrap(shownSession({ messages: [...messages.slice(0, 2), summary(null)], turns: [settledTurn()] }));
  expect({ known, unknown: lines() }).toEqual({
    known: { lines: [expect.stringMatching(/^Earlier part summarised, 62k → 4\.1k\s*View original$/i)], articles: ['u1', 'a1'], told: false },
    unknown: [expect.stringMatching(/^Earlier part summarised\s*View original$/)],
  });
});
