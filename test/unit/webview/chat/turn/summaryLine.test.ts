// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { handoffPart } from '../../../../../src/transcript/handoff';
import type { UserMessage } from '../../../../../src/transcript/message';
import {
  answer,
  prompt,
  runningTurn,
  session,
  settledTurn,
  shownSession,
} from '../../../../support/builders/viewMessages';
import { ChatPage, openChat } from '../chatPage';
import { all, texts } from '../../elements';

let page: ChatPage;

const summary = (before: number | null): UserMessage => ({
  ...prompt({ uid: 's2/handoff', position: 3, visibility: { kind: 'handoff' } }, ''),
  turnUid: null,
  parts: [handoffPart('The long summary for the model.', before === null ? undefined : { before, after: 4100 })],
});

test('a summary is shown as one line in place of what is above it; nothing above it is removed', async () => {
  page = new ChatPage();
  const messages = [
    prompt({ uid: 'u1', position: 1 }, 'Why?'),
    answer({ uid: 'a1', position: 2 }, ['Because.']),
    summary(62_000),
  ];
  await page.bootstrap(shownSession({ messages, turns: [settledTurn()] }));
  const lines = () => texts('.summary-line');
  const known = {
    lines: lines(),
    articles: all('article').map((article) => article.dataset['uid']),
    told: document.body.textContent?.includes('long summary'),
  };
  page = await openChat(shownSession({ messages: [...messages.slice(0, 2), summary(null)], turns: [settledTurn()] }));
  expect({ known, unknown: lines() }).toEqual({
    known: {
      lines: [expect.stringMatching(/^Earlier messages summarized, 62k → 4\.1k\s*Show Original$/i)],
      articles: ['u1', 'a1'],
      told: false,
    },
    unknown: [expect.stringMatching(/^Earlier messages summarized\s*Show Original$/)],
  });
});

test('a session continued in its next segment during a turn stays in place: line in the turn, typed text kept', async () => {
  page = new ChatPage();
  const before = [prompt({ uid: 'u1', position: 1 }, 'Why?'), answer({ uid: 'a1', position: 2 }, ['First I look.'])];
  await page.bootstrap(shownSession({ messages: before, turns: [], openTurn: runningTurn() }));
  await page.type('half a thou');
  const child = session({ id: '20261112_150000_c0ffee', parentSessionId: session().id, parentKind: 'compression' });
  await page.tell(
    'shown',
    shownSession({
      session: child,
      messages: [...before, summary(62_000)],
      turns: [],
      openTurn: { ...runningTurn(), sessionId: child.id },
      draft: '',
    }),
  );
  await page.tell('turnEvent', {
    sessionId: child.id,
    event: {
      kind: 'messageStored',
      message: { ...answer({ uid: 'a2', position: 4 }, ['Because.']), sessionId: child.id },
    },
  });
  const inOrder = [...document.querySelectorAll('.summary-line, article')].map((element) =>
    element instanceof HTMLElement ? (element.dataset['uid'] ?? 'line') : '',
  );
  const typed = page.composer.value;
  await page.event({
    kind: 'turnSettled',
    turn: { ...settledTurn(), sessionId: child.id },
    messages: [...before, { ...answer({ uid: 'a2', position: 4 }, ['Because.']), sessionId: child.id }],
  });
  expect({ inOrder, typed, turns: document.querySelectorAll('.turn').length }).toEqual({
    inOrder: ['u1', 'a1', 'line', 'a2'],
    typed: 'half a thou',
    turns: 1,
  });
});
