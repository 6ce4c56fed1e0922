import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { waitFor } from '../support/vscode';
import { picturesIn, scriptedVscode } from './scriptedVscode';
import { EXTENSION_ID } from './vscodeTest';

const { vscode, open, query } = await scriptedVscode();
const picture = picturesIn('import');

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

test('an imported text is found by a search, and later sessions are imported without being asked for', async () => {
  const folder = vscode().sampleFolder();
  const projects = path.join(vscode().root, 'personal/claude/projects', folder.replaceAll('/', '-'));
  leavePrompt(projects, 'before', folder, 'Remember the medlar.');
  const panel = await open(folder);
  const { workbench } = panel;
  const picker = workbench.page.locator('.quick-input-widget');

  await workbench.openPick('Hermes: Import… › Import Sessions…', /Looking for|Choose what to copy/);
  await picker.getByText('Claude Code').first().waitFor();
  await picker.getByRole('button', { name: 'OK' }).click();
  await picker.getByPlaceholder(/Choose sessions to import/).waitFor();
  await picker.getByRole('button', { name: 'OK' }).click();
  await workbench.waitForToast(/Imported \d sessions? with \d+ messages?/);
  await picture(panel, 'keep-importing');
  await workbench.clickToast('Keep Importing');
  await workbench.dialog().getByRole('button', { name: 'Keep Importing' }).click();
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
  await workbench.runCommand('Hermes: Import… › Show Rescued Sessions');
  await workbench.page.getByText('Kept up to date in this folder').first().waitFor();
  await picture(panel, 'rescued');
  expect({
    imported: found.some((text) => text.includes('medlar')),
    later: found.some((text) => text.includes('quince')),
    errors: workbench.errors(),
  }).toEqual({ imported: true, later: true, errors: [] });
});
