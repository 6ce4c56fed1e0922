import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { reply } from '../support/modelServer';
import { waitFor, type Workbench } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { gate } from './gate';
import { SessionsView } from './sessionsView';
import { picturesIn, scriptedVscode } from './scriptedVscode';
import { EXTENSION_ID } from './vscodeTest';

const { server, vscode, open, storage, query, ask } = await scriptedVscode();
const picture = picturesIn('history');
const mainFile = (): string => path.join(storage(), 'state.db');

/** Closes the window as a person does, and waits until its store is closed. */
async function closeWindow(workbench: Workbench): Promise<void> {
  await workbench.page.goto('about:blank');
  await waitFor('the extension host to end', () => vscode().server.extensionHostPids().length === 0);
}

/** Runs statements on the store's file with another SQLite, as a program that knows nothing of it. */
function sql(statements: string): void {
  const script = `const { DatabaseSync } = require('node:sqlite'); const db = new DatabaseSync(process.argv[1]); db.exec(process.argv[2]); db.close();`;
  execFileSync(vscode().node24, ['--no-warnings', '-e', script, mainFile(), statements]);
}

const hidden = (): readonly unknown[] =>
  query("SELECT active FROM messages WHERE role = 'tool'").map(({ active }) => active);

/** Every byte below a folder of backups, with chunks inflated, as one text. */
function everyByteOf(folder: string): string {
  const bytesOf = (file: string): Buffer => {
    try {
      return fs.readFileSync(file);
    } catch {
      // It was removed since it was listed.
      return Buffer.alloc(0);
    }
  };
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .map((file) => {
      const bytes = bytesOf(file);
      const isChunk = bytes.length > 0 && /[/\\]chunks[/\\].*[/\\][0-9a-f]{64}$/.test(file);
      return (isChunk ? inflateRawSync(bytes) : bytes).toString('latin1');
    })
    .join('\n');
}

test('damage is found, previewed, repaired and the repair undone', async () => {
  const folder = vscode().sampleFolder();
  const panel = await open(folder);
  const { workbench } = panel;
  server.script(reply().calls('read_file', { path: 'package.json' }), reply().says('It names the project.'));
  await panel.send('Look into the medlar file');
  await panel.waitForSettledAnswer('the answer after the tool', (text) => text.includes('names the project'));
  await closeWindow(workbench);
  sql(`UPDATE messages SET active = 0, hidden_reason = 'dropped' WHERE role = 'assistant' AND parts LIKE '%toolCall%'`);

  await workbench.open(folder);
  // A panel that comes up takes the focus, which closes a picker.
  await ChatPanel.open(workbench);
  await workbench.setTheme('Dark Modern');
  await workbench.runAndChoose('Hermes: Check and Repair… › Check Sessions…', 'This Folder');
  const finding = workbench.quickInputRow('Result without a tool call');
  const repairAll = workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Repair All' });
  await finding.waitFor();
  await picture(panel, 'findings-dark');
  await finding.click();
  await workbench.quickInputRow('Preview Repair').waitFor();
  await picture(panel, 'actions-dark');
  await workbench.quickInputRow('Preview Repair').click();
  await workbench.page.locator('.view-line', { hasText: 'Preview Repair' }).first().waitFor();
  await workbench.waitForToast(/Nothing has been changed yet in Look into the medlar file/);
  await picture(panel, 'preview-dark');
  const afterPreview = hidden();

  await workbench.runAndChoose('Hermes: Check and Repair… › Check Sessions…', 'This Folder');
  await finding.click();
  await workbench.quickInputRow('Repair').click();
  await workbench.waitForToast(/Repaired .*Changed rows: \d+/);
  await workbench.waitForToast(/No damage was found/);
  await picture(panel, 'repaired-dark');
  const afterRepair = await waitFor('the repair to be stored', () => (hidden().includes(0) ? hidden() : undefined));
  await workbench.clickToast('Undo Repair');
  const afterUndo = await waitFor('the repair to be undone', () => (hidden().includes(0) ? undefined : hidden()));
  await workbench.setTheme('Light Modern');
  await workbench.runAndChoose('Hermes: Check and Repair… › Check Sessions…', 'This Folder');
  await finding.waitFor();
  await picture(panel, 'findings-light');
  await repairAll.click();
  await waitFor('all to be repaired', () => (hidden().includes(0) ? true : undefined));
  expect({ afterPreview, afterRepair, afterUndo, errors: workbench.errors() }).toEqual({
    afterPreview: [1],
    afterRepair: [0],
    afterUndo: [1],
    errors: [],
  });
});

test('sessions come back from backups after their file is lost, and are forgotten there too', async () => {
  const folder = vscode().sampleFolder();
  const [workbench = await vscode().open(folder)] = vscode().workbenches;
  await workbench.open(folder);
  const panel = await ChatPanel.open(workbench);
  const [plum, quince] = ['A plum is a stone fruit.', 'A quince is hard.'];
  await panel.newSession();
  await ask(panel, 'Tell of plums', plum);
  await panel.newSession();
  const rest = gate();
  server.script(reply().says(`${quince} `).waitsFor(rest.opened).says('It smells well.'));
  await panel.send('Tell of quinces');
  await panel.waitForAnswer('the beginning of the answer', (text) => text.includes(quince));
  await workbench.runCommand('Hermes: Storage and History… › Back Up Now');
  await workbench.waitForToast(/Backed up 3 sessions with \d+ messages/);
  await picture(panel, 'backed-up-light');
  rest.open();
  await panel.waitForSettledAnswer('the whole answer', (text) => text.includes('smells well'));
  await closeWindow(workbench);
  for (const name of ['state.db', 'state.db.wal']) fs.rmSync(path.join(storage(), name), { force: true });

  // One session comes back
  await workbench.open(folder);
  const view = await SessionsView.open(workbench);
  const picker = workbench.page.locator('.quick-input-widget');
  const backup = picker.locator('.monaco-list-row', { hasText: 'Made with Back Up Now' });
  await workbench.openPick('Hermes: Storage and History… › Restore from Backup…', /Choose a backup/);
  await backup.first().waitFor();
  await picture(panel, 'backups-light');
  await backup.first().click();
  await picker.getByPlaceholder(/Sessions to bring back/).waitFor();
  await picture(panel, 'backup-light');
  for (const other of ['Tell of quinces', 'Look into the medlar file']) await workbench.quickInputRow(other).click();
  await picker.getByRole('button', { name: 'OK' }).click();
  await workbench.waitForToast(/Brought back 1 session with 2 messages/);
  const afterOne = (await view.waitForOutline('the session that came back', (rows) => rows.join().includes('plums')))
    .join()
    .includes('quinces');
  await view.click('Tell of plums');
  const shown = await ChatPanel.attach(workbench);
  await shown.sees(plum);

  // The whole history comes back
  await workbench.openPick('Hermes: Storage and History… › Restore from Backup…', /Choose a backup/);
  await backup.last().click();
  await picker.getByRole('button', { name: 'Restore Everything…' }).click();
  await workbench.dialog().waitFor();
  await picture(panel, 'restore-everything-light');
  await workbench.dialog().getByRole('button', { name: 'Restore Everything' }).click();
  await workbench.waitForToast(/The backup of .* was restored/);
  await view.waitForOutline('the whole history', (rows) => rows.join().includes('quinces'));
  await view.click('Tell of quinces');
  await (await ChatPanel.attach(workbench)).sees(quince);
  await workbench.setTheme('Dark Modern');
  await picture(panel, 'restored-dark');

  await workbench.openPick('Hermes: Storage and History… › Show Storage Use…', /Choose a session to open it/);
  await workbench.quickInputRow('Tell of plums').waitFor();
  await picture(panel, 'storage-dark');
  const used = await picker.innerText();
  await workbench.page.keyboard.press('Escape');

  // What is forgotten is forgotten in the backups
  const backups = path.join(storage(), 'backups');
  const before = everyByteOf(backups).includes(plum);
  await view.choose('Tell of plums', 'Forget Session…');
  await picture(panel, 'forget-dark');
  await workbench.dialog().getByRole('button', { name: 'Forget' }).click();
  await waitFor('the session to be erased from the backups', () =>
    everyByteOf(backups).includes(plum) ? undefined : true,
  );
  const { extensionsDir } = vscode().server;
  const installed = fs.readdirSync(extensionsDir).find((name) => name.startsWith(EXTENSION_ID)) ?? '';
  const program = path.join(extensionsDir, installed, 'dist/hermes-history.js');
  const verified = execFileSync(process.execPath, [program, 'backup', 'verify', '--store', storage()], {
    encoding: 'utf8',
  });
  expect({
    afterOne,
    before,
    othersAreKept: everyByteOf(backups).includes(quince),
    storage: /Storage Use: .*Search index/s.test(used),
    verified: verified.trim(),
    errors: workbench.errors(),
  }).toEqual({
    afterOne: false,
    before: true,
    othersAreKept: true,
    storage: true,
    verified: 'No problems were found.',
    errors: [],
  });
});
