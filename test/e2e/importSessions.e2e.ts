import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../support/modelServer';
import { projectRoot, waitFor } from '../support/vscode';
import { SessionsView } from './sessionsView';
import { picturesIn, scriptedVscode } from './scriptedVscode';

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

test('sessions of Claude Code are found, previewed, imported and continued', async () => {
  const folder = vscode().sampleFolder();
  leaveClaudeSessions(folder);
  const panel = await open(folder);
  const { workbench } = panel;
  const picker = workbench.page.locator('.quick-input-widget');

  await workbench.openPick('Hermes: Import… › Import Sessions…', /Looking for|Choose what to copy/);
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

  await workbench.openPick('Hermes: Import… › Import Sessions…', /Looking for|Choose what to copy/);
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
