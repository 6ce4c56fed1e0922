import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../support/modelServer';
import { readStateDb, type Workbench, waitFor } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { EXTENSION_ID } from '../support/extensionId';
import { gate } from './gate';
import { numberedWords } from './words';
import { scriptedVscode } from './scriptedVscode';

const { server, vscode } = await scriptedVscode();
server.otherwise(reply().says('Answered.'));
let workbench: Workbench | undefined;
let folder = '';

const at = (name: string): string => path.join(folder, name);

/** The panel of the one window, as earlier tests left it. */
async function panelNow(): Promise<ChatPanel> {
  return workbench === undefined ? freshPanel() : ChatPanel.attach(workbench);
}

/** The panel of the one window, loaded again: earlier notices are gone. */
async function freshPanel(): Promise<ChatPanel> {
  const workspace = path.join(vscode().root, 'workspace');
  fs.mkdirSync(workspace, { recursive: true });
  if (workbench === undefined) workbench = await vscode().open(workspace);
  else await workbench.open(workspace);
  const panel = await ChatPanel.open(workbench);
  if (folder !== '') return panel;
  await panel.ask('Hello', 'Answered.');
  folder = await waitFor('the workspace storage', () =>
    vscode()
      .workspaceStorageFolders(EXTENSION_ID)
      .find((each) => fs.existsSync(path.join(each, 'state.db'))),
  );
  return panel;
}

async function closeWindow(): Promise<void> {
  await workbench?.page.goto('about:blank');
  await waitFor('the extension host to end', () => vscode().server.extensionHostPids().length === 0);
}

/** Asks, and does something to the files in the middle of the answer. Resolves with all its words once the panel shows them. */
async function inTheMiddle(panel: ChatPanel, name: string, touch: () => void): Promise<string> {
  const words = numberedWords(name, 60);
  const [first, rest] = [numberedWords(name, 20), gate()];
  server.script(reply().says(first, { every: 2 }).waitsFor(rest.opened).says(words.slice(first.length), { every: 5 }));
  await panel.send(`Ask ${name}`);
  await panel.waitForAnswer('the first words', (text) => text.startsWith(`${name}0001`));
  touch();
  rest.open();
  await panel.waitForAnswer('the whole answer', (text) => text.trimEnd() === words.trimEnd());
  return words;
}

const prompts = (): readonly unknown[] =>
  readStateDb(folder, "SELECT content FROM messages WHERE role = 'user' AND active = 1 ORDER BY position").map(
    ({ content }) => content,
  );

/** Waits until the answers, each with its prompt, are stored, whole and once. */
async function stored(...answers: readonly string[]): Promise<void> {
  await waitFor('the answers to be stored', () => {
    if (!fs.existsSync(at('state.db'))) return undefined;
    const rows = readStateDb(folder, "SELECT content FROM messages WHERE role = 'assistant' AND active = 1").map(
      (row) => String(row['content']).trimEnd(),
    );
    const open = readStateDb(folder, "SELECT uid FROM turns WHERE state <> 'settled'").length;
    return (
      (open === 0 && answers.every((answer) => rows.filter((row) => row === answer.trimEnd()).length === 1)) ||
      undefined
    );
  });
}

test('the file is deleted in the middle of an answer: everything is restored', async () => {
  const panel = await panelNow();
  const before = prompts();
  const answer = await inTheMiddle(panel, 'file', () => fs.rmSync(at('state.db')));
  await panel.sees(/was deleted while in use\. Hermes restored it\./);
  await stored(answer);
  expect(prompts()).toEqual([...before, 'Ask file']);
});

test('the log is deleted in the middle of an answer: the reason appears once, and Try Again saves everything', async () => {
  const panel = await panelNow();
  const words = inTheMiddle(panel, 'log', () => fs.rmSync(at('state.db.wal')));
  await panel.sees(/A file that belongs to your sessions was deleted, moved or replaced/);
  const answer = await words;
  const said = await panel.frame.getByRole('alert').filter({ hasText: 'belongs to your sessions' }).innerText();
  await panel.button('Try Again').first().click();
  await stored(answer);
  expect(said.split('belongs to your sessions').length).toBe(2);
});

test('an older copy replaces the file: the rest is offered at every start, and returns in order', async () => {
  await panelNow();
  await closeWindow();
  const older = path.join(vscode().root, 'older.db');
  fs.copyFileSync(at('state.db'), older);
  let panel = await freshPanel();
  const before = prompts();
  await panel.ask('Ask between', 'Answered.');
  const answer = await inTheMiddle(panel, 'older', () => fs.renameSync(older, at('state.db')));
  await panel.sees(/Another file replaced the one that holds your sessions\. Choose Try Again/);
  await panel.button('Try Again').first().click();
  await panel.sees(/Restore your sessions to have both here\./);
  const without = prompts();
  await closeWindow();
  panel = await freshPanel();
  await panel.sees(/Restore your sessions to have both here\./);
  await panel.ask('Ask after', 'Answered.');
  await panel.button('Restore Sessions').click();
  await panel.sees(/Your sessions are restored: 2 missing messages were added\./);
  await stored(answer);
  const shown = await waitFor('the turn between to be shown', async () => {
    const texts = (await panel.prompts()).map(({ text }) => text);
    return texts.includes('Ask between') ? texts.slice(-3) : undefined;
  });
  expect({ without, after: prompts(), shown }).toEqual({
    without: [...before, 'Ask older'],
    after: [...before, 'Ask between', 'Ask older', 'Ask after'],
    shown: ['Ask between', 'Ask older', 'Ask after'],
  });
});

test('the window that owns the sessions sleeps: another one says so in a sentence, which disappears when it wakes', async () => {
  await panelNow();
  const [sleeping] = vscode().server.extensionHostPids();
  if (sleeping === undefined) throw new Error('no extension host runs');
  process.kill(sleeping, 'SIGSTOP');
  try {
    const second = await vscode().open(path.join(vscode().root, 'workspace'));
    const panel = await ChatPanel.open(second);
    const notice = panel.frame.getByText(
      /Another window has your sessions open and isn’t responding \(process \d+ on this machine\)\. Close it or wait/,
    );
    await notice.waitFor();
    await waitFor('the window to be given up', async () => (await panel.button('Try Again').count()) > 0 || undefined);
    process.kill(sleeping, 'SIGCONT');
    await waitFor('the notice to go', async () => (await notice.count()) === 0 || undefined);
    await panel.waitForSettledAnswer('the last answer in the second window');
    await second.page.close();
  } finally {
    process.kill(sleeping, 'SIGCONT');
  }
});

test('the whole server is killed in the middle of an answer: the reason shown does not claim that the user closed the window', async () => {
  const panel = await freshPanel();
  server.script(reply().says(numberedWords('killed', 30), { every: 2 }).hangs());
  await panel.send('Be killed');
  await panel.waitForAnswer('the first words', (text) => text.startsWith('killed0001'));
  await vscode().server.kill();
  await waitFor('the extension host to end', () => vscode().server.extensionHostPids().length === 0);
  await vscode().server.start();
  const again = await freshPanel();
  await again.sees(/Interrupted: (the window closed or VS Code stopped|the extension host stopped) after \d+ words?\./);
});
