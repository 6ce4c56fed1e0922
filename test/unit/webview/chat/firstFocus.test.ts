// @vitest-environment happy-dom
import { act } from 'preact/test-utils';
import { expect, test } from 'vitest';
import { modelRow } from '../../../support/builders/viewMessages';
import { ChatPage, openChat } from './chatPage';
import { texts } from '../elements';

let page: ChatPage;

test('a composer that is requested before its first render has the focus as soon as it is rendered', async () => {
  page = new ChatPage();
  await act(async () => {
    // What the host holds back for a page is told with its first state, in one go.
    await Promise.all([page.bootstrap(null), page.tell('focusComposer', {})]);
  });
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Message');
});

test('found choices are added after the existing ones: no button moves from under the pointer', async () => {
  page = new ChatPage();
  const [key, demo] = [
    { id: 'pasteKey', kind: 'pasteKey', title: 'Paste a Key', detail: '' },
    { id: 'demo', kind: 'demo', title: 'Try the Demo', detail: '' },
  ] as const;
  const ollama = { id: 'local:Ollama', kind: 'localServer', title: 'Found Ollama', detail: '' } as const;
  const offered = (): readonly string[] => texts('.offer-title');
  await page.bootstrap(null, {
    model: { chosen: null, problem: null },
    setup: { searching: true, entries: [key, demo] },
  });
  const before = offered();
  await page.tell('setup', { searching: false, entries: [ollama, key, demo] });
  const found = offered();
  page = await openChat(null, {
    model: { chosen: null, problem: null },
    setup: { searching: false, entries: [ollama, key, demo] },
  });
  expect([before, found, offered()]).toEqual([
    ['Paste a Key', 'Try the Demo'],
    ['Paste a Key', 'Try the Demo', 'Found Ollama'],
    ['Found Ollama', 'Paste a Key', 'Try the Demo'],
  ]);
});

test('the empty chat explains its model, and suggests reading files only to a capable one with a folder open', async () => {
  page = new ChatPage();
  const warning = 'tiny can’t call tools, so it can only chat. It can’t read files or search the folder.';
  await page.bootstrap(null, {
    model: { chosen: { ...modelRow(), tools: false, warnings: [warning] }, problem: null },
  });
  const chatOnly = [
    document.body.textContent?.includes(warning),
    page.posted.some(({ name }) => name === 'starterPrompts'),
  ];
  const demo = {
    model: { chosen: { ...modelRow(), isDemo: true }, problem: null },
    demoPrompts: ['What is in this folder?'],
  };
  await page.bootstrap(null, { ...demo, folderName: null });
  const without = document.body.textContent?.includes('What is in this folder?');
  await page.bootstrap(null, { ...demo, folderName: 'upload' });
  expect([chatOnly, without, document.body.textContent?.includes('What is in this folder?')]).toEqual([
    [true, false],
    false,
    true,
  ]);
});
