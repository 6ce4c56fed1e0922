import { beforeAll, expect, test } from 'vitest';
import { reply } from '../support/modelServer';
import { type Workbench, waitFor, write } from '../support/vscode';
import { openWorldStore } from '../support/worldStore';
import type { ChatPanel } from './chatPanel';
import { picturesIn, scriptedVscode } from './scriptedVscode';
import { EXTENSION_ID } from './vscodeTest';
import { answer, prompt } from '../support/sessionDbWorld';

/** Turns of the session, two rows each. */
const turns = 1500;
const { server, vscode, open, storage, query } = await scriptedVscode();
server.otherwise(reply().says('Answered.'));
const picture = picturesIn('transcript');
let workbench: Workbench;
let panel: ChatPanel;
let folder = '';

const transcript = () => workbench.waitForWebview(EXTENSION_ID, 'editor');

/** The session goes on for many turns. */
async function seed(sessionId: string): Promise<void> {
  const { db, store, database } = await openWorldStore(folder, () => Date.now() / 1000);
  database.run('PRAGMA synchronous = OFF');
  for (let number = 2; number <= turns; number++) {
    const turnUid = `s${number}`;
    const startedAt = Math.floor(Date.now() / 1000) + number;
    db.openTurn({
      turnUid,
      sessionId,
      model: 'Local/test-model',
      startedAt,
      userMessage: prompt(`${turnUid}-u`, `Prompt ${number}`, turnUid, sessionId),
    });
    db.settleTurn({
      turnUid,
      settledAt: startedAt,
      settlement: { outcome: 'complete', stopReason: 'stop', failure: null },
      messages: [answer(`${turnUid}-a`, `Answer ${number}. ${'It goes on like this. '.repeat(4)}`, turnUid, sessionId)],
    });
  }
  await store.close();
}

beforeAll(async () => {
  panel = await open();
  ({ workbench } = panel);
  await panel.ask('Where does the zeppelin land?', 'Answered.');
  folder = storage();
  const sessionId = String(query('SELECT id FROM sessions')[0]?.['id']);
  await workbench.page.goto('about:blank');
  await waitFor('the extension host to end', () => vscode().server.extensionHostPids().length === 0);
  await seed(sessionId);
  panel = await open();
  ({ workbench } = panel);
  await panel.sees(`Prompt ${turns}`);
});

test('a search finds text in an unloaded row among all stored rows, and goes to it', async () => {
  await workbench.runCommand('Hermes: Open Transcript');
  const tab = await transcript();
  await tab.getByText(`Stored rows: ${turns * 2}. Read-only.`).waitFor();
  const rows = tab.locator('[role=row][data-uid]');
  await waitFor('the first page of rows', async () => (await rows.count()) === 200);
  const before = [await tab.getByRole('grid').getByText('Where does the zeppelin land?').count(), await rows.count()];
  await write(tab.getByRole('textbox', { name: 'Find' }), 'ZEPPELIN');
  await tab.getByRole('textbox', { name: 'Find' }).press('Enter');
  await tab.getByRole('search').getByText('1 of 1 rows').waitFor();
  await tab.getByRole('grid').getByText('Where does the zeppelin land?').waitFor();
  const selected = tab.getByRole('row', { selected: true });
  await picture(panel, 'found');
  expect([before, await selected.locator('.cell-number').textContent(), (await rows.count()) <= 600]).toEqual([
    [0, 200],
    '1',
    true,
  ]);
});
