import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { reply } from '../support/modelServer';
import { waitFor, type Row, type Workbench } from '../support/vscode';
import type { ChatPanel } from './chatPanel';
import { SessionsView } from './sessionsView';
import { gate } from './gate';
import { heard, picturesIn, scriptedVscode } from './scriptedVscode';

const { server, open, query } = await scriptedVscode({ echoes: true });
const picture = picturesIn('sessions-view');
let panel: ChatPanel;
let workbench: Workbench;
let view: SessionsView;

beforeAll(async () => {
  panel = await open();
  ({ workbench } = panel);
  view = await SessionsView.open(workbench);
});
afterEach(() => expect(workbench.errors()).toEqual([]));

const say = (prompt: string): Promise<void> => panel.ask(prompt, heard(prompt));

/** Waits for what the file holds. */
async function storedAs(what: string, sql: string, rows: readonly Row[]): Promise<void> {
  let last: readonly Row[] = [];
  await waitFor(what, () => isDeepStrictEqual((last = query(sql)), rows), { seen: () => last });
}

test('mouse and keys do everything with sessions in their view, and state.db holds the results', async () => {
  const { page } = workbench;
  await page.getByText('No sessions yet in this folder.').waitFor();
  await say('Alpha prompt');
  await panel.newSession();
  await say('Beta prompt');
  await view.waitForOutline(
    'both sessions, the newest first',
    (rows) => rows.join() === 'Today ,  Beta prompt,  Alpha prompt',
  );

  // Open, branch, rename by F2
  await view.click('Alpha');
  await panel.sees('Heard: ALPHA PROMPT');
  await view.choose('Beta', 'Branch Session');
  await view.waitForOutline(
    'the branch below its origin',
    (rows) => rows.join() === 'Today ,  Beta prompt,    Beta prompt #2,  Alpha prompt',
  );
  await panel.sees('Heard: BETA PROMPT');
  await view.click('Alpha');
  await panel.sees('Heard: ALPHA PROMPT');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await panel.sees('Branched from “Beta prompt”');
  await workbench.openAndAnswer(() => page.keyboard.press('F2'), 'Session Title', 'Beta prompt');
  await workbench.answerInput(/another|already|taken/i, 'Experiment');
  await view.row('Experiment').waitFor();
  await storedAs('the branch with its title', `SELECT title, title_source FROM sessions WHERE parent_kind = 'branch'`, [
    { title: 'Experiment', title_source: 'person' },
  ]);
  await picture(panel, 'branch');

  // Pin, archive
  await view.press('Alpha', 'Pin Session');
  await view.waitForOutline(
    'a pinned session on top',
    (rows) => rows[0]?.trim() === 'Pinned' && rows[1] === '  Alpha prompt',
  );
  expect(await view.row('Alpha').getAttribute('aria-label')).toContain('pinned');
  await storedAs('the pin', 'SELECT title FROM sessions WHERE pinned = 1', [{ title: 'Alpha prompt' }]);
  await view.choose('Alpha', 'Unpin Session');
  await view.waitForOutline('no pinned group', (rows) => !rows.some((row) => row.startsWith('Pinned')));
  await view.choose('Alpha', 'Archive Session');
  await view.row('Archived').waitFor();
  await storedAs('the archived session', 'SELECT title FROM sessions WHERE archived = 1', [{ title: 'Alpha prompt' }]);
  await view.unfold('Archived');
  await view.choose('Alpha', 'Unarchive Session');
  await view.waitForOutline('no archive', (rows) => !rows.some((row) => row.startsWith('Archived')));

  // Delete with undo, by the key for several; restore
  await view.choose('Experiment', 'Delete Session');
  await workbench.waitForToast('“Experiment” was moved to the trash.');
  await panel.sees('Hermes works in your folder');
  await workbench.clickToast('Undo');
  await panel.sees('Heard: BETA PROMPT');
  await view.row('Experiment').waitFor();
  // What the chat shows is selected at some moment of its own.
  const selected = await waitFor('both rows to be selected', async () => {
    const titles = await view.tree
      .locator('[role=treeitem][aria-selected=true]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label')?.split(',')[0]));
    const missing = ['Beta prompt', 'Alpha prompt'].filter((title) => !titles.includes(title));
    for (const title of missing) await view.click(title, ['ControlOrMeta']);
    return missing.length === 0 ? titles : undefined;
  });
  await page.keyboard.press('Delete');
  await workbench.waitForToast(`${selected.length} sessions were moved to the trash.`);
  await storedAs(
    'what is in the trash',
    'SELECT title FROM sessions WHERE trashed_at IS NOT NULL ORDER BY title',
    [...selected].sort().map((title) => ({ title: title ?? '' })),
  );
  await workbench.runCommand('Notifications: Clear All Notifications');
  await view.unfold('Trash');
  await view.choose('Alpha', 'Restore Session');
  await view.waitForOutline(
    'Alpha is back',
    (rows) =>
      rows.indexOf('  Alpha prompt') > 0 &&
      rows.indexOf('  Alpha prompt') < rows.findIndex((row) => row.startsWith('Trash')),
  );

  // Forget: what stays is named, and nothing is left of what goes
  await view.choose('Beta prompt', 'Forget Session…');
  await workbench.dialog().getByText('Branches are separate copies and are not deleted').waitFor();
  await picture(panel, 'forget');
  await workbench.dialog().getByRole('button', { name: 'Forget' }).click();
  await workbench.waitForToast('“Beta prompt” was permanently deleted.');
  await storedAs('nothing of it', `SELECT count(*) AS left FROM sessions WHERE title = 'Beta prompt'`, [{ left: 0 }]);
  await workbench.runCommand('Notifications: Clear All Notifications');
});

test('a session that answers out of view is marked running, then unread; it cannot be deleted while it runs; a filter hides the others', async () => {
  const { page } = workbench;
  await panel.newSession();
  await say('Quick one');
  const rest = gate();
  server.script(reply().says('It takes').waitsFor(rest.opened).says(' a while.'));
  await panel.newSession();
  await panel.send('Slow one');
  await panel.waitForAnswer('the beginning', (text) => text.startsWith('It takes'));
  await view.click('Quick');
  await panel.sees('Heard: QUICK ONE');
  await view.row(/^Slow one, .*, running$/).waitFor();
  await picture(panel, 'running');

  await view.choose('Slow', 'Delete Session');
  await workbench.waitForToast('Hermes is answering in this session. Stop it first.');
  expect(query("SELECT trashed_at AS trashed FROM sessions WHERE title = 'Slow one'")).toEqual([{ trashed: null }]);
  rest.open();
  await view.row(/^Slow one, .*, unread$/).waitFor();
  await picture(panel, 'unread');
  await view.click('Slow');
  await panel.answered('It takes a while.');
  await view.row(/^Slow one, .*1 turn, open$/).waitFor();

  await view.filter('quick');
  await view.waitForOutline('one session', (rows) => rows.includes('  Quick one') && !rows.includes('  Slow one'));
  await page.getByText('Filtered by “quick”.').waitFor();
  await view.filter('nowhere');
  await page.getByText('No session has these words in its title or first prompt.').waitFor();
  await page.getByRole('button', { name: 'Clear Filter' }).last().click();
  await view.waitForOutline('everything again', (rows) => rows.includes('  Slow one'));
});
