import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { reply, startModelServer, type ModelServer } from '../support/modelServer';
import {
  projectRoot,
  readStateDb,
  waitFor,
  type Row,
  type VscodeSession,
  type VscodeSessionOptions,
  type Workbench,
  write,
} from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { SessionsView } from './sessionsView';
import { EXTENSION_ID, test } from './vscodeTest';

const pictures = path.join(projectRoot(), '.vscode-test/screenshots/sessions-view');

interface World {
  readonly vscode: VscodeSession;
  readonly workbench: Workbench;
  readonly panel: ChatPanel;
  readonly folder: string;
  readonly server: ModelServer;
  /** Sends a prompt and waits for its answer, which repeats it in capitals. */
  say(prompt: string): Promise<void>;
  stored(sql: string): readonly Row[];
  /** Waits for what the file holds. */
  storedAs(what: string, sql: string, rows: readonly Row[]): Promise<void>;
}

async function world(
  startVscode: (options: VscodeSessionOptions) => Promise<VscodeSession>,
  run: (world: World) => Promise<void>,
): Promise<void> {
  const server = await startModelServer();
  server.otherwise((request) =>
    reply().says(`Heard: ${(request.outline.at(-1) ?? '').replace(/^user: /, '').toUpperCase()}`),
  );
  try {
    const vscode = await startVscode({
      settings: {
        'hermes.providers': [
          { name: 'Local', protocol: 'openai', baseUrl: server.url, models: [{ id: 'test-model' }] },
        ],
        'hermes.model': 'Local/test-model',
      },
    });
    const folder = vscode.sampleFolder();
    const workbench = await vscode.open(folder);
    const panel = await ChatPanel.open(workbench);
    const stored = (sql: string): readonly Row[] =>
      readStateDb(vscode.workspaceStorageFolders(EXTENSION_ID)[0] ?? '', sql);
    await run({
      vscode,
      workbench,
      panel,
      folder,
      server,
      stored,
      say: async (prompt) => {
        await panel.send(prompt);
        await panel.waitForSettledAnswer(
          `the answer to "${prompt}"`,
          (text) => text === `Heard: ${prompt.toUpperCase()}`,
        );
      },
      storedAs: async (what, sql, rows) => {
        let last: readonly Row[] = [];
        await waitFor(what, () => JSON.stringify((last = stored(sql))) === JSON.stringify(rows), { seen: () => last });
      },
    });
    expect(workbench.errors()).toEqual([]);
  } finally {
    await server.close();
  }
}

test('mouse and keys do everything with sessions in their view, and state.db holds the results', async ({
  startVscode,
}) => {
  await world(startVscode, async ({ workbench, panel, say, storedAs }) => {
    const { page } = workbench;
    const view = await SessionsView.open(workbench);
    await page.getByText('No sessions yet in this folder.').waitFor();
    await say('Alpha prompt');
    await workbench.runCommand('Hermes: New Session');
    await panel.sees('Hermes works in your folder');
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
    await workbench.openAndAnswer(() => page.keyboard.press('F2'), 'Session title', 'Beta prompt');
    await workbench.answerInput(/another|already|taken/i, 'Experiment');
    await view.row('Experiment').waitFor();
    await storedAs(
      'the branch with its title',
      `SELECT title, title_source FROM sessions WHERE parent_kind = 'branch'`,
      [{ title: 'Experiment', title_source: 'person' }],
    );
    await workbench.screenshot(pictures, 'branch');

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
    await storedAs('the archived session', 'SELECT title FROM sessions WHERE archived = 1', [
      { title: 'Alpha prompt' },
    ]);
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
    await workbench.screenshot(pictures, 'forget');
    await workbench.dialog().getByRole('button', { name: 'Forget' }).click();
    await workbench.waitForToast('“Beta prompt” was permanently deleted.');
    await storedAs('nothing of it', `SELECT count(*) AS left FROM sessions WHERE title = 'Beta prompt'`, [{ left: 0 }]);
    await workbench.runCommand('Notifications: Clear All Notifications');
    for (const theme of ['Dark Modern', 'Light Modern', 'Default High Contrast']) {
      await workbench.setTheme(theme);
      await workbench.screenshot(pictures, theme);
    }
  });
});

test('every session command works from the palette on the shown session, or asks which one', async ({
  startVscode,
}) => {
  await world(startVscode, async ({ workbench, panel, folder, say, stored, storedAs }) => {
    const { page } = workbench;
    const hermes = (command: string): Promise<void> => workbench.runCommand(`Hermes: ${command}`);
    await say('First question');
    await say('Second question');
    await say('Third question');

    // Rewind takes back, and the prompt is in the composer again
    await workbench.runAndChoose('Hermes: Rewind to Message', 'Second question');
    await workbench.dialog().getByText('Rewind 2 turns?').waitFor();
    await workbench.dialog().getByRole('button', { name: 'Rewind' }).click();
    await panel.frame.getByText('Heard: SECOND QUESTION').waitFor({ state: 'detached' });
    await waitFor('the prompt in the composer', async () => (await panel.composer.inputValue()) === 'Second question');
    await write(panel.composer, '');
    await storedAs(
      'what was rewound',
      `SELECT role FROM messages WHERE hidden_reason = 'rewound' ORDER BY position`,
      ['user', 'assistant', 'user', 'assistant'].map((role) => ({ role })),
    );

    // Retry, branch from a message
    await hermes('Retry');
    await storedAs(
      'two answers to one prompt',
      `SELECT active FROM messages WHERE role = 'assistant' AND (hidden_reason IS NULL OR hidden_reason = 'retried') ORDER BY position`,
      [{ active: 0 }, { active: 1 }],
    );
    await panel.button(/^Send$/).waitFor();
    await workbench.runAndChoose('Hermes: Branch from Message', 'First question');
    await panel.sees('First question #2');
    await waitFor('the prompt to be edited', async () => (await panel.composer.inputValue()) === 'First question');
    await write(panel.composer, '');
    await workbench.runAndChoose('Hermes: Resume Session', 'First question');
    await panel.sees('Heard: FIRST QUESTION');
    await workbench.runAndChoose('Hermes: Branch from Message', 'Heard: FIRST QUESTION');
    await panel.sees('First question #3');

    // Pin, archive and what they turn into
    await hermes('Pin Session');
    await storedAs('the pin', 'SELECT title FROM sessions WHERE pinned = 1', [{ title: 'First question #3' }]);
    await hermes('Unpin Session');
    await hermes('Archive Session');
    await storedAs('the archived branch', 'SELECT title, pinned FROM sessions WHERE archived = 1', [
      { title: 'First question #3', pinned: 0 },
    ]);
    await hermes('Unarchive Session');
    await storedAs('nothing archived', 'SELECT title FROM sessions WHERE archived = 1', []);

    // Export, to a document and to a file that can be imported
    const exportAs = async (format: string, file: string) => {
      await workbench.runAndChoose('Hermes: Export Session…', format);
      await workbench.quickInputRow('Mask Secrets').waitFor();
      await page.keyboard.press('Enter');
      await workbench.saveAs(path.join(folder, file));
      await workbench.waitForToast(`Session exported to ${file}.`);
      return fs.readFileSync(path.join(folder, file), 'utf8');
    };
    expect(await exportAs('Markdown', 'exported.md')).toContain('# First question #3');
    const exported: { format: string; rows: { table: string; row: { role?: string } }[] } = JSON.parse(
      await exportAs('JSON', 'exported.json'),
    );
    expect(exported.format).toBe('hermes-sessions');
    expect(exported.rows.flatMap(({ table, row }) => (table === 'messages' ? [row.role] : []))).toContain('assistant');

    // Reset, private, resume by what was said
    await hermes('Reset Session');
    await panel.sees('Hermes works in your folder');
    await storedAs('the session that was reset', `SELECT title FROM sessions WHERE end_reason = 'reset'`, [
      { title: 'First question #3' },
    ]);
    await hermes('New Private Session');
    await say('Secret plan');
    await storedAs('the private session', 'SELECT title FROM sessions WHERE private = 1', [{ title: 'Secret plan' }]);
    await hermes('New Session');
    await panel.sees('Hermes works in your folder');
    await hermes('Resume Session');
    await write(page.locator('.quick-input-widget input.input'), 'heard secret');
    const hit = page.locator('.quick-input-list .monaco-list-row').filter({ hasText: 'Heard: SECRET PLAN' }).first();
    await hit.waitFor();
    await workbench.screenshot(pictures, 'resume');
    await hit.click();
    await panel.sees('Heard: SECRET PLAN');

    // Delete asks for nothing and can be undone; without a session shown, Forget asks which
    await hermes('Delete Session');
    await workbench.waitForToast('“Secret plan” was moved to the trash.');
    await panel.sees('Hermes works in your folder');
    const view = await SessionsView.open(workbench);
    await view.unfold('Trash');
    await view.choose('Secret plan', 'Restore Session');
    await storedAs('an empty trash', 'SELECT title FROM sessions WHERE trashed_at IS NOT NULL', []);
    await workbench.runAndChoose('Hermes: Forget Session', 'Secret plan');
    await workbench.dialog().getByText('Permanently delete “Secret plan”?').waitFor();
    await workbench.dialog().getByRole('button', { name: 'Forget' }).click();
    await workbench.waitForToast('“Secret plan” was permanently deleted.');
    expect(stored(`SELECT count(*) AS left FROM messages WHERE content LIKE '%ecret%'`)).toEqual([{ left: 0 }]);
  });
});

test('a session that answers out of view is marked running, then unread; it cannot be deleted while it runs; a filter hides the others', async ({
  startVscode,
}) => {
  await world(startVscode, async ({ workbench, panel, server, say, stored }) => {
    const { page } = workbench;
    const view = await SessionsView.open(workbench);
    await say('Quick one');
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    server.script(reply().says('It takes').waitsFor(finished).says(' a while.'));
    await workbench.runCommand('Hermes: New Session');
    await panel.sees('Hermes works in your folder');
    await panel.send('Slow one');
    await panel.waitForAnswer('the beginning', (text) => text.startsWith('It takes'));
    await view.click('Quick');
    await panel.sees('Heard: QUICK ONE');
    await view.row(/^Slow one, .*, running$/).waitFor();
    await workbench.screenshot(pictures, 'running');

    await view.choose('Slow', 'Delete Session');
    await workbench.waitForToast('Hermes is answering in this session. Stop it before you delete the session.');
    expect(stored('SELECT count(*) AS trashed FROM sessions WHERE trashed_at IS NOT NULL')).toEqual([{ trashed: 0 }]);
    finish();
    await view.row(/^Slow one, .*, unread$/).waitFor();
    await workbench.screenshot(pictures, 'unread');
    await view.click('Slow');
    await panel.waitForSettledAnswer('the whole answer', (text) => text === 'It takes a while.');
    await view.row(/^Slow one, .*1 turn, open$/).waitFor();

    await view.filter('quick');
    await view.waitForOutline('one session', (rows) => rows.join() === 'Today ,  Quick one');
    await page.getByText('Filtered by “quick”.').waitFor();
    await view.filter('nowhere');
    await page.getByText('No session has these words in its title or first prompt.').waitFor();
    await page.getByRole('button', { name: 'Clear Filter' }).last().click();
    await view.waitForOutline('everything again', (rows) => rows.length === 3);
  });
});
