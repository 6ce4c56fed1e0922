import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../support/modelServer';
import { otherSqlite } from '../support/otherSqlite';
import { waitFor } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { scriptedVscode } from './scriptedVscode';
import { EXTENSION_ID } from './vscodeTest';

const { vscode, open, storage, ask, server } = await scriptedVscode();

test('Verify compares what the panel showed with the disk, from the palette and the transcript; text altered by another program is named with its turn', async () => {
  const panel = await open();
  const { workbench } = panel;
  server.script(reply().thinks('Let me think.').says('The first answer of this session.'));
  await panel.ask('one', 'The first answer of this session.');
  await ask(panel, 'two', 'The second answer of this session.');
  const shown =
    'Let me think.'.length + 'The first answer of this session.'.length + 'The second answer of this session.'.length;
  const tab = workbench.editorWebview(EXTENSION_ID, 0);
  const result = tab.getByRole('status').filter({ hasText: 'Verified' });
  // The view tells what it showed a moment after it was shown: until then less is verified.
  let said: string | null = null;
  const verified = async (): Promise<string | false> => {
    await workbench.runCommand('Hermes: Check and Repair… › Verify Session');
    await result.waitFor();
    said = await result.textContent();
    return said?.includes(`of ${shown} characters shown`) === true && said;
  };
  expect(await waitFor('all that was shown to be verified', verified, { seen: () => said })).toMatch(
    new RegExp(`2 turns, ${shown} of ${shown} characters shown are saved\\. Storage consistent\\.$`),
  );
  await tab.getByRole('button', { name: 'Turn by Turn' }).click();
  await tab.getByText('34 characters shown, all saved').waitFor();
  await workbench.screenshot('.vscode-test/screenshots/witness', 'verified');

  // Reloaded in order, so that the page's own memory is kept. Nobody has the file open while it is altered.
  await workbench.reload();
  await ChatPanel.attach(workbench);
  await workbench.page.goto('about:blank');
  await waitFor('the extension host to end', () => vscode().server.extensionHostPids().length === 0);
  otherSqlite(
    path.join(storage(), 'state.db'),
    // Without the triggers of the search index, which this SQLite cannot write.
    "DROP TRIGGER messages_rewriting; DROP TRIGGER messages_rewritten; UPDATE messages SET parts = replace(parts, 'The second answer of this session.', 'The second'), content = 'The second' WHERE content LIKE 'The second answer%'",
  );
  await workbench.open(vscode().sampleFolder());
  await ChatPanel.open(workbench);
  await workbench.runCommand('Hermes: Open Transcript');
  const again = workbench.editorWebview(EXTENSION_ID, 0);
  await again.getByRole('grid', { name: 'Transcript' }).waitFor();
  await again.getByRole('button', { name: 'Verify', exact: true }).click();
  const alert = again.getByRole('alert').filter({ hasText: 'Verified' });
  await alert.waitFor();
  expect(await alert.textContent()).toMatch(
    new RegExp(
      `2 turns, ${shown - 34} of ${shown} characters shown are saved\\. 1 turn doesn’t match what was shown\\.`,
    ),
  );
  const lost = again.getByRole('listitem').filter({ hasText: 'Turn 2' });
  expect(await lost.textContent()).toContain('34 characters were shown, but 10 are stored.');
  await workbench.screenshot('.vscode-test/screenshots/witness', 'altered');
});
