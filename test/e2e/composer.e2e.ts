import { afterAll, beforeAll, expect, test } from 'vitest';
import { reply, startModelServer, type ModelServer } from '../support/modelServer';
import { readStateDb, waitFor, write } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { EXTENSION_ID, sharedVscode, windowOn } from './vscodeTest';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ models: ['claude-sonnet-test'] });
});
afterAll(() => server.close());

/** With a model that can be asked to think; a service on this machine says so by itself. */
const vscode = sharedVscode(() => ({
  settings: {
    'hermes.providers': [
      { name: 'Local', protocol: 'anthropic', baseUrl: server.url, models: [{ id: 'claude-sonnet-test' }] },
    ],
    'hermes.model': 'Local/claude-sonnet-test',
  },
}));

/** Something other than what the composer held, after each of these keys. */
async function pressed(panel: ChatPanel, ...keys: readonly string[]): Promise<readonly string[]> {
  const seen: string[] = [];
  for (const key of keys) {
    const before = await panel.composer.inputValue();
    await panel.composer.press(key);
    seen.push(
      (
        await waitFor(`${key} to change the composer`, async () =>
          [{ text: await panel.composer.inputValue() }].find(({ text }) => text !== before),
        )
      ).text,
    );
  }
  return seen;
}

test('the effort chosen by keyboard reaches the model with the next request, and survives a reload; Up recalls earlier prompts', async () => {
  server.otherwise(reply().says('Done.'));
  const workbench = await windowOn(vscode(), vscode().sampleFolder('effort'));
  const panel = await ChatPanel.open(workbench);
  const answered = (count: number): Promise<unknown> =>
    waitFor(
      `${count} answers`,
      async () => (await panel.answers()).filter(({ state }) => state === 'saved').length >= count,
    );
  await panel.send('first prompt');
  await answered(1);
  const effort = panel.frame.getByRole('combobox', { name: 'Effort' });
  await effort.focus();
  await effort.press('ArrowDown');
  await panel.frame.getByRole('listbox', { name: 'Efforts' }).waitFor();
  await effort.press('h');
  await effort.press('Enter');
  await waitFor(
    'the effort to be chosen',
    async () => (await effort.getAttribute('title'))?.startsWith('Effort High') === true,
  );
  await panel.send('second prompt');
  await answered(2);
  const asked = server.requests.map(({ body }) => (body['thinking'] === undefined ? 'nothing said' : 'thinks'));
  const back = await pressed(panel, 'ArrowUp', 'ArrowUp', 'ArrowDown', 'Escape');
  const again = await panel.reload();
  await waitFor(
    'the effort after the reload',
    async () =>
      (await again.frame.getByRole('combobox', { name: 'Effort' }).getAttribute('title'))?.startsWith('Effort High') ===
      true,
  );
  expect({ asked, back }).toEqual({
    asked: ['nothing said', 'thinks'],
    back: ['second prompt', 'first prompt', 'second prompt', ''],
  });
});

test('a bare @ offers open items and files, no missing terminal or repository; a selection is attached as a chip; both survive a killed host', async () => {
  server.otherwise(reply().says('Done.'));
  const before = vscode().workspaceStorageFolders(EXTENSION_ID);
  const workbench = await windowOn(vscode(), vscode().sampleFolder('mentions'));
  const panel = await ChatPanel.open(workbench);
  await panel.composer.pressSequentially('@');
  const list = panel.frame.getByRole('listbox', { name: 'Mentions' });
  const sources = await waitFor('files to be offered', async () => {
    const options = await list.getByRole('option').allInnerTexts();
    return options.some((option) => /package\.json/.test(option)) ? { options } : undefined;
  });
  await panel.composer.press('Escape');
  await write(panel.composer, '');
  await workbench.page.getByRole('treeitem', { name: 'package.json' }).dblclick();
  await workbench.page.locator('.editor-instance .view-line').filter({ hasText: 'parcel-post' }).first().click();
  await workbench.page.keyboard.press('Control+A');
  await workbench.statusBarItem(/selected/).waitFor();
  await workbench.runCommand('Hermes: Ask About Selection');
  const chips = panel.frame.getByRole('list', { name: 'Attachments' });
  await chips.getByText(/package\.json:1-/).waitFor();
  await panel.composer.pressSequentially('What is this?');
  // Given to the host once typing pauses.
  await waitFor('the draft to be stored', () =>
    readStateDb(
      vscode()
        .workspaceStorageFolders(EXTENSION_ID)
        .find((storage) => !before.includes(storage)) ?? '',
      'SELECT text FROM drafts',
    ).some(({ text }) => text === 'What is this?'),
  );
  const pid = await vscode().extensionHostPid();
  await vscode().killExtensionHost();
  await vscode().waitForNewExtensionHost(pid);
  const again = await ChatPanel.attach(workbench);
  await waitFor('the draft to be there again', async () => (await again.composer.inputValue()) === 'What is this?');
  await again.frame
    .getByRole('list', { name: 'Attachments' })
    .getByText(/package\.json:1-/)
    .waitFor();
  await again.composer.press('Enter');
  await again.answered('Done.');
  const sent = JSON.stringify(server.requests.at(-1)?.body['messages'] ?? null);
  expect({
    elsewhere: sources.options.filter((option) => /^(terminal|git )/.test(option)),
    label: /<attachment label=\\"package\.json:1-\d+\\">/.test(sent),
    asked: sent.includes('What is this?'),
  }).toEqual({ elsewhere: [], label: true, asked: true });
});
