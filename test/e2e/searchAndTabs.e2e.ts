import type { FrameLocator } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { waitFor, type Workbench, write } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { heard, picturesIn, scriptedVscode } from './scriptedVscode';
import { EXTENSION_ID } from './vscodeTest';

const { open, query } = await scriptedVscode({ echoes: true, viewport: { width: 1500, height: 900 } });
const picture = picturesIn('search-and-tabs');
let panel: ChatPanel;
let workbench: Workbench;

beforeAll(async () => {
  panel = await open();
  ({ workbench } = panel);
});
beforeEach(async () => {
  await workbench.runCommand('View: Close All Editors');
  await panel.newSession();
});
afterEach(() => expect(workbench.errors()).toEqual([]));

const say = (chat: ChatPanel, prompt: string): Promise<void> => chat.ask(prompt, heard(prompt));

function rowsOf(frame: FrameLocator): Promise<readonly string[]> {
  return frame
    .locator('[role=row][data-uid]')
    .evaluateAll((rows) => rows.map((row) => row.querySelector('[data-part=text]')?.textContent?.trim() ?? ''));
}

async function waitForRows(frame: FrameLocator, what: string, wanted: readonly string[]): Promise<void> {
  await waitFor(what, async () => JSON.stringify(await rowsOf(frame)) === JSON.stringify(wanted) || undefined);
}

test('a message is found by words or part of one, and opened in the chat and the transcript, which leads through the branches', async () => {
  const { page } = workbench;
  await say(panel, 'Where is the needle');
  await say(panel, 'And the thread');
  await panel.newSession();
  await say(panel, 'Something else');

  // By words, opened with the keyboard in the chat
  await workbench.runCommand('Hermes: Search in Sessions');
  const search = workbench.editorWebview(EXTENSION_ID, 0);
  const field = search.getByRole('textbox', { name: 'Search all sessions' });
  await write(field, 'needle');
  const hits = search.locator('[data-result]');
  await waitFor('both messages', async () => (await hits.count()) === 2 || undefined);
  const words = await hits.allInnerTexts();
  await field.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await picture(panel, 'search');
  await page.keyboard.press('Enter');
  await panel.sees('Heard: WHERE IS THE NEEDLE');
  const uid = query("SELECT uid FROM messages WHERE content LIKE 'Where is the needle%'")[0]?.['uid'];
  await waitFor(
    'the prompt to be marked',
    async () =>
      (await panel.frame
        .locator('article[data-revealed]')
        .getAttribute('data-uid', { timeout: 1000 })
        .catch(() => null)) === uid || undefined,
  );
  await picture(panel, 'jumped-to');
  expect(words.every((text) => /needle/i.test(text))).toBe(true);

  // By part of a word; nothing found
  await write(field, 'eedl');
  await search.getByText('No messages contain “eedl”').waitFor();
  await search.getByRole('button', { name: 'Contains' }).click();
  await waitFor('parts of words', async () => (await hits.count()) === 2 || undefined);
  await write(field, 'zeppelin');
  await search.getByText('Nothing found for “zeppelin”').waitFor();
  await write(field, 'needle');
  await waitFor('the messages again', async () => (await hits.count()) === 2 || undefined);

  // In the transcript; a branch from the selected row
  await hits.first().click({ modifiers: ['Shift'] });
  await waitFor(
    'the transcript',
    async () => (await workbench.tabs()).some((title) => title.startsWith('Transcript: ')) || undefined,
  );
  const transcript = workbench.editorWebview(EXTENSION_ID, 0);
  await transcript.getByRole('row', { selected: true }).waitFor();
  await waitForRows(transcript, 'all rows', [
    'Where is the needle',
    'Heard: WHERE IS THE NEEDLE',
    'And the thread',
    'Heard: AND THE THREAD',
  ]);
  await transcript.getByRole('button', { name: 'Branch from Selected' }).click();
  await panel.sees(/Branched from/);
  await transcript.getByRole('tree', { name: 'Branches' }).waitFor();
  await picture(panel, 'branches');
  const items = transcript.getByRole('treeitem');
  await waitFor(
    'both branches',
    async () => (await items.count()) === 2 && (await items.first().getAttribute('aria-current')) === 'true',
  );
  expect([
    await items.count(),
    await items.first().getAttribute('aria-current'),
    query("SELECT count(*) AS n FROM sessions WHERE parent_kind = 'branch'"),
  ]).toEqual([2, 'true', [{ n: 1 }]]);
  await items.nth(1).click();
  await waitForRows(transcript, 'the rows of the branch', ['Where is the needle', 'Heard: WHERE IS THE NEEDLE']);

  // Taken back from the transcript
  await transcript.locator('[role=row][data-uid]').first().click();
  await transcript.getByRole('button', { name: 'Rewind to Selected…' }).click();
  await workbench
    .dialog()
    .getByRole('button', { name: /Rewind/ })
    .click();
  await panel.composerHas('Where is the needle');
  await waitForRows(transcript, 'no row of the branch', []);
  await transcript.getByRole('button', { name: /Hidden Rows/ }).click();
  await waitForRows(transcript, 'the hidden rows', ['Where is the needle', 'Heard: WHERE IS THE NEEDLE']);
});

test('sessions are open side by side in editor tabs and the panel, each with its own composer, and return after a reload', async () => {
  await say(panel, 'Alpha');
  await workbench.runCommand('Hermes: Open Session in Editor Tab');
  await waitFor('the tab with its title', async () => (await workbench.tabs()).includes('Alpha') || undefined);
  let alpha = await ChatPanel.inEditor(workbench);
  await alpha.sees('Heard: ALPHA');
  await panel.newSession();
  await say(panel, 'Beta');
  await workbench.runCommand('Hermes: Open Session in Editor Tab');
  await waitFor('the second tab', async () => (await workbench.tabs()).includes('Beta') || undefined);
  await workbench.runCommand('View: Move Editor into Next Group');
  await waitFor(
    'both tabs in sight',
    async () => (await workbench.webviewCount(EXTENSION_ID, 'editor')) === 2 || undefined,
  );
  await panel.newSession();

  const tabs = await Promise.all([0, 1].map((index) => ChatPanel.inEditor(workbench, index)));
  const holding = (text: string): Promise<ChatPanel> =>
    waitFor(`a tab that holds ${text}`, async () => {
      for (const tab of tabs) if ((await tab.prompts()).some((prompt) => prompt.text === text)) return tab;
      return undefined;
    });
  alpha = await holding('Alpha');
  const beta = await holding('Beta');
  // Sent one by one, for keys go where the focus is; answered side by side.
  await alpha.send('More alpha');
  await beta.send('More beta');
  await panel.send('Gamma');
  await alpha.answered(heard('More alpha'));
  await beta.answered(heard('More beta'));
  await panel.answered(heard('Gamma'));
  await picture(panel, 'side-by-side');
  const sessions = query(
    "SELECT s.title, group_concat(m.content, ' | ') AS texts FROM sessions s JOIN messages m ON m.session_id = s.id WHERE m.active = 1 AND s.title IN ('Alpha', 'Beta', 'Gamma') GROUP BY s.id ORDER BY s.title",
  );
  expect(sessions).toEqual([
    { title: 'Alpha', texts: 'Alpha | Heard: ALPHA | More alpha | Heard: MORE ALPHA' },
    { title: 'Beta', texts: 'Beta | Heard: BETA | More beta | Heard: MORE BETA' },
    { title: 'Gamma', texts: 'Gamma | Heard: GAMMA' },
  ]);

  await workbench.reload();
  await waitFor(
    'both tabs again',
    async () => (await workbench.webviewCount(EXTENSION_ID, 'editor')) === 2 || undefined,
  );
  const back = await Promise.all([0, 1].map((index) => ChatPanel.inEditor(workbench, index)));
  const texts = await waitFor('what they showed', async () => {
    const seen = await Promise.all(back.map(async (tab) => (await tab.prompts()).map((prompt) => prompt.text).join()));
    return seen.every((text) => text !== '') ? seen : undefined;
  });
  expect({
    texts: [...texts].sort(),
    titles: (await workbench.tabs()).filter((title) => ['Alpha', 'Beta'].includes(title)).sort(),
  }).toEqual({ texts: ['Alpha,More alpha', 'Beta,More beta'], titles: ['Alpha', 'Beta'] });
});
