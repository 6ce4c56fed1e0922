import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { waitFor, type Workbench } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { heard, picturesIn, scriptedVscode } from './scriptedVscode';

const { vscode, open } = await scriptedVscode({ echoes: true });
const picture = picturesIn('workspaces');

const say = (panel: ChatPanel, prompt: string): Promise<void> => panel.ask(prompt, heard(prompt));

/** Runs a command that ends in another window of the same page, after a file dialog is answered. */
async function moveOn(window: Workbench, command: string, button: string, answer: string): Promise<ChatPanel> {
  const dialog = window.page.locator('.quick-input-widget');
  const input = dialog.locator('input.input');
  await window.runCommand(command);
  await dialog.getByRole('button', { name: button, exact: true }).waitFor();
  // The dialog proposes a name once it has read the folder, over what was typed before.
  await waitFor('the file dialog to keep what was typed', async () => {
    if ((await input.inputValue()) !== answer) await input.fill(answer);
    await window.page.waitForTimeout(1_000);
    return (await input.inputValue()) === answer;
  });
  await dialog.getByRole('button', { name: button, exact: true }).click();
  await window.page.waitForURL(/[?&]workspace=/);
  await window.ready();
  return withFolders(window);
}

/** VS Code may open a workspace before its folders are in it, and shows none then until it is loaded again. */
async function withFolders(window: Workbench): Promise<ChatPanel> {
  const folder = window.page.locator('.explorer-folders-view').getByRole('treeitem').first();
  const isShown = (): Promise<boolean> =>
    folder.waitFor({ timeout: 5_000 }).then(
      () => true,
      () => false,
    );
  await waitFor('the folders of the workspace', async () => {
    if (await isShown()) return true;
    await window.page.reload();
    await window.ready();
    return isShown();
  });
  return ChatPanel.open(window);
}

/** Closes every window and opens this folder or workspace file. */
async function reopened(folder: string): Promise<ChatPanel> {
  await vscode().reopenBrowser();
  await waitFor('the old windows to end', () => vscode().server.extensionHostPids().length === 0);
  return withFolders(await vscode().open(folder));
}

async function copy(panel: ChatPanel, sentence: string | RegExp): Promise<void> {
  await panel.sees(sentence);
  await panel.button('Copy Sessions').click();
  await panel.workbench.waitForToast(/copied from/);
  await panel.frame.getByText(sentence).waitFor({ state: 'detached' });
}

test('a folder keeps its history when it becomes a workspace, when that is renamed, and when it is a folder again', async () => {
  const folder = vscode().sampleFolder();
  const file = path.join(path.dirname(folder), 'parcels.code-workspace');
  const renamed = path.join(path.dirname(folder), 'letters.code-workspace');
  let panel = await open();
  await say(panel, 'First prompt');
  await panel.newSession();
  await say(panel, 'Second prompt');

  // Save Workspace As: one click shows the session that was open, and both are there
  panel = await moveOn(panel.workbench, 'Workspaces: Save Workspace As...', 'OK', file);
  await panel.sees('Copy sessions from parcel-post to this workspace? (2 sessions,');
  await picture(panel, 'saved-as');
  await copy(panel, /^Copy sessions from/);
  await panel.sees(heard('Second prompt'));
  await say(panel, 'Third prompt');

  // The folder again: what the workspace added is offered, although the folder has a history
  panel = await reopened(folder);
  await copy(panel, 'Copy sessions from parcels (Workspace) to this folder? (1 session,');
  await say(panel, 'Fourth prompt');
  expect((await panel.prompts()).map(({ text }) => text)).toEqual(['Second prompt', 'Third prompt', 'Fourth prompt']);

  // The workspace file under another name
  await vscode().reopenBrowser();
  fs.renameSync(file, renamed);
  panel = await reopened(renamed);
  await copy(panel, `Copy sessions from ${file} to this workspace? (2 sessions,`);
  await panel.sees(heard('Third prompt'));

  // The folder's newer session follows; what is decided is not asked again
  await panel.sees('Copy sessions from parcel-post to this workspace? (1 session,');
  await panel.button('Not Now').click();
  panel = await reopened(renamed);
  await say(panel, 'Fifth prompt');
  expect(await panel.frame.getByText(/^Copy sessions from/).count()).toBe(0);
});

test('a second folder makes a workspace, which is offered the history of the first', async () => {
  const [first, second] = ['first', 'second'].map((name) => path.join(vscode().root, name));
  if (first === undefined || second === undefined) throw new Error('no folders');
  for (const folder of [first, second]) fs.mkdirSync(folder);
  let panel = await open(first);
  await say(panel, 'Alone');
  panel = await moveOn(panel.workbench, 'Workspaces: Add Folder to Workspace...', 'Add', `${second}/`);
  await copy(panel, 'Copy sessions from first to this workspace? (1 session,');
  await picture(panel, 'second-folder');
  await panel.sees(heard('Alone'));
});
