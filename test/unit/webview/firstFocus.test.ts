// @vitest-environment happy-dom
import { act } from 'preact/test-utils';
import { afterEach, expect, test } from 'vitest';
import { modelRow } from '../../support/builders/viewMessages';
import { ChatPage } from './chatPage';

let page: ChatPage;
afterEach(() => page.close());

test('a composer that is asked for before it was ever drawn has the focus as soon as it is', async () => {
  page = new ChatPage();
  await act(async () => {
    // What the host holds back for a page is told with its first state, in one go.
    await Promise.all([page.bootstrap(null), page.tell('focusComposer', {})]);
  });
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Message');
});

test('the empty chat says what to know of a model, suggests no look into files to one that cannot, and none where there is no folder', async () => {
  page = new ChatPage();
  const warning = 'tiny cannot call tools: chat only. It cannot read files or search the folder.';
  await page.bootstrap(null, { model: { chosen: { ...modelRow(), tools: false, warnings: [warning] }, problem: null } });
  const chatOnly = [document.body.textContent?.includes(warning), page.posted.some(({ name }) => name === 'starterPrompts')];
  const demo = { model: { chosen: { ...modelRow(), isDemo: true }, problem: null }, demoPrompts: ['What is in this folder?'] };
  await page.bootstrap(null, { ...demo, folderName: null });
  const without = document.body.textContent?.includes('What is in this folder?');
  await page.bootstrap(null, { ...demo, folderName: 'upload' });
  expect([chatOnly, without, document.body.textContent?.includes('What is in this folder?')]).toEqual([[true, false], false, true]);
});
