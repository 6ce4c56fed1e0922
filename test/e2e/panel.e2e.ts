import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, reply, startModelServer } from '../support/modelServer';
import { readStateDb, waitFor, write } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { gate } from './gate';
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

test('prompts sent meanwhile wait in a visible queue and can be removed; the queue and a draft survive a reload', async () => {
  server.script(reply().says(numberedWords('q', 200), { every: 20 }).hangs());
  await panel.send('Count on');
  await panel.waitForAnswer('some words', (text) => text.startsWith('q0001'));
  await write(panel.composer, 'second');
  await panel.button('Queue').click();
  await write(panel.composer, 'third');
  await panel.button('Queue').click();
  const queue = () => panel.frame.getByRole('list', { name: 'Queued messages' }).getByRole('listitem');
  await waitFor('two queued prompts', async () => (await queue().count()) === 2);
  await queue().filter({ hasText: 'third' }).hover();
  await queue()
    .filter({ hasText: 'third' })
    .getByRole('button', { name: /Remove/ })
    .click();
  await waitFor('one queued prompt', async () => (await queue().count()) === 1);
  await write(panel.composer, 'not sent yet');
  await waitFor('the draft to be stored', () =>
    query('SELECT text FROM drafts').some((row) => row['text'] === 'not sent yet'),
  );
  await panel.workbench.reload();
  panel = await ChatPanel.attach(panel.workbench);
  await queue().filter({ hasText: 'second' }).waitFor();
  await waitFor('the draft', async () => (await panel.composer.inputValue()) === 'not sent yet');
  await write(panel.composer, '');
  expect(query('SELECT text FROM queue').map((row) => row['text'])).toEqual(['second']);
});

/** Ids of the rows of the transcript tab, as soon as it shows so many. */
async function transcriptRows(count: number): Promise<readonly string[]> {
  const tab = await panel.workbench.waitForWebview(EXTENSION_ID, 'editor');
  await tab.getByRole('grid', { name: 'Transcript' }).waitFor();
  let last: readonly string[] = [];
  const drawn = async (): Promise<readonly string[]> =>
    (last = await tab
      .locator('[role=row][data-uid]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-uid') ?? '')));
  return waitFor(`${count} rows`, async () => (await drawn()).length >= count && last, { seen: () => last });
}

test('the transcript tab shows every stored row', async () => {
  await panel.workbench.runCommand('Hermes: Open Transcript');
  const stored = query('SELECT uid FROM messages WHERE active = 1 ORDER BY position').map((row) => row['uid']);
  expect(await transcriptRows(stored.length)).toEqual(stored);
  await panel.workbench.runCommand('View: Close Editor');
  await panel.workbench.runCommand('Hermes: Focus Chat');
});

test('New Session and Resume Session change the view, not the store', async () => {
  const rows = query('SELECT uid FROM messages ORDER BY id').length;
  await panel.workbench.runCommand('Hermes: New Session');
  await panel.sees('Hermes works in your folder');
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

test('Stop ends the shown answer and keeps it', async () => {
  const { workbench } = panel;
  await workbench.runCommand('Hermes: New Session');
  await panel.sees('Hermes works in your folder');
  server.script(reply().says(numberedWords('w', 200), { every: 20 }).hangs());
  await panel.send('Give me a long answer about this folder');
  const shown = await panel.waitForAnswer('the beginning', (text) => text.length > 40);
  await workbench.runCommand('Hermes: Stop');
  await panel.sees(/You stopped this answer/);
  const kept = await panel.waitForSettledAnswer('the answer that was stopped');
  expect([kept.text.startsWith(shown.slice(0, 40)), kept.text.length >= shown.length]).toEqual([true, true]);
});

test('commands start, rename and resume sessions and open their transcript, also after a reload', async () => {
  const { workbench } = panel;
  await workbench.runCommand('Hermes: New Session');
  await panel.sees('Hermes works in your folder');
  const say = async (prompt: string): Promise<void> => {
    server.script(reply().says('Noted.'));
    await panel.send(prompt);
    await panel.waitForSettledAnswer(`the answer to "${prompt}"`, (text) => text === 'Noted.');
  };
  await say('First prompt');
  await workbench.runCommand('Hermes: New Session');
  await panel.sees('Hermes works in your folder');
  await say('Second prompt');
  await workbench.runCommand('Hermes: Rename Session');
  await workbench.answerInput('Session title', 'The second');
  await panel.sees('The second');

  await workbench.runAndChoose('Hermes: Resume Session', 'First prompt');
  await panel.sees('First prompt');
  await panel.frame.getByText('Second prompt').waitFor({ state: 'detached' });

  await workbench.runCommand('Hermes: Open Transcript');
  const uids = query(
    `SELECT uid FROM messages WHERE active = 1 AND session_id = (SELECT session_id FROM messages WHERE content = 'First prompt') ORDER BY position`,
  ).map((row) => row['uid']);
  const rows = async (): Promise<readonly string[]> => {
    expect(await transcriptRows(2)).toEqual(uids);
    const tab = await workbench.waitForWebview(EXTENSION_ID, 'editor');
    await tab.getByRole('row').filter({ hasText: 'Noted.' }).waitFor();
    return tab.locator('[role=row][data-uid]').allInnerTexts();
  };
  const before = await rows();
  await workbench.reload();
  panel = await ChatPanel.attach(workbench);
  await panel.waitForSettledAnswer('the answer after the reload', (text) => text === 'Noted.');
  const after = await rows();
  expect({
    rows: before.map((row) => (row.includes('First prompt') ? 'prompt' : row.includes('Noted.') ? 'answer' : row)),
    same: JSON.stringify(after) === JSON.stringify(before),
    prompts: (await panel.prompts()).map(({ text }) => text),
    errors: workbench.errors(),
  }).toEqual({ rows: ['prompt', 'answer'], same: true, prompts: ['First prompt'], errors: [] });
});

test('a command branches a session that is answering: the branch continues from what is settled, and the answer finishes in its own session', async () => {
  const { workbench } = panel;
  await workbench.runCommand('Hermes: New Session');
  await panel.sees('Hermes works in your folder');
  const rest = gate();
  server.script(
    reply().says('Four.'),
    reply().says('Slowly ').waitsFor(rest.opened).says('done.'),
    reply().says('Six.'),
  );
  await panel.send('What is two and two?');
  await panel.waitForSettledAnswer('the first answer', (text) => text === 'Four.');
  await panel.send('Take your time');
  await panel.waitForAnswer('the beginning of the second answer', (text) => text.startsWith('Slowly'));
  await workbench.runCommand('Hermes: Branch Session');
  await panel.sees('Branched from “What is two and two?”');
  const branched = (await panel.messages()).map(({ text }) => text);
  await panel.send('And three and three?');
  await panel.waitForSettledAnswer('the answer in the branch', (text) => text === 'Six.');
  rest.open();
  await workbench.runCommand('Hermes: Rename Session');
  await workbench.answerInput('Session title', 'The branch');
  await workbench.runAndChoose('Hermes: Resume Session', 'What is two and two?');
  await panel.waitForSettledAnswer('the answer that went on', (text) => text === 'Slowly done.');
  const stored = vscode()
    .workspaceStorageFolders(EXTENSION_ID)
    .flatMap((folder) =>
      readStateDb(
        folder,
        `SELECT s.parent_kind AS kind, group_concat(m.content, ' | ' ORDER BY m.position) AS said FROM sessions s JOIN messages m ON m.session_id = s.id
      WHERE m.active = 1 AND EXISTS (SELECT 1 FROM messages f WHERE f.session_id = s.id AND f.content = 'What is two and two?') GROUP BY s.id ORDER BY s.started_at`,
      ),
    );
  expect({
    branched,
    sent: server.requests.at(-1)?.outline.filter((line) => !line.startsWith('system:')),
    stored,
    errors: workbench.errors(),
  }).toEqual({
    branched: ['What is two and two?', 'Four.'],
    sent: ['user: What is two and two?', 'assistant: Four.', 'user: And three and three?'],
    stored: [
      { kind: null, said: 'What is two and two? | Four. | Take your time | Slowly done.' },
      { kind: 'branch', said: 'What is two and two? | Four. | And three and three? | Six.' },
    ],
    errors: [],
  });
});
