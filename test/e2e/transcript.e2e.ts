import { beforeAll, expect, test } from 'vitest';
import type { NewMessage } from '../../src/transcript/message';
import { unknownUsage } from '../../src/transcript/usage';
import { reply } from '../support/modelServer';
import { readStateDb, type Workbench, waitFor, write } from '../support/vscode';
import { openWorldStore } from '../support/worldStore';
import type { ChatPanel } from './chatPanel';
import { picturesIn, scriptedVscode } from './scriptedVscode';
import { EXTENSION_ID } from './vscodeTest';

/** Turns of the long session, two rows each. */
const turns = 1500;
const { server, vscode, open, storage } = await scriptedVscode();
server.otherwise(reply().says('Answered.'));
const picture = picturesIn('transcript');
let workbench: Workbench;
let panel: ChatPanel;
let folder = '';

const transcript = () => workbench.waitForWebview(EXTENSION_ID, 'editor');
const query = (sql: string) => readStateDb(folder, sql);

type Said = NewMessage & { readonly role: 'assistant' };
const promptOf = (
  turnUid: string,
  sessionId: string,
  text: string,
  createdAt: number,
): NewMessage & { readonly role: 'user' } => ({
  uid: `${turnUid}-u`,
  sessionId,
  turnUid,
  createdAt,
  visibility: { kind: 'shown' },
  carriedFrom: null,
  role: 'user',
  parts: [{ kind: 'text', text }],
});
const answerOf = (turnUid: string, sessionId: string, text: string, createdAt: number): Said => ({
  uid: `${turnUid}-a`,
  sessionId,
  turnUid,
  createdAt,
  visibility: { kind: 'shown' },
  carriedFrom: null,
  role: 'assistant',
  state: 'final',
  lastSeq: 0,
  model: 'Local/test-model',
  finishReason: 'stop',
  usage: unknownUsage,
  parts: [{ kind: 'text', text }],
});

/** The session goes on for many turns, and another one is stored whose history had to be repaired. */
async function seed(sessionId: string): Promise<void> {
  const { db, store, database } = await openWorldStore(folder, () => Date.now() / 1000);
  database.run('PRAGMA synchronous = OFF');
  const at = Math.floor(Date.now() / 1000);
  const settled = { outcome: 'complete', stopReason: 'stop', failure: null } as const;
  const begin = (turnUid: string, session: string, text: string, createdAt: number): void =>
    void db.openTurn({
      turnUid,
      sessionId: session,
      model: 'Local/test-model',
      startedAt: createdAt,
      userMessage: promptOf(turnUid, session, text, createdAt),
    });
  db.createSession({
    id: '20261101_080000_00abcd',
    startedAt: at - 100,
    title: 'Repaired session',
    titleSource: 'person',
  });
  begin('stale', '20261101_080000_00abcd', 'The first half', at - 90);
  db.settleTurn({
    turnUid: 'stale',
    settledAt: at - 89,
    settlement: { outcome: 'interrupted', stopReason: 'user', failure: null },
    messages: [],
  });
  database.run("DELETE FROM messages WHERE uid = 'stale/closing'");
  begin('later', '20261101_080000_00abcd', 'and the second half', at - 80);
  db.repairTranscript('20261101_080000_00abcd');
  db.settleTurn({
    turnUid: 'later',
    settledAt: at - 79,
    settlement: settled,
    messages: [answerOf('later', '20261101_080000_00abcd', 'Both halves were read.', at - 79)],
  });
  for (let number = 2; number <= turns; number++) {
    begin(`s${number}`, sessionId, `Prompt ${number}`, at + number);
    db.settleTurn({
      turnUid: `s${number}`,
      settledAt: at + number,
      settlement: settled,
      messages: [
        answerOf(`s${number}`, sessionId, `Answer ${number}. ${'It goes on like this. '.repeat(4)}`, at + number),
      ],
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

test('keys alone go to a row, open it as the file holds it, and show it in the chat', async () => {
  const tab = await transcript();
  const row = tab.getByRole('row', { selected: true });
  await row.focus();
  await workbench.page.keyboard.press('ArrowDown');
  await workbench.page.keyboard.press('Enter');
  const raw = tab.getByRole('region', { name: 'Raw row 2' });
  await raw.waitFor();
  await tab.getByRole('button', { name: 'Copy as JSON' }).click();
  const copied = await waitFor('the row in the clipboard', async () => {
    const text = await workbench.page.evaluate(() => navigator.clipboard.readText());
    return text.startsWith('{') ? text : undefined;
  });
  const shown: unknown = JSON.parse(copied);
  const [stored] = query("SELECT * FROM messages WHERE role = 'assistant' ORDER BY position LIMIT 1");
  const json = new Set(['parts', 'usage', 'tool_calls', 'reasoning_details']);
  const { api_content: _wire, ...columns } = stored ?? {};
  const expected = Object.fromEntries(
    Object.entries(columns).map(([name, value]): [string, unknown] => [
      name,
      json.has(name) && typeof value === 'string' ? JSON.parse(value) : value,
    ]),
  );
  await picture(panel, 'raw-row');
  expect(shown).toEqual(expected);
  await tab.getByRole('row', { selected: true }).focus();
  await workbench.page.keyboard.press('Enter');
  await raw.waitFor({ state: 'detached' });
  await workbench.page.keyboard.press('Control+Enter');
  await panel.frame.locator(`article[data-uid="${String(stored?.['uid'])}"]`).waitFor();
});

test('a repaired session says what was merged, with the earlier content and the changes', async () => {
  await workbench.runCommand('View: Close All Editors');
  const field = await workbench.openPick('Hermes: Resume Session…', /first prompts/);
  await write(field, 'Repaired session');
  await workbench.page
    .locator('.quick-input-widget')
    .getByRole('option')
    .filter({ hasText: 'Repaired session' })
    .first()
    .waitFor();
  await field.press('Enter');
  await panel.sees('Both halves were read.');
  await workbench.runCommand('Hermes: Open Transcript');
  const tab = await transcript();
  await tab.getByRole('combobox', { name: 'State' }).selectOption('repaired');
  await tab.getByText('Hidden: merged into row 1, so that the model accepts the history.').waitFor();
  await tab.getByRole('button', { name: 'Show Earlier Content' }).click();
  await tab.getByRole('region', { name: /^Changes at/ }).waitFor();
  await picture(panel, 'repaired');
  const row = tab.locator('[role=row][data-uid="stale-u"]');
  expect([
    await row.locator('.earlier-content [data-part=text]').textContent(),
    await row.locator('.diff-added .diff-text').allTextContents(),
    await tab.locator('[role=row][data-uid]').count(),
  ]).toEqual(['The first half', ['\n', 'and the second half\n'], 2]);
});
