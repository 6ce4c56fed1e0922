import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readStateDb, waitFor } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { SessionsView } from './sessionsView';
import { heard, picturesIn, scriptedVscode } from './scriptedVscode';
import { EXTENSION_ID } from './vscodeTest';

const { vscode, open } = await scriptedVscode({ echoes: true });
const picture = picturesIn('other-folders');

/** Prompts by the folder of the store that holds them. */
function prompts(): ReadonlyMap<string, readonly unknown[]> {
  const folders = vscode()
    .workspaceStorageFolders(EXTENSION_ID)
    .filter((storage) => fs.existsSync(path.join(storage, 'state.db')));
  return new Map(
    folders.map((storage) => [
      storage,
      readStateDb(storage, "SELECT content FROM messages WHERE role = 'user' ORDER BY timestamp").map(
        (row) => row['content'],
      ),
    ]),
  );
}

function contentOf(folder: string): unknown {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const file = path.join(folder, name);
      return fs.statSync(file).isFile()
        ? [name, createHash('sha256').update(fs.readFileSync(file)).digest('hex')]
        : [name];
    });
}

test('a renamed folder gets its history back; sessions of other folders can be read and brought over', async () => {
  const old = vscode().sampleFolder();
  const renamed = path.join(path.dirname(old), 'parcel-renamed');
  const third = path.join(path.dirname(old), 'third');
  fs.mkdirSync(third);

  // Two sessions in a folder, which is then renamed while no window is on it
  const say = (chat: ChatPanel, prompt: string): Promise<void> => chat.ask(prompt, heard(prompt));
  const panel = await open();
  await say(panel, 'First prompt');
  await panel.newSession();
  await say(panel, 'Second prompt');
  const [oldStore = ''] = [...prompts().keys()];
  await vscode().reopenBrowser();
  fs.renameSync(old, renamed);

  // Its new window offers what it had, and brings it over only when asked
  const window = await vscode().open(renamed);
  await waitFor('the old window to let its history go', () => !fs.existsSync(path.join(oldStore, 'state.db.lock')));
  const asked = contentOf(oldStore);
  const chat = await ChatPanel.open(window);
  await chat.sees(`Copy sessions from ${old} to this folder?`);
  // It waits for a prompt, in a container too.
  expect(await chat.frame.getByText('Your sessions are stored in this container').count()).toBe(0);
  await picture(chat, 'offer');
  expect([...prompts()].filter(([storage]) => storage !== oldStore).flatMap(([, texts]) => texts)).toEqual([]);
  await chat.button('Copy Sessions').click();
  await window.waitForToast('2 sessions copied from');
  await chat.sees('Heard: SECOND PROMPT');
  await chat.frame.getByText(/^Copy sessions from/).waitFor({ state: 'detached' });
  await say(chat, 'Third prompt');
  const newStore = [...prompts().keys()].find((storage) => storage !== oldStore) ?? '';
  await waitFor(
    'everything in one history',
    () => prompts().get(newStore)?.join() === 'First prompt,Second prompt,Third prompt',
  );
  expect(contentOf(oldStore)).toEqual(asked);

  // A third folder: a session of the renamed one, which another window has open, is read and then brought over
  const elsewhere = await vscode().open(third);
  const other = await ChatPanel.open(elsewhere);
  const view = await SessionsView.open(elsewhere);
  await view.unfold('Other Folders');
  await view.click(/^.*parcel-renamed, 2 sessions/);
  await view.click('First prompt');
  const page = await elsewhere.waitForWebview(EXTENSION_ID, 'editor');
  await page.getByText('Heard: FIRST PROMPT').first().waitFor();
  await page.getByText(`Session from ${renamed}, as it was when you opened this tab. Read-only.`).waitFor();
  await picture(other, 'read-only');
  await page.getByRole('button', { name: 'Copy to This Folder' }).click();
  await other.sees('Heard: FIRST PROMPT');
  await say(other, 'Here as well');
  await picture(other, 'brought-over');
  expect({
    stores: [...prompts().values()].map((texts) => texts.join()).sort(),
    copies: fs.readdirSync(path.join(vscode().globalStorageFolder(EXTENSION_ID), 'reading')).length,
    errors: [...window.errors(), ...elsewhere.errors()],
  }).toEqual({
    stores: ['First prompt,Here as well', 'First prompt,Second prompt', 'First prompt,Second prompt,Third prompt'],
    // The tab still reads from its copy.
    copies: 1,
    errors: [],
  });
});
