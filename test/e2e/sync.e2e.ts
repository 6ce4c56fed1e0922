import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect } from 'vitest';
import { startPostgres, type RunningPostgres } from '../../scripts/postgresServer.mjs';
import { type ModelServer, reply, startModelServer } from '../support/modelServer';
import { projectRoot, waitFor } from '../support/vscode';
import { SessionsView } from './sessionsView';
import { EXTENSION_ID, test } from './vscodeTest';
import { numberedWords } from './words';
import { scriptedSettings } from './scriptedVscode';
import { SyncedMachine } from './syncedMachine';

let model: ModelServer;
let postgres: RunningPostgres;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hermes-sync-'));
const pictures = path.join(projectRoot(), '.vscode-test/screenshots/sync');

beforeAll(async () => {
  model = await startModelServer();
  postgres = await startPostgres({ folder, password: randomBytes(9).toString('base64url') });
});
afterAll(async () => {
  await postgres.stop();
  await model.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

const options = () => ({ settings: scriptedSettings(model) });

const passphrase = 'correct horse battery';

/** The first machine chooses that the server gets only encrypted text. */
async function setUp(machine: SyncedMachine, isFirst = false): Promise<void> {
  const { workbench, name } = machine;
  await machine.connect(postgres.url(), async () => {
    if (!isFirst) return workbench.answerInput(/or its recovery key/, passphrase);
    await workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Encrypt with' }).click();
    await workbench.answerInput(/You need it on each machine/, passphrase);
    await workbench.answerInput(/passphrase again/, passphrase);
  });
  await workbench.screenshot(pictures, `agree-${name}`);
  await machine.startSync();
  if (isFirst) {
    const dialog = workbench.dialog();
    await dialog.getByText(/Recovery key of/).waitFor();
    await workbench.screenshot(pictures, 'recovery-key');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  }
  await workbench.waitForToast(/Sync is on/);
}

/** Texts of all answers in the store of a machine, whichever session they are in. */
const answers = (machine: SyncedMachine): readonly string[] =>
  machine
    .query("SELECT DISTINCT parts FROM messages WHERE role = 'assistant' ORDER BY parts")
    .map(({ parts }) => /"text":"([^"]*)"/.exec(String(parts))?.[1] ?? '');

const sessionsOf = (machine: SyncedMachine): readonly unknown[] =>
  machine.query('SELECT title FROM sessions ORDER BY title').map(({ title }) => title);

/** Verify Session: what was shown, what is on disk, and what the server has are the same. */
async function verified({ workbench, name, panel }: SyncedMachine): Promise<void> {
  await workbench.runCommand('Hermes: Check and Repair… › Verify Session');
  // Without a session in the chat the user chooses one.
  if (await panel.frame.getByText('Hermes works in your folder').isVisible()) {
    // By the keyboard: the tooltip of a row may be above it.
    await workbench.page.locator('.quick-input-list .monaco-list-row.focused').waitFor();
    await workbench.page.keyboard.press('Enter');
  }
  const tab = workbench.editorWebview(EXTENSION_ID, 0);
  await tab.getByText(/On the server: all of it, as here\./).waitFor();
  await workbench.screenshot(pictures, `verified-${name}`);
}

test('three machines share a session; what two of them added while apart is kept in a branch', async ({
  startVscode,
}) => {
  const desk = await SyncedMachine.open('Desk', await startVscode(options()));
  await setUp(desk, true);
  await desk.ask(model, 'Tell of plums', 'A plum is a stone fruit.');

  // Another machine has it, and continues it
  const laptop = await SyncedMachine.open('Laptop', await startVscode(options()));
  await setUp(laptop);
  const view = await SessionsView.open(laptop.workbench);
  await view.waitForOutline('the session of the other machine', (rows) => rows.join().includes('plums'));
  await view.click('Tell of plums');
  await laptop.panel.sees('A plum is a stone fruit.');
  await laptop.ask(model, 'Tell of pears', 'A pear is green.');
  await desk.panel.sees('A pear is green.');

  // The laptop watches an answer of the desk, and stops it
  model.script(reply().says(numberedWords('w', 400), { every: 20 }).hangs());
  await desk.panel.send('Tell of many words');
  await laptop.panel.sees(/Desk is answering/);
  await laptop.panel.sees(/w0030/);
  await laptop.workbench.screenshot(pictures, 'watching');
  await laptop.panel.frame
    .getByRole('region', { name: 'Answer on Desk' })
    .getByRole('button', { name: 'Stop' })
    .click();
  await desk.panel.sees(/You stopped this answer/);
  await laptop.panel.sees(/You stopped this answer/);
  await waitFor(
    'the answer to be shown once',
    async () => !(await laptop.panel.frame.getByText('Desk is answering').isVisible()),
  );

  // Both continue while the server is gone
  await postgres.stop();
  await desk.ask(model, 'Tell of figs', 'A fig is soft.');
  await laptop.ask(model, 'Tell of nuts', 'A nut is hard.');
  await postgres.restart();
  const [stopped = ''] = answers(desk).filter((text) => text.startsWith('w0001 '));
  const all = ['A fig is soft.', 'A nut is hard.', 'A pear is green.', 'A plum is a stone fruit.', stopped];
  for (const each of [desk, laptop]) {
    await each.workbench.openPick('Hermes: Storage and History… › Sync Status…', /On the server|Not yet/);
    await each.workbench.screenshot(pictures, `status-${each.name}`);
    await each.workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Sync Now' }).click();
  }
  for (const each of [desk, laptop])
    await waitFor(
      `${each.name} to have all`,
      () => JSON.stringify(answers(each)) === JSON.stringify(all) || undefined,
      {
        seen: () => [...answers(each), ...sessionsOf(each)],
      },
    );
  await desk.panel.sees('A fig is soft.');
  await laptop.panel.sees('A nut is hard.');

  // A third one has everything
  const third = await SyncedMachine.open('Third', await startVscode(options()));
  await setUp(third);
  await waitFor(
    'the third machine to have all',
    () => JSON.stringify(answers(third)) === JSON.stringify(all) || undefined,
    {
      seen: () => answers(third),
    },
  );
  const client = new Client({ connectionString: postgres.url() });
  await client.connect();
  const { rows } = await client.query<{ body: string }>('SELECT body FROM hermes_sync.bodies WHERE body IS NOT NULL');
  await client.end();
  expect(rows.length).toBeGreaterThan(5);
  expect(rows.filter(({ body }) => !/^hermes1:[\w-]+$/.test(body))).toEqual([]);
  for (const each of [desk, laptop, third]) await verified(each);
  expect({
    sessions: [desk, laptop, third].map(sessionsOf),
    errors: [desk, laptop, third].flatMap(({ workbench }) => workbench.errors()),
  }).toEqual({
    sessions: Array.from({ length: 3 }, () => [
      'Tell of plums',
      expect.stringMatching(/Tell of plums.*(?:Desk|Laptop)/),
    ]),
    errors: [],
  });
});
