import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, reply, startModelServer } from '../support/modelServer';
import { readStateDb, waitFor } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { gate } from './gate';
import { EXTENSION_ID, sharedVscode } from './vscodeTest';
import { numberedWords } from './words';

let server: ModelServer;
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

test('Stop ends the shown answer and keeps it', async () => {
  const workbench = await vscode().open(vscode().sampleFolder('stopped'));
  const panel = await ChatPanel.open(workbench);
  server.script(reply().says(numberedWords('w', 200), { every: 20 }).hangs());
  await panel.send('Give me a long answer about this folder');
  const shown = await panel.waitForAnswer('the beginning', (text) => text.length > 40);
  await workbench.runCommand('Hermes: Stop');
  await panel.sees(/You stopped this answer/);
  const kept = await panel.waitForSettledAnswer('the answer that was stopped');
  expect([kept.text.startsWith(shown.slice(0, 40)), kept.text.length >= shown.length]).toEqual([true, true]);
});

test('commands start, rename and resume sessions and open their transcript, also after a reload', async () => {
  const [workbench] = vscode().workbenches;
  if (workbench === undefined) throw new Error('No window is open');
  await workbench.open(vscode().sampleFolder());
  const panel = await ChatPanel.open(workbench);
  const say = async (prompt: string): Promise<void> => {
    server.script(reply().says('Noted.'));
    await panel.send(prompt);
    await panel.waitForSettledAnswer(`the answer to "${prompt}"`, (text) => text === 'Noted.');
  };
  await say('First prompt');
  await workbench.runCommand('Hermes: New Session');
  await panel.sees('Try asking');
  await say('Second prompt');
  await workbench.runCommand('Hermes: Rename Session');
  await workbench.answerInput('Session title', 'The second');
  await panel.sees('The second');

  await workbench.runAndChoose('Hermes: Resume Session', 'First prompt');
  await panel.sees('First prompt');
  await panel.frame.getByText('Second prompt').waitFor({ state: 'detached' });

  await workbench.runCommand('Hermes: Open Transcript');
  const rows = async (): Promise<readonly string[]> => {
    const tab = await workbench.waitForWebview(EXTENSION_ID, 'editor');
    const drawn = tab.locator('[role=row][data-uid]');
    await waitFor('both rows of the transcript', async () => (await drawn.count()) === 2);
    await tab.getByRole('row').filter({ hasText: 'Noted.' }).waitFor();
    return drawn.allInnerTexts();
  };
  const before = await rows();
  await workbench.reload();
  const again = await ChatPanel.attach(workbench);
  await again.waitForSettledAnswer('the answer after the reload', (text) => text === 'Noted.');
  const after = await rows();
  expect({
    rows: before.map((row) => (row.includes('First prompt') ? 'prompt' : row.includes('Noted.') ? 'answer' : row)),
    same: JSON.stringify(after) === JSON.stringify(before),
    prompts: (await again.prompts()).map(({ text }) => text),
    errors: workbench.errors(),
  }).toEqual({ rows: ['prompt', 'answer'], same: true, prompts: ['First prompt'], errors: [] });
});

test('a command branches a session that is answering: the branch continues from what is settled, and the answer finishes in its own session', async () => {
  const [workbench] = vscode().workbenches;
  if (workbench === undefined) throw new Error('No window is open');
  await workbench.open(vscode().sampleFolder('branched'));
  const panel = await ChatPanel.open(workbench);
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
