import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, reply, startModelServer } from '../support/modelServer';
import { readStateDb, waitFor, write } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { EXTENSION_ID, sharedVscode } from './vscodeTest';
import { numberedWords } from './words';

let server: ModelServer;
let panel: ChatPanel;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

const vscode = sharedVscode(() => ({
  settings: {
    'hermes.providers': [{ name: 'Local', protocol: 'openai', baseUrl: server.url, models: [{ id: 'test-model' }] }],
    'hermes.model': 'Local/test-model',
  },
}));
const query = (sql: string) => readStateDb(vscode().workspaceStorageFolders(EXTENSION_ID)[0] ?? '', sql);

test('Stop keeps exactly what was shown, and reports it', async () => {
  panel = await ChatPanel.open(await vscode().open(vscode().sampleFolder()));
  server.script(reply().says(numberedWords('s', 500), { every: 20 }).hangs());
  await panel.send('Count to five hundred');
  await panel.waitForAnswer('some words', (text) => text.length > 100);
  await panel.button('Stop').click();
  await panel.sees(/You stopped this answer/);
  const { text: shown } = await panel.waitForSettledAnswer('the answer that was stopped');
  await waitFor('the focus in the composer', () =>
    panel.composer.evaluate((element) => element === element.ownerDocument.activeElement),
  );
  const [row] = query(
    "SELECT m.content, t.stop_reason FROM messages m JOIN turns t ON t.uid = m.turn_uid WHERE m.role = 'assistant'",
  );
  expect({ stored: String(row?.['content']).trimEnd() === shown, reason: row?.['stop_reason'] }).toEqual({
    stored: true,
    reason: 'user',
  });
});

test('prompts sent meanwhile wait in a visible queue that survives a reload, and can be removed', async () => {
  server.script(reply().says(numberedWords('q', 200), { every: 20 }).hangs());
  await panel.send('Count on');
  await panel.waitForAnswer('some words', (text) => text.startsWith('q0001'));
  await write(panel.composer, 'second');
  await panel.button('Queue').click();
  await write(panel.composer, 'third');
  await panel.button('Queue').click();
  const list = panel.frame.getByRole('list', { name: 'Queued messages' });
  await waitFor('two queued prompts', async () =>
    (await list.getByRole('listitem').count()) === 2 ? true : undefined,
  );
  await list.getByRole('listitem').filter({ hasText: 'third' }).hover();
  await list
    .getByRole('listitem')
    .filter({ hasText: 'third' })
    .getByRole('button', { name: /Remove/ })
    .click();
  await waitFor('one queued prompt', async () => ((await list.getByRole('listitem').count()) === 1 ? true : undefined));
  await panel.workbench.reload();
  panel = await ChatPanel.attach(panel.workbench);
  const again = panel.frame.getByRole('list', { name: 'Queued messages' });
  await again.getByRole('listitem').filter({ hasText: 'second' }).waitFor();
  expect(query('SELECT text FROM queue').map((row) => row['text'])).toEqual(['second']);
});

test('a draft survives a reload', async () => {
  await write(panel.composer, 'not sent yet');
  await waitFor(
    'the draft to be stored',
    () => query('SELECT text FROM drafts').some((row) => row['text'] === 'not sent yet') || undefined,
  );
  await panel.workbench.reload();
  panel = await ChatPanel.attach(panel.workbench);
  await waitFor('the draft', async () => ((await panel.composer.inputValue()) === 'not sent yet' ? true : undefined));
  await write(panel.composer, '');
});

test('the transcript tab shows every stored row with roles and stop reasons, and survives a reload', async () => {
  await panel.workbench.runCommand('Hermes: Open Transcript');
  const rowsOf = async (): Promise<readonly string[]> => {
    const tab = await panel.workbench.waitForWebview(EXTENSION_ID, 'editor');
    await tab.getByRole('grid', { name: 'Transcript' }).waitFor();
    return tab
      .locator('[role=row][data-uid]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-uid') ?? ''));
  };
  const stored = query('SELECT uid FROM messages WHERE active = 1 ORDER BY position').map((row) => row['uid']);
  const allRows = async (): Promise<readonly string[]> => {
    let last: readonly string[] = [];
    return waitFor(
      `the rows ${stored.join(', ')}`,
      async () => (last = await rowsOf()).length >= stored.length && last,
      { seen: () => last },
    );
  };
  const before = await allRows();
  await panel.workbench.reload();
  expect({ before, after: await allRows() }).toEqual({ before: stored, after: stored });
});

test('New Session and Resume Session change the view, not the store', async () => {
  panel = await ChatPanel.open(panel.workbench);
  const rows = query('SELECT uid FROM messages ORDER BY id').length;
  await panel.workbench.runCommand('Hermes: New Session');
  await panel.sees('Try asking');
  server.script(reply().says('In another session.'));
  await panel.send('Another session');
  await panel.waitForSettledAnswer('the answer', (text) => text === 'In another session.');
  await panel.workbench.runAndChoose('Hermes: Resume Session…', 'Count to five hundred');
  await waitFor('the first session', async () =>
    (await panel.prompts())[0]?.text === 'Count to five hundred' ? true : undefined,
  );
  expect({
    sessions: query('SELECT id FROM sessions').length,
    added: query('SELECT uid FROM messages ORDER BY id').length - rows,
  }).toEqual({ sessions: 2, added: 2 });
});
