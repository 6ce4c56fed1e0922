import { expect, test } from 'vitest';
import { longSession, longSessionTitle, seedLongSession } from '../support/longSession';
import { reply } from '../support/modelServer';
import { testSqlite } from '../support/sqlite';
import { readStateDb } from '../support/vscode';
import { storageWindows } from './storageWindows';
import { scriptedVscode } from './scriptedVscode';

const { server, vscode } = await scriptedVscode();
server.otherwise(reply().says('Answered.'));
const { panelOn, storage } = storageWindows(vscode);

test('a branch of a very long session shows its progress, leaves nothing if canceled, and is made if not', async () => {
  const folder = await storage('long');
  seedLongSession(await testSqlite(), folder, 12_000);
  const panel = await panelOn(folder);
  const [workbench] = vscode().workbenches;
  if (workbench === undefined) throw new Error('No window is open');
  const sessions = (): readonly unknown[] =>
    readStateDb(
      folder,
      "SELECT parent_session_id AS parent FROM sessions WHERE parent_kind = 'branch' AND pending IS NULL",
    );
  await workbench.runAndChoose('Hermes: Resume Session', longSessionTitle);
  await panel.waitForSettledAnswer('the newest of its answers');
  await workbench.runCommand('Hermes: Branch Session');
  await workbench.waitForToast('Branching the session…');
  // A click waits until the notification has stopped moving, which on a busy machine takes as long as the branch.
  await workbench.page.locator('.notifications-toasts').getByRole('button', { name: 'Cancel' }).dispatchEvent('click');
  await workbench.waitForToast('Branching was canceled. No branch was created.');
  const cancelled = sessions();
  await workbench.runCommand('Hermes: Branch Session');
  await workbench.waitForToast(/Branching the session….*\d+ %/s);
  await panel.sees(/Branched from/);
  expect({ cancelled, made: sessions() }).toEqual({ cancelled: [], made: [{ parent: longSession }] });
});
