import fs from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, expect } from 'vitest';
import type { Locator } from 'playwright-core';
import { reply, startModelServer } from '../support/modelServer';
import {
  projectRoot,
  type VscodeSession,
  type VscodeSessionOptions,
  waitFor,
  within,
  type Workbench,
} from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { KeyboardHands } from './keyboardHands';
import { test } from './vscodeTest';
import { ApprovalCard } from './workPanel';
import { scriptedSettings } from './scriptedVscode';

const pictures = path.join(projectRoot(), '.vscode-test/screenshots/review');

/** Three files with line endings and a byte order mark that must survive; the agent creates a fourth. */
const before: Readonly<Record<string, Buffer | null>> = {
  'plain.txt': Buffer.from(Array.from({ length: 30 }, (_, index) => `line ${index + 1}\n`).join('')),
  'windows.txt': Buffer.from('\ufefffirst\r\nsecond\r\nthird'),
  'new.txt': null,
};
const names = Object.keys(before);

const server = await startModelServer();
afterAll(() => server.close());

const settings = (): VscodeSessionOptions => ({
  settings: { ...scriptedSettings(server), 'hermes.terminal.sandbox': 'off' },
});

let folder: string;
/** The folder of a new VS Code, with the files, and the model's part. */
function prepare(vscode: VscodeSession): void {
  folder = vscode.sampleFolder();
  for (const [name, bytes] of Object.entries(before))
    if (bytes !== null) fs.writeFileSync(path.join(folder, name), bytes);
  server.script(
    reply()
      .calls(
        'edit_file',
        {
          path: 'plain.txt',
          edits: [
            { old_text: 'line 3\n', new_text: 'line three\n' },
            { old_text: 'line 25\n', new_text: 'line twenty-five\n' },
          ],
        },
        { id: 'plain' },
      )
      .calls('edit_file', { path: 'windows.txt', old_text: 'second', new_text: 'SECOND' }, { id: 'windows' })
      .calls('write_file', { path: 'new.txt', content: 'brand new\n' }, { id: 'new' }),
    reply().says('All three are done.'),
  );
}

/** Bytes on disk; null where there is no file. */
const onDisk = (): Readonly<Record<string, string | null>> =>
  Object.fromEntries(
    names.map((name) => {
      const file = path.join(folder, name);
      return [name, fs.existsSync(file) ? fs.readFileSync(file).toString('latin1') : null];
    }),
  );
const latin = (contents: Readonly<Record<string, Buffer | null>>): Readonly<Record<string, string | null>> =>
  Object.fromEntries(Object.entries(contents).map(([name, bytes]) => [name, bytes?.toString('latin1') ?? null]));

const plainText = before['plain.txt']?.toString() ?? '';
const edited = {
  'plain.txt': Buffer.from(plainText.replace('line 3\n', 'line three\n').replace('line 25\n', 'line twenty-five\n')),
  'windows.txt': Buffer.from('\ufefffirst\r\nSECOND\r\nthird'),
  'new.txt': Buffer.from('brand new\n'),
};
/** After the first change of plain.txt was undone. */
const reviewed = { ...edited, 'plain.txt': Buffer.from(plainText.replace('line 25\n', 'line twenty-five\n')) };

async function untilOnDisk(what: string, wanted: Readonly<Record<string, Buffer | null>>): Promise<void> {
  await waitFor(what, () => isDeepStrictEqual(onDisk(), latin(wanted)), { seen: onDisk });
}

const barOf = (panel: ChatPanel): Locator => panel.frame.getByRole('group', { name: 'Changed files' });
const inBar = (panel: ChatPanel, name: string): Locator =>
  barOf(panel).getByRole('button', { name, exact: true }).first();

/** Names of the files that the explorer marks as changed by Hermes. */
async function marked(workbench: Workbench): Promise<readonly string[]> {
  return workbench.page
    .locator('.explorer-folders-view .monaco-list-row .monaco-icon-label')
    .evaluateAll((labels) =>
      labels
        .filter((label) => getComputedStyle(label, '::after').content === '"H"')
        .map((label) => label.textContent ?? ''),
    );
}

async function untilMarked(workbench: Workbench, wanted: readonly string[]): Promise<void> {
  const seen = (): Promise<readonly string[]> => marked(workbench);
  await waitFor(
    `these files to be marked: ${wanted.join(', ')}`,
    async () => isDeepStrictEqual([...(await seen())].sort(), [...wanted].sort()),
    { seen },
  );
}

async function untilReviewIsOpen(workbench: Workbench): Promise<void> {
  await waitFor(
    'the review of the turn',
    async () => (await workbench.tabs()).some((tab) => /Changes of the (Last )?Turn/.test(tab)),
    { seen: () => workbench.tabs() },
  );
  for (const text of [/^line\s3$/, 'line three'])
    await workbench.page.locator('.view-line', { hasText: text }).first().waitFor();
}

test('with the mouse, three edits are allowed at once, reviewed, undone in part, kept, reverted and brought back byte for byte', async ({
  startVscode,
}) => {
  const vscode = await startVscode(settings());
  prepare(vscode);
  const workbench = await vscode.open(folder);
  await workbench.resize(1500, 900);
  let panel = await ChatPanel.open(workbench);
  await panel.send('Change three files.');
  await (await ApprovalCard.asks(panel, 'Edit plain.txt?')).press('Allow All (3)');
  await panel.answered('All three are done.');
  await untilOnDisk('the three edits', edited);

  await inBar(panel, 'Review').click();
  await untilReviewIsOpen(workbench);
  await untilMarked(workbench, names);
  await workbench.page.locator('.view-line', { hasText: 'line three' }).first().click();
  await workbench.statusBarItem(/1 of 4 changes/).waitFor();
  await workbench.screenshot(pictures, 'multi-diff');
  await workbench.page.getByRole('button', { name: /^Undo Change/ }).click();
  await untilOnDisk('one change to be undone', reviewed);
  await workbench.clickStatusBar(/3 changes/);
  await workbench.statusBarItem(/1 of 3 changes/).waitFor();

  await workbench.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'plain.txt' }).dblclick();
  const keep = workbench.page.locator('.codelens-decoration a', { hasText: /^Keep$/ });
  await keep.first().waitFor();
  await workbench.screenshot(pictures, 'lenses');
  await keep.first().click();
  await untilMarked(workbench, ['new.txt', 'windows.txt']);
  await inBar(panel, 'Keep').click();
  await barOf(panel).getByText('kept', { exact: true }).waitFor();
  await untilMarked(workbench, []);

  await inBar(panel, 'Revert').click();
  await barOf(panel).getByText('Reverted 3 files.').waitFor();
  await untilOnDisk('the turn to be reverted', before);
  await workbench.screenshot(pictures, 'reverted');
  await inBar(panel, 'Undo Revert').click();
  await barOf(panel).getByText('kept', { exact: true }).waitFor();
  await untilOnDisk('the revert to be undone', reviewed);

  panel = await panel.reload();
  await barOf(panel).getByText('kept', { exact: true }).waitFor();
  await untilMarked(workbench, []);
  await workbench.page.locator('.tab', { hasText: 'Changes of the Turn' }).click();
  await workbench.page.locator('.view-line', { hasText: 'line twenty-five' }).first().waitFor();
  await workbench.screenshot(pictures, 'reloaded');
  expect({ files: onDisk(), unplayed: server.unplayed }).toEqual({ files: latin(reviewed), unplayed: 0 });
});

test('with the keyboard, the same goes from change to change, and a revert is undone after a reload', async ({
  startVscode,
}) => {
  const vscode = await startVscode(settings());
  prepare(vscode);
  const hands = await KeyboardHands.openChat(vscode, folder);
  const { workbench } = hands;
  await workbench.resize(1500, 900);
  await hands.type('Change three files.');
  await hands.press('Enter');
  await (await ApprovalCard.asks(hands.panel, 'Edit plain.txt?')).pressByKeyboard('Allow All (3)');
  await hands.panel.answered('All three are done.');
  await untilOnDisk('the three edits', edited);

  await hands.command('Hermes: Review Changes… › Review Changes of the Last Turn');
  await untilReviewIsOpen(workbench);
  await workbench.statusBarItem(/4 changes/).waitFor();
  // The editor may go to its first change on its own. A press more would go past it.
  const first = async (): Promise<boolean> => workbench.statusBarItem(/1 of 4 changes/).isVisible();
  await waitFor('the first change', async () => {
    if (await within(2_000, first)) return true;
    await hands.press('Alt+.');
    return within(5_000, first);
  });
  await hands.press('Alt+u');
  await untilOnDisk('one change to be undone', reviewed);
  for (const left of [3, 2, 1]) {
    await hands.press('Alt+.');
    await workbench.statusBarItem(new RegExp(`1 of ${left} changes?`)).waitFor();
    await hands.press('Alt+y');
    if (left > 1) await workbench.statusBarItem(new RegExp(`\\b${left - 1} changes?`)).waitFor();
  }
  await barOf(hands.panel).getByText('kept', { exact: true }).waitFor();

  await hands.command('Hermes: Focus Chat');
  await hands.onComposer();
  await hands.backTo('button', 'Revert');
  await hands.press('Enter');
  await untilOnDisk('the turn to be reverted', before);
  await workbench.reload();
  const panel = await ChatPanel.attach(workbench);
  await barOf(panel).getByText('Reverted 3 files.').waitFor();
  await hands.command('Hermes: Review Changes… › Undo Revert');
  await untilOnDisk('the revert to be undone', reviewed);
  await barOf(panel).getByText('kept', { exact: true }).waitFor();
  await workbench.screenshot(pictures, 'undone');
  expect(server.unplayed).toBe(0);
});

test('changes of a session that is not open come back after a reload, are marked, and one is undone and brought back', async ({
  startVscode,
}) => {
  const vscode = await startVscode(settings());
  prepare(vscode);
  const workbench = await vscode.open(folder);
  await workbench.resize(1500, 900);
  const panel = await ChatPanel.open(workbench);
  await panel.send('Change three files.');
  await (await ApprovalCard.asks(panel, 'Edit plain.txt?')).press('Allow All (3)');
  await panel.answered('All three are done.');
  await workbench.runCommand('Hermes: New Session');
  await workbench.reload();
  await untilMarked(workbench, names);

  await workbench.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'plain.txt' }).dblclick();
  const lens = (name: string): Locator => workbench.page.locator('.codelens-decoration a', { hasText: name }).first();
  await lens('− line 3').waitFor();
  await workbench.page.locator('.dirty-diff-modified').first().waitFor();
  await workbench.screenshot(pictures, 'marks');
  await lens('− line 3').click();
  await workbench.page.locator('.peekview-widget').waitFor();
  await workbench.screenshot(pictures, 'in-place');
  await workbench.page.keyboard.press('Escape');
  await lens('Undo').click();
  await untilOnDisk('one change to be undone', reviewed);
  await workbench.screenshot(pictures, 'undone-here');
  await lens('Undo Revert').click();
  await untilOnDisk('the revert to be undone', edited);
  await lens('− line 3').waitFor();
});
