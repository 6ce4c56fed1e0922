import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HindsightStandIn } from '../support/hindsight/standIn';
import { type ModelServer, reply, startModelServer } from '../support/modelServer';
import {
  freePort,
  projectRoot,
  readStateDb,
  waitFor,
  within,
  type Row,
  type Workbench,
  write,
} from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { chooseFromMenu, SessionsView } from './sessionsView';
import { EXTENSION_ID, sharedVscode } from './vscodeTest';
import { numberedWords } from './words';

let server: ModelServer;
let workbench: Workbench;
let panel: ChatPanel;
let view: SessionsView;

beforeAll(async () => {
  server = await startModelServer();
  server.otherwise((request) => reply().says(heard((request.outline.at(-1) ?? '').replace(/^user: /, ''))));
});
afterAll(() => server.close());

const vscode = sharedVscode(() => ({
  settings: {
    'hermes.providers': [
      { name: 'Local', protocol: 'openai', baseUrl: server.url, models: [{ id: 'test-model', contextWindow: 20_000 }] },
    ],
    'hermes.model': 'Local/test-model',
  },
}));
const heard = (prompt: string): string => `Heard: ${prompt.toUpperCase()}`;
const query = (sql: string): readonly Row[] =>
  readStateDb(vscode().workspaceStorageFolders(EXTENSION_ID)[0] ?? '', sql);
const picture = (name: string): Promise<string> =>
  workbench.screenshot(path.join(projectRoot(), '.vscode-test/screenshots/session-menus'), name);
const git = (folder: string, ...args: readonly string[]): void =>
  void execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid', ...args], { cwd: folder });

/** Messages of a session with this title, its earlier segments included, oldest first. Hidden ones begin with why. */
const stored = (title: string): readonly string[] =>
  query(
    `SELECT m.content, m.active, m.hidden_reason AS reason FROM messages m JOIN sessions s ON s.id = m.session_id WHERE s.title = '${title}' AND m.carried_from IS NULL ORDER BY s.started_at, m.position`,
  ).map((row) =>
    row['active'] === 1 ? String(row['content']) : `${String(row['reason'])}: ${String(row['content'])}`,
  );
const message = (text: string): Locator =>
  panel.frame
    .getByRole('article')
    .filter({ has: panel.frame.getByText(text, { exact: true }) })
    .last();
const act = async (on: string, action: string): Promise<void> => {
  await message(on).hover();
  await message(on).getByRole('button', { name: action }).click();
};
const titled = (title: string): Promise<void> =>
  panel.frame.getByRole('button', { name: `Rename Session: ${title}`, exact: true }).waitFor();
const composerHas = (text: string): Promise<unknown> =>
  waitFor(`"${text}" in the composer`, async () => (await panel.composer.inputValue()) === text || undefined);
const storedAs = async (title: string, wanted: readonly string[]): Promise<void> => {
  await waitFor(`the rows of ${title}`, () => JSON.stringify(stored(title)) === JSON.stringify(wanted), {
    seen: () => stored(title),
  });
};

async function newSession(): Promise<void> {
  await workbench.runCommand('Hermes: New Session');
  await panel.sees('Hermes works in your folder');
}

async function say(prompt: string, answer = heard(prompt)): Promise<void> {
  if (answer !== heard(prompt)) server.script(reply().says(answer));
  await panel.send(prompt);
  await panel.waitForSettledAnswer(`the answer to "${prompt}"`, (text) => text === answer);
}

beforeAll(async () => {
  const folder = vscode().sampleFolder();
  git(folder, 'init', '--quiet');
  git(folder, 'commit', '--quiet', '--allow-empty', '--message', 'Begin');
  workbench = await vscode().open(folder);
  await workbench.resize(1400, 900);
  panel = await ChatPanel.open(workbench);
  view = await SessionsView.open(workbench);
});

test("Retry, Branch from Message…, Rewind to Message… and Rename Session… from a row's menu act on that session, whichever is shown", async () => {
  await say('Ask one');
  await say('Ask two');
  await newSession();
  await say('Other');

  await view.choose('Ask one', 'Retry');
  await panel.waitForSettledAnswer('the second answer', (text) => text === heard('Ask two'));
  await storedAs('Ask one', [
    'Ask one',
    heard('Ask one'),
    'retried: Ask two',
    `retried: ${heard('Ask two')}`,
    'Ask two',
    heard('Ask two'),
  ]);
  await panel.button(/^Send$/).waitFor();

  await view.choose('Other', 'Branch from Message…');
  await workbench.quickInputRow(heard('Other')).click();
  await panel.sees('Branched from “Other”');
  await view.waitForOutline('the branch below its origin', (rows) => rows.join().includes('  Other,    Other #2'));

  await view.choose('Ask one', 'Rewind to Message…');
  await workbench.quickInputRow('Ask two').click();
  await workbench.dialog().getByText('Rewind 1 turn?').waitFor();
  await picture('rewind');
  await workbench.dialog().getByRole('button', { name: 'Rewind' }).click();
  await titled('Ask one');
  await composerHas('Ask two');
  await write(panel.composer, '');
  await storedAs('Ask one', [
    'Ask one',
    heard('Ask one'),
    ...['Ask two', heard('Ask two')].flatMap((text) => [`retried: ${text}`]),
    ...['Ask two', heard('Ask two')].map((text) => `rewound: ${text}`),
  ]);

  await view.choose('Other #2', 'Rename Session…');
  await workbench.answerInput('Session title', 'Sideways');
  await view.row('Sideways').waitFor();
  expect({
    shown: (await panel.messages()).map(({ text }) => text),
    copy: stored('Sideways'),
    origin: stored('Other'),
    named: query("SELECT title_source AS source, parent_kind AS kind FROM sessions WHERE title = 'Sideways'"),
    errors: workbench.errors(),
  }).toEqual({
    shown: ['Ask one', heard('Ask one')],
    copy: ['Other', heard('Other')],
    origin: ['Other', heard('Other')],
    named: [{ source: 'person', kind: 'branch' }],
    errors: [],
  });
});

test("Export Session… from a row's menu and from the chat's menu writes the stored session to a file", async () => {
  const folder = vscode().sampleFolder();
  const exportAs = async (form: string, name: string): Promise<string> => {
    await workbench.quickInputRow(form).click();
    await workbench.quickInputRow('Mask Secrets').waitFor();
    await workbench.page.keyboard.press('Enter');
    await workbench.saveAs(path.join(folder, name));
    await workbench.waitForToast(`Session exported to ${name}.`);
    await workbench.runCommand('Notifications: Clear All Notifications');
    return fs.readFileSync(path.join(folder, name), 'utf8');
  };
  await view.choose('Sideways', 'Export Session…');
  const markdown = await exportAs('Markdown', 'sideways.md');
  await panel.frame.getByRole('feed', { name: 'Conversation' }).hover();
  await workbench.page
    .locator('.part.auxiliarybar .pane-header')
    // VS Code 1.106 gives it no role.
    .getByLabel(/^More Actions/)
    .first()
    .click();
  await picture('chat-menu');
  await workbench.page.getByRole('menuitem', { name: 'Transcript' }).hover();
  const entry = workbench.page.getByRole('menuitem', { name: 'Export Session…' });
  await entry.waitFor();
  await chooseFromMenu(entry, 'Export Session…');
  const json: { rows: readonly { table: string; row: { uid: string } }[] } = JSON.parse(
    await exportAs('JSON', 'ask.json'),
  );
  const uids = query(
    `SELECT m.uid FROM messages m JOIN sessions s ON s.id = m.session_id WHERE s.title = 'Ask one' ORDER BY m.position`,
  ).map(({ uid }) => uid);
  expect({
    markdown: ['# Sideways', 'Other', heard('Other')].filter((text) => !markdown.includes(text)),
    json: json.rows.flatMap(({ table, row }) => (table === 'messages' ? [row.uid] : [])),
  }).toEqual({
    markdown: [],
    json: uids,
  });
});

test('Compress Session… runs from the menu; content before the summary is edited or rewound in a branch, and found from Resume Session…', async () => {
  await newSession();
  for (const part of ['first', 'second', 'third']) {
    server.script(reply().says(numberedWords(part, 1500)).uses({ input: 4000, output: 1500 }));
    await panel.send(`The ${part} part`);
    await panel.waitForAnswer(`the ${part} answer`, (text) => text.endsWith(`${part}1500`));
    await panel.button(/^Send$/).waitFor();
  }
  server.script(reply().says('## Goal\nCounting words.'));
  await view.choose('The first part', 'Compress Session…');
  await workbench.answerInput('The model summarizes earlier messages', '');
  await workbench.waitForToast(/Earlier messages were summarized/);
  await panel.sees(/Earlier messages summarized, .* → /);
  await workbench.runCommand('Notifications: Clear All Notifications');
  const rows = (await view.outline()).filter((row) => row.trim() === 'The first part').length;
  const segments = query("SELECT parent_kind AS kind FROM sessions WHERE title = 'The first part' ORDER BY started_at");
  const original = stored('The first part');

  await act('The first part', 'Edit & Resend');
  const editor = panel.frame.getByRole('textbox', { name: 'Edit prompt' });
  await write(editor, 'The very first part');
  await editor.press('Enter');
  await panel.sees(
    'This prompt comes before a summary, so it was sent again in a branch. The original session is unchanged.',
  );
  await panel.waitForSettledAnswer('the answer in the branch', (text) => text === heard('The very first part'));
  await picture('edited-in-branch');
  const edited = {
    original: stored('The first part'),
    branch: stored('The first part #2'),
    composer: await panel.composer.inputValue(),
  };

  await panel.button('Branched from “The first part”').click();
  await titled('The first part');
  await act('The second part', 'Rewind to Here…');
  const card = panel.frame.getByRole('group', { name: 'Rewind to Here' });
  await picture('rewind-before-summary');
  await card.getByRole('button', { name: 'Rewind' }).click();
  await panel.sees(
    'This prompt comes before a summary, so Hermes rewound it in a branch. The original session is unchanged.',
  );
  await composerHas('The second part');
  await write(panel.composer, '');
  expect({
    rows,
    segments,
    edited,
    afterRewind: stored('The first part'),
    rewound: stored('The first part #3').length,
  }).toEqual({
    rows: 1,
    segments: [{ kind: null }, { kind: 'compression' }],
    edited: { original, branch: ['The very first part', heard('The very first part')], composer: '' },
    afterRewind: original,
    rewound: 2,
  });

  // A word of the answer that is furthest up, before the summary
  await newSession();
  await workbench.runAndChoose(
    'Hermes: Resume Session',
    workbench.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: 'second0700' }).first(),
    'second0700',
  );
  const wanted = query("SELECT uid FROM messages WHERE content LIKE '%second0700%' AND carried_from IS NULL").map(
    ({ uid }) => uid,
  );
  const revealed = panel.frame.locator('article[data-revealed]');
  await waitFor(
    'the answer to be marked',
    async () =>
      wanted.includes((await revealed.getAttribute('data-uid', { timeout: 500 }).catch(() => null)) ?? '') || undefined,
  );
  await picture('jumped-to');
  await titled('The first part');
  await message('The second part').waitFor();
  expect({ refused: server.requests.flatMap(({ rejection }) => rejection ?? []), errors: workbench.errors() }).toEqual({
    refused: [],
    errors: [],
  });
});

test('Continue resumes a stopped answer, and one whose connection was lost again after it went on by itself', async () => {
  await newSession();
  server.script(reply().says(numberedWords('count', 100), { every: 20 }).hangs());
  await panel.send('Count to a thousand');
  await panel.waitForAnswer('the first words', (text) => text.startsWith('count0001'));
  await panel.button('Stop').click();
  await panel.sees(/You stopped this answer\./);
  const { text: stopped } = await panel.waitForSettledAnswer('the answer that was stopped');
  server.script(reply().says('and so on, to the end.'));
  await panel.button('Continue').click();
  await panel.waitForAnswer('how it goes on', (text) => text === 'and so on, to the end.');
  await panel.button(/^Send$/).waitFor();
  await picture('continued');

  server.script(reply().says('It begins ').drops(), reply().says('quietly.'));
  await panel.send('Tell me first');
  await panel.waitForAnswer('how it went on', (text) => text === 'It begins quietly.');
  await panel.sees(/^The connection was lost while the model was answering/);
  await picture('went-on-by-itself');

  server.script(reply().says('It begins ').drops(), reply().says('well,').drops());
  await panel.send('Tell me more');
  await panel.sees(/^Interrupted/);
  server.script(reply().says('and ends well.'));
  await panel.button('Continue').click();
  await panel.waitForAnswer('how it goes on', (text) => text === 'and ends well.');
  await panel.button(/^Send$/).waitFor();
  const turns = query(
    "SELECT t.stop_reason AS reason FROM turns t JOIN sessions s ON s.id = t.session_id WHERE s.title = 'Count to a thousand' ORDER BY t.started_at",
  ).map(({ reason }) => reason);
  expect({
    answers: (await panel.answers()).map(({ text }) => text),
    prompts: (await panel.prompts()).map(({ text }) => text),
    turns,
    refused: server.requests.flatMap(({ rejection }) => rejection ?? []),
    errors: workbench.errors(),
  }).toEqual({
    answers: [stopped, 'and so on, to the end.', 'It begins quietly.', 'It begins well,', 'and ends well.'],
    prompts: ['Count to a thousand', 'Tell me first', 'Tell me more'],
    turns: ['user', 'stop', 'stop', 'connectionLost', 'stop'],
    refused: [],
    errors: [],
  });
});

test('Set Up Memory… says what is sent where before it connects, names a wrong address or key, and later turns are remembered', async () => {
  const hindsight = await HindsightStandIn.start({ key: 'the-right-key' });
  try {
    const host = new URL(hindsight.url).host;
    const nobody = `127.0.0.1:${await freePort()}`;
    const dialog = workbench.dialog();
    const settings = (): string => fs.readFileSync(path.join(vscode().server.dataDir, 'User/settings.json'), 'utf8');
    const setUpAt = async (address: string): Promise<void> => {
      await workbench.runAndChoose('Hermes: Set Up Memory', 'Hindsight Server…');
      await workbench.answerInput('Hindsight server address.', address);
      await workbench.answerInput('Memory bank.', 'e2e');
      await dialog
        .getByText(`are sent to ${address.replace('http://', '')}. Deleting a session here does not delete them there.`)
        .waitFor();
    };
    const before = settings();

    await setUpAt(hindsight.url);
    await picture('memory-before-connecting');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    const askedUnasked = hindsight.requests.length;

    await setUpAt(`http://${nobody}`);
    await dialog.getByRole('button', { name: 'Connect' }).click();
    await dialog.getByText(`Can’t reach ${nobody}`).waitFor();
    await dialog.getByRole('button', { name: 'OK' }).click();

    await setUpAt(new URL(server.url).origin);
    await dialog.getByRole('button', { name: 'Connect' }).click();
    await dialog.getByText(/isn’t Hindsight\. Nothing was changed\./).waitFor();
    await dialog.getByRole('button', { name: 'OK' }).click();

    await setUpAt(hindsight.url);
    await dialog.getByRole('button', { name: 'Connect' }).click();
    for (const [key, said] of [
      ['a-wrong-key', 'requires a key'],
      ['the-right-key', 'refused the key'],
    ] as const) {
      await dialog.getByText(`Hindsight at ${host} ${said} (401). Nothing was changed.`).waitFor();
      if (key === 'the-right-key') await picture('memory-key-refused');
      expect(settings()).toBe(before);
      await dialog.getByRole('button', { name: 'Enter a Key' }).click();
      await workbench.answerInput('secret storage', key);
    }
    await workbench.waitForToast(`Starting with your next prompt, Hindsight at ${host} remembers completed turns.`);

    await newSession();
    await say('Where does the bluebird nest?', 'In the old oak.');
    const [session] = query("SELECT id FROM sessions WHERE title LIKE 'Where does the bluebird%'");
    const documents = await waitFor('the turn to be remembered', () => {
      const held = Object.entries(hindsight.documents('e2e'));
      return held.length > 0 && held[0]?.[1].includes('In the old oak.') === true ? held : undefined;
    });
    await newSession();
    await say('Tell me of the bluebird again', 'It nests in the old oak.');
    await message('It nests in the old oak.').hover();
    await panel.sees(/Recalled \d+ memor/);
    await picture('memory-recalled');
    expect({
      askedUnasked,
      settings: [
        '"hermes.memory.provider": "hindsight"',
        `"hermes.memory.hindsight.url": "${hindsight.url}"`,
        '"hermes.memory.hindsight.bank": "e2e"',
      ].filter((line) => !settings().includes(line)),
      ofSession: documents.map(([id]) => id.startsWith(String(session?.['id']))),
      keys: [...new Set(hindsight.requests.map(({ authorization }) => authorization))],
      inSettings: settings().includes('the-right-key'),
      inLog: vscode().extensionLog(EXTENSION_ID).includes('the-right-key'),
      violations: hindsight.violations,
      errors: workbench.errors(),
    }).toEqual({
      askedUnasked: 0,
      settings: [],
      ofSession: [true],
      keys: [null, 'Bearer a-wrong-key', 'Bearer the-right-key'],
      inSettings: false,
      inLog: false,
      violations: [],
      errors: [],
    });
  } finally {
    await hindsight.close();
  }
});

test('a repository that was moved and renamed is offered its earlier sessions', async () => {
  const old = vscode().sampleFolder();
  const moved = path.join(path.dirname(old), 'elsewhere');
  const store = vscode().workspaceStorageFolders(EXTENSION_ID)[0] ?? '';
  await vscode().reopenBrowser();
  // Copied and removed, as to another disk: only its history says that it is the same.
  fs.cpSync(old, moved, { recursive: true, preserveTimestamps: true });
  fs.rmSync(old, { recursive: true });
  workbench = await vscode().open(moved);
  await waitFor('the old window to let its history go', () => !fs.existsSync(path.join(store, 'state.db.lock')));
  panel = await ChatPanel.open(workbench);
  await panel.sees(`Copy sessions from ${old} to this folder?`);
  await picture('moved');

  // Read before anything is brought over, also after a reload
  view = await SessionsView.open(workbench);
  await view.unfold('Other Folders');
  await view.click(/^.*parcel-post, \d+ sessions/);
  // The editor may draw the view anew under a press, which is then lost.
  await waitFor('the session to be opened', async () => {
    await view.click('Count to a thousand');
    return within(5_000, async () => (await workbench.webviewCount(EXTENSION_ID, 'editor')) > 0);
  });
  const readOnly = async (): Promise<void> => {
    const tab = await workbench.waitForWebview(EXTENSION_ID, 'editor');
    await tab.getByText(`Session from ${old}, as it was when you opened this tab. Read-only.`).waitFor();
    await tab.getByText('and ends well.').first().waitFor();
  };
  await readOnly();
  await workbench.reload();
  panel = await ChatPanel.attach(workbench);
  await readOnly();
  await picture('read-only-again');

  await panel.button('Copy Sessions').click();
  await workbench.waitForToast(/copied to this folder/);
  await workbench.runAndChoose('Hermes: Resume Session', 'Count to a thousand');
  await panel.waitForAnswer('what was said in it', (text) => text === 'and ends well.');
  expect(workbench.errors()).toEqual([]);
});
