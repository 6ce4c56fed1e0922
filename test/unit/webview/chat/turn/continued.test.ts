// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { continuationPart } from '../../../../../src/transcript/continuation';
import { answer, prompt, settledTurn, shownSession } from '../../../../support/builders/viewMessages';
import { ChatPage } from '../chatPage';
import { all } from '../../elements';

let page: ChatPage;

test('a turn that continues an answer begins with a line, not a prompt, and its words are not shown or recalled', async () => {
  page = new ChatPage();
  const [first, second] = [
    settledTurn('turn1', 'u1', { outcome: 'interrupted', stopReason: 'user' }),
    settledTurn('turn2', 'u2'),
  ];
  const messages = [
    prompt({ uid: 'u1', position: 1 }, 'Why?'),
    answer({ uid: 'a1', position: 2 }, ['Half']),
    { ...prompt({ uid: 'u2', turnUid: 'turn2', position: 3 }, ''), parts: [continuationPart()] },
    answer({ uid: 'a2', turnUid: 'turn2', position: 4 }, [' an answer.']),
  ];
  await page.bootstrap(shownSession({ messages, turns: [first, second] }));
  const shown = all('article').map((article) => [
    article.dataset['uid'],
    article.getAttribute('aria-label')?.replace(/,.*/, ''),
  ]);
  expect({
    shown,
    told: document.body.textContent?.includes('The person chose'),
    line: document.querySelector('.summary-line')?.textContent,
  }).toEqual({
    shown: [
      ['u1', 'You'],
      ['a1', 'Hermes'],
      ['u2', 'Continued'],
      ['a2', 'Hermes'],
    ],
    told: false,
    line: 'Continued',
  });
});

test('Continue asks for the turn that was cut off, once, and leaves the composer unchanged', async () => {
  page = new ChatPage();
  const messages = [prompt({ uid: 'u1', position: 1 }, 'Why?'), answer({ uid: 'a1', position: 2 }, ['Half'])];
  await page.bootstrap(
    shownSession({
      messages,
      turns: [settledTurn('turn1', 'u1', { outcome: 'interrupted', stopReason: 'user' })],
      draft: 'half a thought',
    }),
  );
  await page.press('Continue');
  await page.press('Continue');
  expect({ asked: page.sent('continueTurn'), typed: page.composer.value }).toEqual({
    asked: [{ turnUid: 'turn1' }],
    typed: 'half a thought',
  });
});
