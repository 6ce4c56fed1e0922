import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../support/modelServer';
import { projectRoot, waitFor } from '../support/vscode';
import { SessionsView } from './sessionsView';
import { picturesIn, scriptedVscode } from './scriptedVscode';
import { EXTENSION_ID } from './vscodeTest';

const { server, vscode, open, query } = await scriptedVscode();
const picture = picturesIn('import');

/** Sessions that Claude Code wrote, as if it had worked in this folder. */
function leaveClaudeSessions(folder: string): void {
  const fixtures = path.join(projectRoot(), 'test/fixtures/history/claudeCode/projects/-home-demo-project');
  const projects = path.join(vscode().root, 'personal/claude/projects', folder.replaceAll('/', '-'));
  fs.mkdirSync(projects, { recursive: true });
  for (const name of fs.readdirSync(fixtures).filter((file) => file.endsWith('.jsonl'))) {
    const lines = fs.readFileSync(path.join(fixtures, name), 'utf8');
    fs.writeFileSync(path.join(projects, name), lines.replaceAll(/"cwd":"[^"]*"/g, `"cwd":${JSON.stringify(folder)}`));
  }
}

/** A session with one prompt. */
function leavePrompt(projects: string, id: string, cwd: string, content: string): void {
  const record = {
    type: 'user',
    uuid: 'u1',
    parentUuid: null,
    sessionId: id,
    cwd,
    timestamp: '2026-11-25T00:00:00.000Z',
    message: { role: 'user', content },
  };
  fs.mkdirSync(projects, { recursive: true });
  fs.writeFileSync(path.join(projects, `${id}.jsonl`), `${JSON.stringify(record)}\n`);
}

test('sessions of Claude Code are found, previewed, imported and continued', async () => {
  const folder = vscode().sampleFolder();
  leaveClaudeSessions(folder);
  const panel = await open(folder);
  const { workbench } = panel;
  const picker = workbench.page.locator('.quick-input-widget');

  await workbench.openPick('Hermes: Import Sessions…', /Looking for|Choose what to import/);
  await picker.getByText('Claude Code').first().waitFor();
  await picture(panel, 'found');
  await picker.getByRole('button', { name: 'OK' }).click();
  await picker.getByPlaceholder(/Choose sessions to import/).waitFor();
  await picture(panel, 'preview');
  await picker.getByRole('button', { name: 'OK' }).click();
  await workbench.waitForToast(/Imported 2 sessions with \d+ messages?/);
  await picture(panel, 'done');

  const view = await SessionsView.open(workbench);
  const stored = query("SELECT title, origin FROM sessions WHERE source <> 'vscode' ORDER BY started_at");
  await workbench.clickToast('Open Newest');
  await panel.sees('What is in fruit.txt?');
  await picture(panel, 'opened');
  server.script(reply().says('It still holds apples.'));
  await panel.send('And now?');
  await panel.waitForAnswer('the answer to the new prompt', (text) => text.includes('still holds apples'));
  const sent = JSON.stringify(server.requests.at(-1)?.body);

  await workbench.openPick('Hermes: Import Sessions…', /Looking for|Choose what to import/);
  await picker.getByText('Claude Code').first().waitFor();
  await picker.getByRole('button', { name: 'OK' }).click();
  await waitFor('the second import to find nothing new', async () =>
    (await workbench.page.getByText(/Already here: 2 sessions/).count()) > 0 ? true : undefined,
  );
  expect({
    stored: stored.map(({ title }) => title),
    origins: stored.every(({ origin }) => String(origin).includes('claudeCode')),
    list: (await view.outline()).length > 1,
    earlierPromptIsSent: sent.includes('Hello again.'),
    errors: workbench.errors(),
  }).toMatchObject({ origins: true, list: true, earlierPromptIsSent: true, errors: [] });
});

test('an imported text is found by a search, and later sessions are imported without being asked for', async () => {
  const folder = vscode().sampleFolder();
  const projects = path.join(vscode().root, 'personal/claude/projects', folder.replaceAll('/', '-'));
  leavePrompt(projects, 'before', folder, 'Remember the medlar.');
  const panel = await open(folder);
  const { workbench } = panel;
  const picker = workbench.page.locator('.quick-input-widget');

  await workbench.openPick('Hermes: Import Sessions…', /Looking for|Choose what to import/);
  await picker.getByText('Claude Code').first().waitFor();
  await picker.getByRole('button', { name: 'OK' }).click();
  await picker.getByPlaceholder(/Choose sessions to import/).waitFor();
  await picker.getByRole('button', { name: 'OK' }).click();
  await workbench.waitForToast(/Imported \d sessions? with \d+ messages?/);
  await picture(panel, 'keep-importing');
  await workbench.clickToast('Keep Importing');
  await workbench.waitForToast(/From now on, Hermes imports what other agents write/);
  leavePrompt(projects, 'later', folder, 'Remember the quince.');
  await waitFor('the later session to be imported', () =>
    query("SELECT title FROM sessions WHERE title = 'Remember the quince.'").length === 1 ? true : undefined,
  );

  await workbench.runCommand('Hermes: Search in Sessions');
  const search = workbench.editorWebview(EXTENSION_ID, 0);
  const field = search.getByRole('textbox', { name: 'Search all sessions' });
  const hits = search.locator('[data-result]');
  const found: string[] = [];
  for (const word of ['medlar', 'quince']) {
    await field.fill(word);
    await hits.filter({ hasText: word }).first().waitFor();
    found.push(...(await hits.allInnerTexts()));
  }
  await picture(panel, 'search');
  await workbench.runCommand('Hermes: Show Rescued Sessions');
  await workbench.page.getByText('Kept up to date in this folder').first().waitFor();
  await picture(panel, 'rescued');
  expect({
    imported: found.some((text) => text.includes('medlar')),
    later: found.some((text) => text.includes('quince')),
    errors: workbench.errors(),
  }).toEqual({ imported: true, later: true, errors: [] });
});
