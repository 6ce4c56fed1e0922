import fs from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { reply } from '../support/modelServer';
import { waitFor, within, type Workbench } from '../support/vscode';
import type { ChatPanel } from './chatPanel';
import { picturesIn, scriptedVscode } from './scriptedVscode';

const shellPrompt = 'ready>';

const { server, vscode, open } = await scriptedVscode({
  settings: {
    'files.autoSave': 'off',
    // Drawn as text, so that what stands in a terminal can be read.
    'terminal.integrated.gpuAcceleration': 'off',
    // A shell whose prompt is known, on a line of its own, whoever runs it and however long the folder's path is.
    'terminal.integrated.defaultProfile.linux': 'plain',
    'terminal.integrated.profiles.linux': {
      plain: { path: '/bin/bash', args: ['--norc', '--noprofile'], env: { PS1: `\n${shellPrompt} ` } },
    },
  },
  viewport: { width: 1500, height: 900 },
});
const picture = picturesIn('code-actions');
let workbench: Workbench;
let panel: ChatPanel;
let folder: string;
const file = (name: string): string => path.join(folder, name);

const before = `export function wait(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export function twice(ms) {
  return wait(ms).then(() => wait(ms));
}
`;
const answer = `Look at src/wait.js:5, which calls \`wait\`.

\`\`\`js title="src/wait.js"
export function twice(ms) {
  const first = wait(ms);
  return first.then(() => wait(ms));
}
\`\`\`

\`\`\`bash
echo "ran $((20 + 3))" > ran.txt
\`\`\`

\`\`\`bash
echo one > several.txt
echo two >> several.txt
\`\`\`

\`\`\`ts
const isNew = true;
\`\`\`

[Elsewhere](https://example.com/manual)`;

const code = (nth: number): Locator => panel.frame.locator('.code-block').nth(nth);
async function press(nth: number, name: string): Promise<void> {
  await code(nth).hover();
  await code(nth).getByRole('button', { name, exact: true }).click();
}
const editorText = (text: string): Promise<void> =>
  workbench.page.locator('.editor-instance .view-lines').filter({ hasText: text }).first().waitFor();

beforeAll(async () => {
  folder = vscode().sampleFolder();
  fs.writeFileSync(file('src/wait.js'), before.replaceAll('\n', '\r\n'));
  panel = await open(folder);
  ({ workbench } = panel);
  server.script(reply().says(answer));
  await panel.send('Show me');
  await panel.waitForSettledAnswer('the answer', (text) => text.includes('Elsewhere'));
  await code(3).getByRole('toolbar').waitFor();
});

test('without an editor, Insert says what to do', async () => {
  await press(3, 'Insert at Cursor');
  expect(await workbench.waitForToast(/No text editor is open/)).toContain('New File');
  await workbench.runCommand('Notifications: Clear All Notifications');
});

test('Copy copies exactly the code', async () => {
  await press(0, 'Copy Code');
  await waitFor('the code in the clipboard', async () =>
    (await workbench.page.evaluate(() => navigator.clipboard.readText())).startsWith('export function twice')
      ? true
      : undefined,
  );
});

test('a file name opens the file at its line', async () => {
  await panel.frame.getByRole('link', { name: 'src/wait.js:5', exact: true }).click();
  await editorText('function twice');
  await workbench.statusBarItem(/Ln 5, Col 1/).waitFor();
  await picture(panel, 'link');
});

test("a change is written only after it was seen and applied, with the file's line endings, and can be undone", async () => {
  await press(0, 'Apply to File…');
  await waitFor('the difference', async () =>
    (await workbench.tabs()).some((tab) => tab.includes('now ↔ proposed')) ? true : undefined,
  );
  await workbench.waitForToast(/Apply the proposed change to src\/wait\.js\?/);
  await picture(panel, 'diff');
  const untouched = fs.readFileSync(file('src/wait.js'), 'utf8');
  await workbench.clickToast('Discard');
  await waitFor('the difference to close', async () =>
    (await workbench.tabs()).some((tab) => tab.includes('proposed')) ? undefined : true,
  );
  const discarded = fs.readFileSync(file('src/wait.js'), 'utf8');
  await press(0, 'Apply to File…');
  await workbench.waitForToast(/Apply the proposed change/);
  await workbench.clickToast('Apply');
  const wanted = before
    .replace(
      '  return wait(ms).then(() => wait(ms));',
      '  const first = wait(ms);\n  return first.then(() => wait(ms));',
    )
    .replaceAll('\n', '\r\n');
  await waitFor('the change on disk', () => fs.readFileSync(file('src/wait.js'), 'utf8') === wanted || undefined);
  // What is undone is what has the focus, which the chat may still take.
  const isUndone = (): boolean => fs.readFileSync(file('src/wait.js'), 'utf8') === before.replaceAll('\n', '\r\n');
  await waitFor('the change undone', async () => {
    await workbench.runCommand('View: Focus Active Editor Group');
    await workbench.runCommand('Undo');
    await workbench.runCommand('File: Save');
    return within(5_000, isUndone);
  });
  expect([untouched, discarded]).toEqual([before.replaceAll('\n', '\r\n'), before.replaceAll('\n', '\r\n')]);
});

test('a file that changed while the proposal was shown is left unchanged', async () => {
  await press(0, 'Apply to File…');
  await workbench.waitForToast(/Apply the proposed change/);
  const meanwhile = before.replace('twice', 'thrice').replaceAll('\n', '\r\n');
  fs.writeFileSync(file('src/wait.js'), meanwhile);
  await waitFor('the editor to notice', async () =>
    (await workbench.page.locator('.view-lines').filter({ hasText: 'thrice' }).count()) > 0 ? true : undefined,
  );
  await workbench.clickToast('Apply');
  expect(await workbench.waitForToast(/changed while you were reviewing/)).toContain('nothing was applied');
  expect(fs.readFileSync(file('src/wait.js'), 'utf8')).toBe(meanwhile);
  await workbench.runCommand('Notifications: Clear All Notifications');
});

test('inserted code goes to the cursor of the editor used last', async () => {
  await panel.frame.getByRole('link', { name: 'src/wait.js:5', exact: true }).click();
  await workbench.statusBarItem(/Ln 5, Col 1/).waitFor();
  await press(3, 'Insert at Cursor');
  await editorText('const isNew = true;export function thrice');
  await workbench.runCommand('File: Revert File');
});

test('code becomes an untitled file, in its language', async () => {
  await press(3, 'New File');
  await waitFor('an untitled tab', async () =>
    (await workbench.tabs()).some((tab) => tab.startsWith('const isNew')) ? true : undefined,
  );
  await workbench.statusBarItem(/TypeScript/).waitFor();
});

test('one line runs in a terminal; several lines wait there for the user', async () => {
  await press(1, 'Run in Terminal');
  await workbench.dialog().getByRole('button', { name: 'Run', exact: true }).click();
  await waitFor(
    'the command to have run',
    () => (fs.existsSync(file('ran.txt')) && fs.readFileSync(file('ran.txt'), 'utf8') === 'ran 23\n') || undefined,
  );
  // Lines sent to a shell that does not ask yet are not taken as one paste.
  await waitFor('the shell to ask for the next command', async () => {
    const screen = (await workbench.page.locator('.xterm-rows').last().innerText()).trimEnd();
    return screen.includes('> ran.txt') && screen.endsWith(shellPrompt);
  });
  await press(2, 'Run in Terminal');
  await workbench.page.locator('.xterm-rows').filter({ hasText: 'echo two >> several.txt' }).last().waitFor();
  // That nothing has run is seen by what is not there after a while.
  await workbench.page.waitForTimeout(1000);
  await picture(panel, 'terminal');
  expect([fs.existsSync(file('several.txt')), await workbench.dialog().count()]).toEqual([false, 0]);
  await workbench.page.keyboard.press('Enter');
  await waitFor(
    'the lines to have run',
    () =>
      (fs.existsSync(file('several.txt')) && fs.readFileSync(file('several.txt'), 'utf8') === 'one\ntwo\n') ||
      undefined,
  );
});

test('an external link asks before it opens', async () => {
  await panel.frame.getByRole('link', { name: 'Elsewhere' }).click();
  await workbench.dialog().waitFor();
  expect(await workbench.dialog().innerText()).toContain('https://example.com/manual');
  await picture(panel, 'elsewhere');
  await workbench.dialog().getByRole('button', { name: 'Cancel' }).click();
});
