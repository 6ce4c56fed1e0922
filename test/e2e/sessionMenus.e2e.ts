import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { HindsightStandIn } from '../support/hindsight/standIn';
import { reply } from '../support/modelServer';
import { waitFor, type Workbench, write } from '../support/vscode';
import type { ChatPanel } from './chatPanel';
import { chooseFromMenu, SessionsView } from './sessionsView';
import { numberedWords } from './words';
import { heard, picturesIn, scriptedVscode } from './scriptedVscode';
import { EXTENSION_ID } from './vscodeTest';

const { server, vscode, open, query, ask, refused } = await scriptedVscode({ contextWindow: 20_000, echoes: true });
const picture = picturesIn('session-menus');
let workbench: Workbench;
let panel: ChatPanel;
let view: SessionsView;

/** Messages of a session with this title, its earlier segments included, oldest first. Hidden ones begin with why. */
const stored = (title: string): readonly string[] =>
  query(
    `SELECT m.content, m.active, m.hidden_reason AS reason FROM messages m JOIN sessions s ON s.id = m.session_id WHERE s.title = '${title}' AND m.carried_from IS NULL ORDER BY s.started_at, m.position`,
  ).map((row) =>
    row['active'] === 1 ? String(row['content']) : `${String(row['reason'])}: ${String(row['content'])}`,
  );
const storedAs = async (title: string, wanted: readonly string[]): Promise<void> => {
  await waitFor(`the rows of ${title}`, () => JSON.stringify(stored(title)) === JSON.stringify(wanted), {
    seen: () => stored(title),
  });
};

const say = (prompt: string): Promise<void> => panel.ask(prompt, heard(prompt));

beforeAll(async () => {
  panel = await open();
  ({ workbench } = panel);
  await workbench.resize(1400, 900);
  view = await SessionsView.open(workbench);
});

test("Retry, Branch from Message…, Rewind to Message… and Rename Session… from a row's menu act on that session, whichever is shown", async () => {
  await say('Ask one');
  await say('Ask two');
  await panel.newSession();
  await say('Other');

  await view.choose('Ask one', 'Retry');
  await panel.answered(heard('Ask two'));
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
  await picture(panel, 'rewind');
  await workbench.dialog().getByRole('button', { name: 'Rewind' }).click();
  await panel.titled('Ask one');
  await panel.composerHas('Ask two');
  await write(panel.composer, '');
  await storedAs('Ask one', [
    'Ask one',
    heard('Ask one'),
    ...['Ask two', heard('Ask two')].flatMap((text) => [`retried: ${text}`]),
    ...['Ask two', heard('Ask two')].map((text) => `rewound: ${text}`),
  ]);

  await view.choose('Other #2', 'Rename Session…');
  await workbench.answerInput('Session Title', 'Sideways');
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
  await picture(panel, 'chat-menu');
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
  await panel.newSession();
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

  await panel.act('The first part', 'Edit & Resend');
  const editor = panel.frame.getByRole('textbox', { name: 'Edit prompt' });
  await write(editor, 'The very first part');
  await editor.press('Enter');
  await panel.sees(
    'This prompt comes before a summary, so it was sent again in a branch. The original session is unchanged.',
  );
  await panel.answered(heard('The very first part'));
  await picture(panel, 'edited-in-branch');
  const edited = {
    original: stored('The first part'),
    branch: stored('The first part #2'),
    composer: await panel.composer.inputValue(),
  };

  await panel.button('Branched from “The first part”').click();
  await panel.titled('The first part');
  await panel.act('The second part', 'Rewind to Here…');
  const card = panel.frame.getByRole('group', { name: 'Rewind to Here' });
  await picture(panel, 'rewind-before-summary');
  await card.getByRole('button', { name: 'Rewind' }).click();
  await panel.sees(
    'This prompt comes before a summary, so Hermes rewound it in a branch. The original session is unchanged.',
  );
  await panel.composerHas('The second part');
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
  await panel.newSession();
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
  await picture(panel, 'jumped-to');
  await panel.titled('The first part');
  await panel.message('The second part').waitFor();
  expect({ refused: refused(), errors: workbench.errors() }).toEqual({
    refused: [],
    errors: [],
  });
});

test('Set Up Memory… says what is sent where before it connects, names a wrong key, and later turns are remembered', async () => {
  const hindsight = await HindsightStandIn.start({ key: 'the-right-key' });
  try {
    const host = new URL(hindsight.url).host;
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
    await picture(panel, 'memory-before-connecting');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    const askedUnasked = hindsight.requests.length;

    await setUpAt(hindsight.url);
    await dialog.getByRole('button', { name: 'Connect' }).click();
    for (const [key, said] of [
      ['a-wrong-key', 'requires a key'],
      ['the-right-key', 'refused the key'],
    ] as const) {
      await dialog.getByText(`Hindsight at ${host} ${said} (401). Nothing was changed.`).waitFor();
      if (key === 'the-right-key') await picture(panel, 'memory-key-refused');
      expect(settings()).toBe(before);
      await dialog.getByRole('button', { name: 'Enter a Key' }).click();
      await workbench.answerInput('secret storage', key);
    }
    await workbench.waitForToast(`Starting with your next prompt, Hindsight at ${host} remembers completed turns.`);

    await panel.newSession();
    await ask(panel, 'Where does the bluebird nest?', 'In the old oak.');
    const [session] = query("SELECT id FROM sessions WHERE title LIKE 'Where does the bluebird%'");
    const documents = await waitFor('the turn to be remembered', () => {
      const held = Object.entries(hindsight.documents('e2e'));
      return held.length > 0 && held[0]?.[1].includes('In the old oak.') === true ? held : undefined;
    });
    await panel.newSession();
    await ask(panel, 'Tell me of the bluebird again', 'It nests in the old oak.');
    await panel.message('It nests in the old oak.').hover();
    await panel.sees(/Recalled \d+ memor/);
    await picture(panel, 'memory-recalled');
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
