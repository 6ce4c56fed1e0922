import path from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, reply, startModelServer } from '../support/modelServer';
import { projectRoot, readStateDb, waitFor, type Workbench, write } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { gate } from './gate';
import { EXTENSION_ID, sharedVscode } from './vscodeTest';
import { numberedWords } from './words';

let server: ModelServer;
let workbench: Workbench;
let panel: ChatPanel;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

const vscode = sharedVscode(() => ({
  settings: {
    'hermes.providers': [{ name: 'Local', protocol: 'openai', baseUrl: server.url, models: [{ id: 'test-model' }] }],
    'hermes.model': 'Local/test-model',
  },
}));
const query = (sql: string) => readStateDb(vscode().workspaceStorageFolders(EXTENSION_ID)[0] ?? '', sql);
const picture = (name: string): Promise<string> =>
  workbench.screenshot(path.join(projectRoot(), '.vscode-test/screenshots'), `chat-actions-${name}`);

async function newSession(): Promise<void> {
  if (workbench === undefined) {
    workbench = await vscode().open(vscode().sampleFolder());
    panel = await ChatPanel.open(workbench);
    return;
  }
  await workbench.runCommand('Hermes: New Session');
  await panel.sees('Hermes works in your folder');
}

async function ask(prompt: string, answer: string): Promise<void> {
  server.script(reply().says(answer));
  await panel.send(prompt);
  await panel.waitForSettledAnswer(`the answer "${answer}"`, (text) => text === answer);
}

/** A new session of turns "<name> 1", "<name> 2" …, each answered by "<name> answer 1" …; its title is <name>. */
async function sessionOf(name: string, turns: number): Promise<void> {
  await newSession();
  for (let turn = 1; turn <= turns; turn++) await ask(`${name} ${turn}`, `${name} answer ${turn}`);
  await panel.send(`/title ${name}`);
  await titled(name);
}

const titled = (title: string): Promise<void> =>
  panel.frame.getByRole('button', { name: `Rename Session: ${title}`, exact: true }).waitFor();
const texts = async (): Promise<readonly string[]> => (await panel.messages()).map(({ text }) => text);
const showing = (...wanted: readonly string[]): Promise<unknown> =>
  waitFor(`the messages ${wanted.join(', ')}`, async () =>
    JSON.stringify(await texts()) === JSON.stringify(wanted) ? true : undefined,
  );
/** The message that says exactly this. */
const message = (text: string): Locator =>
  panel.frame.getByRole('article').filter({ has: panel.frame.getByText(text, { exact: true }) });
const act = async (on: string, action: string): Promise<void> => {
  await message(on).last().hover();
  await message(on).last().getByRole('button', { name: action }).click();
};
const composerHas = (text: string): Promise<unknown> =>
  waitFor(`"${text}" in the composer`, async () => ((await panel.composer.inputValue()) === text ? true : undefined));
/** Stored messages of a session, oldest first. Hidden ones begin with why. */
const stored = (title: string): readonly string[] =>
  query(
    `SELECT m.content, m.active, m.hidden_reason AS reason FROM messages m JOIN sessions s ON s.id = m.session_id WHERE s.title = '${title.replaceAll("'", "''")}' ORDER BY m.position`,
  ).map((row) =>
    row['active'] === 1 ? String(row['content']) : `${String(row['reason'])}: ${String(row['content'])}`,
  );

test('Edit & Resend asks in other words; the earlier version and what followed it are one click away, also after a reload', async () => {
  await sessionOf('Tea', 2);
  await act('Tea 1', 'Edit & Resend');
  const editor = panel.frame.getByRole('textbox', { name: 'Edit prompt' });
  await picture('editing');
  await editor.press('Escape');
  await editor.waitFor({ state: 'detached' });
  await act('Tea 1', 'Edit & Resend');
  await write(editor, 'Green tea 1');
  server.script(reply().says('Green answer.'));
  await editor.press('Enter');
  await showing('Green tea 1', 'Green answer.');
  const version = (place: string): Promise<void> =>
    panel.frame.getByRole('group', { name: `Version ${place}` }).waitFor();
  await version('2 of 2');
  await panel.button('Previous Version').click();
  await showing('Tea 1', 'Tea answer 1', 'Tea 2', 'Tea answer 2');
  await version('1 of 2');
  await picture('first-version');
  const first = stored('Tea');
  await panel.button('Next Version').click();
  await showing('Green tea 1', 'Green answer.');
  await workbench.reload();
  panel = await ChatPanel.attach(workbench);
  await version('2 of 2');
  const [before, after] = [server.requests.length, await texts()];
  server.script(reply().says('Greener answer.'));
  await act('Green answer.', 'Retry');
  await showing('Green tea 1', 'Greener answer.');
  await version('3 of 3');
  expect({
    first,
    after,
    sent: server.requests.slice(before).map(({ outline }) => outline.join('\n').includes('Tea answer')),
    now: stored('Tea'),
  }).toEqual({
    first: ['Tea 1', 'Tea answer 1', 'Tea 2', 'Tea answer 2', 'edited: Green tea 1', 'edited: Green answer.'],
    after: ['Green tea 1', 'Green answer.'],
    sent: [false],
    now: [
      ...['Tea 1', 'Tea answer 1', 'Tea 2', 'Tea answer 2'].map((text) => `edited: ${text}`),
      'retried: Green tea 1',
      'retried: Green answer.',
      'Green tea 1',
      'Greener answer.',
    ],
  });
});

test('Branch from Here copies up to the last answer, to one in the middle, or to just before a prompt; the origin is one click away and unchanged', async () => {
  await sessionOf('Oak', 3);
  const original = stored('Oak');
  await act('Oak answer 3', 'Branch from Here');
  await titled('Oak #2');
  await showing('Oak 1', 'Oak answer 1', 'Oak 2', 'Oak answer 2', 'Oak 3', 'Oak answer 3');
  await ask('Branch 4', 'Branch answer 4');
  await picture('branch');
  await panel.button('Branched from “Oak”').click();
  await titled('Oak');
  await act('Oak answer 1', 'Branch from Here');
  await titled('Oak #3');
  await showing('Oak 1', 'Oak answer 1');
  await panel.button('Branched from “Oak”').click();
  await titled('Oak');
  await write(panel.composer, 'of the origin');
  await act('Oak 2', 'Branch from Here');
  await titled('Oak #4');
  await showing('Oak 1', 'Oak answer 1');
  await composerHas('Oak 2');
  await panel.button('Branched from “Oak”').click();
  await titled('Oak');
  await composerHas('of the origin');
  await panel.send('/branch Elm');
  await titled('Elm');
  expect({
    original: stored('Oak'),
    fromLast: stored('Oak #2'),
    fromMiddle: stored('Oak #3'),
    fromPrompt: stored('Oak #4'),
    named: stored('Elm'),
    kinds: query("SELECT title, parent_kind FROM sessions WHERE title LIKE 'Oak%' OR title = 'Elm' ORDER BY title").map(
      (row) => `${String(row['title'])} ${String(row['parent_kind'])}`,
    ),
  }).toEqual({
    original,
    fromLast: [...original, 'Branch 4', 'Branch answer 4'],
    fromMiddle: original.slice(0, 2),
    fromPrompt: original.slice(0, 2),
    named: original,
    kinds: ['Elm branch', 'Oak null', 'Oak #2 branch', 'Oak #3 branch', 'Oak #4 branch'],
  });
});

test('Rewind to Here… says what it removes and returns the prompt; /undo takes back the requested number of turns', async () => {
  await sessionOf('Fig', 4);
  await write(panel.composer, 'typed already');
  await act('Fig 4', 'Rewind to Here…');
  const card = panel.frame.getByRole('group', { name: 'Rewind to Here' });
  await card.getByText('(1 turn)').waitFor();
  await picture('rewind');
  await card.getByRole('button', { name: 'Cancel' }).click();
  await act('Fig 4', 'Rewind to Here…');
  await card.getByRole('button', { name: 'Rewind' }).click();
  await showing('Fig 1', 'Fig answer 1', 'Fig 2', 'Fig answer 2', 'Fig 3', 'Fig answer 3');
  await composerHas('Fig 4\n\ntyped already');
  await panel.sees('Rewound.');
  await panel.send('/undo 2');
  await showing('Fig 1', 'Fig answer 1');
  await composerHas('Fig 2');
  await picture('undone');
  // A window that is closed at once takes with it what was not given to the host yet.
  await waitFor(
    'the draft to be stored',
    () => query('SELECT text FROM drafts').some((row) => row['text'] === 'Fig 2') || undefined,
  );
  await workbench.reload();
  panel = await ChatPanel.attach(workbench);
  await showing('Fig 1', 'Fig answer 1');
  await composerHas('Fig 2');
  await panel.send('/undo 5');
  await composerHas('Fig 1');
  await panel.send('/undo');
  await panel.sees('There is no prompt to rewind to in this session.');
  await composerHas('/undo');
  expect(stored('Fig')).toEqual(
    ['Fig 1', 'Fig answer 1', 'Fig 2', 'Fig answer 2', 'Fig 3', 'Fig answer 3', 'Fig 4', 'Fig answer 4'].map(
      (text) => `rewound: ${text}`,
    ),
  );
});

test('/resume takes a number, the start of an id, or a title; several matches open a choice, and no match keeps the text', async () => {
  await sessionOf('Ash', 1);
  await sessionOf('Birch', 1);
  await sessionOf('Cedar', 1);
  const list = panel.frame.getByRole('listbox', { name: /number/ });
  await panel.send('/resume');
  await list.getByRole('option', { name: 'Birch' }).waitFor();
  await picture('resume');
  await list.press('1');
  await titled('Birch');
  await composerHas('');
  await panel.send('/resume ASH');
  await titled('Ash');
  const id = String(query("SELECT id FROM sessions WHERE title = 'Cedar'")[0]?.['id']);
  await panel.send(`/resume ${id.slice(0, -1)}`);
  await titled('Cedar');
  await panel.send(`/resume ${id.slice(0, 4)}`);
  await panel.sees(/sessions match/);
  await list.getByRole('option', { name: 'Ash' }).click();
  await titled('Ash');
  await panel.send('/resume nosuch');
  await panel.sees('No session matches “nosuch”.');
  await composerHas('/resume nosuch');
  await write(panel.composer, '');
  await panel.send('/reset');
  await panel.sees('Hermes works in your folder');
  expect(
    query("SELECT title, end_reason FROM sessions WHERE title IN ('Ash', 'Birch') ORDER BY title").map(
      (row) => row['end_reason'],
    ),
  ).toEqual(['reset', null]);
});

test('two sessions answer at once, each into its own transcript; the hidden one is named, and reported as done', async () => {
  const [one, two] = [numberedWords('one', 300), numberedWords('two', 300)];
  await newSession();
  const [start, rest] = [numberedWords('one', 50), gate()];
  server.script(reply().says(start, { every: 30 }).waitsFor(rest.opened).says(one.slice(start.length)));
  await panel.send('Count ones');
  await panel.waitForAnswer('the first words', (text) => text.startsWith('one0001'));
  await newSession();
  server.script(reply().says(two, { every: 10 }));
  await panel.send('Count twos');
  await panel.waitForAnswer('the first words', (text) => text.startsWith('two0001'));
  await panel.sees('Also running: Count ones');
  await picture('two-at-once');
  await panel.waitForSettledAnswer('all twos', (text) => text === two);
  const seenOfOne = (await texts()).some((text) => text.includes('one0'));
  rest.open();
  await panel.sees('Finished: Count ones');
  await picture('finished-behind');
  await panel.button('Show').click();
  await showing('Count ones', one);
  await panel.frame.getByText('Finished: Count ones').waitFor({ state: 'detached' });
  expect({
    seenOfOne,
    ones: stored('Count ones'),
    twos: stored('Count twos'),
    problems: server.requests.flatMap(({ rejection }) => rejection ?? []),
    errors: workbench.errors(),
  }).toEqual({
    seenOfOne: false,
    ones: ['Count ones', one],
    twos: ['Count twos', two],
    problems: [],
    errors: [],
  });
});

test('the chat looks the same in every theme', async () => {
  await sessionOf('Lime', 2);
  await act('Lime answer 2', 'Branch from Here');
  await titled('Lime #2');
  await act('Lime 2', 'Edit & Resend');
  server.script(reply().says('Limes are **green**.'));
  await write(panel.frame.getByRole('textbox', { name: 'Edit prompt' }), 'Are limes green?');
  await panel.frame.getByRole('textbox', { name: 'Edit prompt' }).press('Enter');
  await panel.frame.getByRole('group', { name: 'Version 2 of 2' }).waitFor();
  for (const [name, theme, kind] of [
    ['light', 'Light Modern', 'vscode-light'],
    ['contrast', 'Default High Contrast', 'vscode-high-contrast'],
    ['dark', 'Dark Modern', 'vscode-dark'],
  ] as const) {
    await workbench.setTheme(theme);
    await panel.frame.locator(`body.${kind}`).waitFor();
    await message('Are limes green?').hover();
    await picture(`theme-${name}`);
  }
  expect(workbench.errors()).toEqual([]);
});
