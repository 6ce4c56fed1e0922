import fs from 'node:fs';
import path from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { expect, test } from 'vitest';
import { projectRoot, readStateDb, waitFor, type Workbench } from '../support/vscode';
import { EXTENSION_ID, sharedVscode } from './vscodeTest';

const pictures = path.join(projectRoot(), '.vscode-test/screenshots/history-files');
const fixtures = path.join(projectRoot(), 'test/fixtures/history');
const vscode = sharedVscode(() => ({}));

/** A folder with files of other agents, as they may lie in a project. */
function folderWithHistory(): string {
  const folder = vscode().sampleFolder();
  const [claude = ''] = fs
    .readdirSync(path.join(fixtures, 'claudeCode/projects/-home-demo-project'))
    .filter((name) => name.startsWith('1111'));
  fs.copyFileSync(
    path.join(fixtures, 'claudeCode/projects/-home-demo-project', claude),
    path.join(folder, 'old.jsonl'),
  );
  const projects = path.join(folder, '.claude/projects/-home-demo');
  fs.mkdirSync(projects, { recursive: true });
  fs.copyFileSync(path.join(folder, 'old.jsonl'), path.join(projects, 'in-its-place.jsonl'));
  fs.copyFileSync(path.join(fixtures, 'hermes/profiles/compacted/state.db'), path.join(folder, 'state.db'));
  fs.writeFileSync(path.join(folder, 'notes.jsonl'), 'plain words\n');
  return folder;
}

/** Chooses a file of the open folder. */
async function openFile(workbench: Workbench, file: string): Promise<FrameLocator> {
  await workbench.runAndChoose('Hermes: Import… › Open History File…', file);
  return workbench.waitForWebview(EXTENSION_ID, 'editor');
}

const copies = (): readonly string[] => {
  const folder = path.join(vscode().globalStorageFolder(EXTENSION_ID), 'reading');
  return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
};

test('files of other agents open as transcripts, which survive a reload and can be imported', async () => {
  const folder = folderWithHistory();
  const before = fs.readFileSync(path.join(folder, 'state.db'));
  const workbench = await vscode().open(folder);

  // A file with one session shows it at once
  const claude = await openFile(workbench, 'old.jsonl');
  await claude.getByText('What is in fruit.txt?').first().waitFor();
  await claude.getByText(/Stored rows: \d+\. Read-only\. Read on/).waitFor();
  await workbench.screenshot(pictures, 'claude');
  const actions = await claude.locator('.toolbar-actions button').allInnerTexts();

  // A file with several asks which one to show
  await workbench.runCommand('View: Close All Editors');
  await waitFor('the copy to be removed', () => copies().length === 0);
  await workbench.runAndChoose('Hermes: Import… › Open History File…', 'state.db');
  await workbench.page.locator('.quick-input-widget').getByPlaceholder('Choose a session to read').waitFor();
  await workbench.screenshot(pictures, 'choose');
  await workbench.page.keyboard.press('Enter');
  const database = await workbench.waitForWebview(EXTENSION_ID, 'editor');
  await database.locator('[role=row]').first().waitFor();
  await workbench.screenshot(pictures, 'hermes');
  const title = await database.locator('h1').innerText();

  // The tab comes back with its session
  await workbench.reload();
  const again = await workbench.waitForWebview(EXTENSION_ID, 'editor');
  await again.locator('[role=row]').first().waitFor();
  const titleAfterReload = await again.locator('h1').innerText();

  // A file without sessions says so
  await workbench.runCommand('View: Close All Editors');
  const notes = await openFile(workbench, 'notes.jsonl');
  await notes.getByText('It holds no session in a format that can be read').waitFor();
  await workbench.screenshot(pictures, 'no-sessions');
  await notes.getByRole('button', { name: 'Open as Text' }).click();
  await workbench.page.locator('.monaco-editor', { hasText: 'plain words' }).first().waitFor();

  // Import takes the session into the history
  await workbench.runCommand('View: Close All Editors');
  const imported = await openFile(workbench, 'old.jsonl');
  await imported.getByRole('button', { name: 'Import', exact: true }).click();
  const picker = workbench.page.locator('.quick-input-widget');
  await picker.getByPlaceholder(/Choose sessions to import/).waitFor();
  await picker.getByRole('button', { name: 'OK' }).click();
  await workbench.waitForToast(/Imported 1 session with \d+ messages?/);
  const stored = readStateDb(
    vscode().workspaceStorageFolders(EXTENSION_ID)[0] ?? '',
    "SELECT title FROM sessions WHERE source <> 'vscode' AND parent_session_id IS NULL",
  );

  // A session in a folder of Claude Code is offered to the editor, and opens as text unless it is chosen
  await workbench.runCommand('View: Close All Editors');
  await workbench.runAndChoose('Go to File', 'in-its-place.jsonl', 'in-its-place.jsonl');
  await workbench.page.locator('.monaco-editor', { hasText: 'queue-operation' }).first().waitFor();
  await workbench.runAndChoose('View: Reopen Editor With', 'Hermes Transcript');
  const offered = await workbench.waitForWebview(EXTENSION_ID, 'editor');
  await offered.getByText('What is in fruit.txt?').first().waitFor();
  expect({
    actions,
    isSame: titleAfterReload === title && title !== 'Transcript',
    stored: stored.map((row) => row['title']),
    isUntouched: fs.readFileSync(path.join(folder, 'state.db')).equals(before),
    besideIt: fs.readdirSync(folder).filter((name) => name.startsWith('state.db')),
    errors: workbench.errors(),
  }).toEqual({
    actions: ['Verify', 'Import', 'Reload'],
    isSame: true,
    stored: ['What is in fruit.txt?'],
    isUntouched: true,
    besideIt: ['state.db'],
    errors: [],
  });
});
