import { expect } from 'vitest';
import { readStateDb, waitFor } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { EXTENSION_ID, test } from './vscodeTest';

/** What the panel drew last before its host was another one. */
async function longestRendered(panel: ChatPanel, until: Promise<unknown>): Promise<string> {
  let longest = '';
  let done = false;
  void until.finally(() => (done = true));
  while (!done) {
    const text = await panel.lastAnswer().catch(() => '');
    if (text.length > longest.length) longest = text;
  }
  return longest;
}

test('Pull the Plug asks, kills its own host in the middle of an answer, and says how many of the shown characters are on disk, also after a reload; the answer can continue', async ({
  startVscode,
}) => {
  const vscode = await startVscode();
  const workbench = await vscode.open(vscode.sampleFolder());
  await ChatPanel.open(workbench);
  const pid = await vscode.extensionHostPid();

  await workbench.runCommand('Hermes: Check and Repair… › Pull the Plug…');
  await workbench.dialog().getByText('Pull the plug?').waitFor();
  await workbench.dialog().getByRole('button', { name: 'Cancel' }).click();
  await workbench.dialog().waitFor({ state: 'detached' });

  await workbench.runCommand('Hermes: Check and Repair… › Pull the Plug…');
  await workbench.dialog().getByRole('button', { name: 'Pull the Plug' }).click();
  const before = await ChatPanel.attach(workbench);
  const restarted = vscode.waitForNewExtensionHost(pid);
  const rendered = await longestRendered(before, restarted);
  expect(await restarted).not.toBe(pid);

  const panel = await ChatPanel.attach(workbench);
  const line = panel.frame.getByRole('status').filter({ hasText: /Crashed at .* characters shown are saved\./ });
  await line.waitFor();
  const [, onDisk, shown] =
    /Crashed at .*?\. ([\d,]+) of ([\d,]+) characters shown are saved\./.exec((await line.textContent()) ?? '') ?? [];
  const [row] = readStateDb(
    vscode.workspaceStorageFolders(EXTENSION_ID)[0] ?? '',
    "SELECT m.content, t.stop_reason FROM messages m JOIN turns t ON t.uid = m.turn_uid WHERE m.role = 'assistant' AND m.content <> '' ORDER BY m.position DESC LIMIT 1",
  );
  const { text: redrawn } = await panel.waitForSettledAnswer(
    'the answer to be drawn again',
    (text) => text.length >= rendered.length,
  );
  console.log(
    `rendered before ${rendered.length}, drawn again ${redrawn.length}, the line says ${onDisk} of ${shown}, stored ${String(row?.['content']).length}`,
  );
  expect({
    whole: onDisk === shown,
    enough: Number(shown?.replaceAll(',', '')) >= 400,
    kept: redrawn.startsWith(rendered),
    reason: row?.['stop_reason'],
  }).toEqual({ whole: true, enough: true, kept: true, reason: 'crash' });
  await workbench.screenshot('.vscode-test/screenshots/witness', 'plug-pulled');

  const told = await line.textContent();
  const reloaded = await panel.reload();
  const sameLine = reloaded.frame.getByRole('status').filter({ hasText: /Crashed at/ });
  await sameLine.waitFor();
  expect(await sameLine.textContent()).toBe(told);

  await sameLine.getByRole('button', { name: 'Continue' }).click();
  await sameLine.waitFor({ state: 'detached' });
  await waitFor('the answer to go on', async () =>
    (await reloaded.answers()).length > 1 && (await reloaded.answers()).at(-1)?.state === 'saved' ? true : undefined,
  );
  const after = await panel.reload();
  await waitFor('the conversation', async () => ((await after.answers()).length > 1 ? true : undefined));
  expect(await after.frame.getByText(/Crashed at/).count()).toBe(0);
});
