import { beforeAll, expect, test } from 'vitest';
import { reply } from '../support/modelServer';
import { waitFor, write } from '../support/vscode';
import type { ChatPanel } from './chatPanel';
import { gate } from './gate';
import { numberedWords } from './words';
import { picturesIn, scriptedVscode } from './scriptedVscode';
import { EXTENSION_ID } from './vscodeTest';

const { server, open, query, ask, refused } = await scriptedVscode();
const picture = picturesIn('chat-actions');
let panel: ChatPanel;

beforeAll(async () => {
  panel = await open();
});

/** A new session of turns "<name> 1", "<name> 2" …, each answered by "<name> answer 1" …; its title is <name>. */
async function sessionOf(name: string, turns: number): Promise<void> {
  await panel.newSession();
  for (let turn = 1; turn <= turns; turn++) await ask(panel, `${name} ${turn}`, `${name} answer ${turn}`);
  await panel.send(`/title ${name}`);
  await panel.titled(name);
}

/** Stored messages of a session, oldest first. Hidden ones begin with why. */
const stored = (title: string): readonly string[] =>
  query(
    `SELECT m.content, m.active, m.hidden_reason AS reason FROM messages m JOIN sessions s ON s.id = m.session_id WHERE s.title = '${title.replaceAll("'", "''")}' ORDER BY m.position`,
  ).map((row) =>
    row['active'] === 1 ? String(row['content']) : `${String(row['reason'])}: ${String(row['content'])}`,
  );

test('Stop keeps exactly what was shown, and reports it', async () => {
  server.script(reply().says(numberedWords('s', 500), { every: 20 }).hangs());
  await panel.send('Count to five hundred');
  await panel.waitForAnswer('some words', (text) => text.length > 100);
  await panel.button('Stop').click();
  await panel.sees(/You stopped this answer/);
  const { text: shown } = await panel.waitForSettledAnswer('the answer that was stopped');
  await waitFor('the focus in the composer', () =>
    panel.composer.evaluate((element) => element === element.ownerDocument.activeElement),
  );
  const [row] = query(
    "SELECT m.content, t.stop_reason FROM messages m JOIN turns t ON t.uid = m.turn_uid WHERE m.role = 'assistant'",
  );
  expect({ stored: String(row?.['content']).trimEnd() === shown, reason: row?.['stop_reason'] }).toEqual({
    stored: true,
    reason: 'user',
  });
});

test('Edit & Resend asks in other words; the earlier version and what followed it are one click away, also after a reload', async () => {
  await sessionOf('Tea', 2);
  await panel.act('Tea 1', 'Edit & Resend');
  const editor = panel.frame.getByRole('textbox', { name: 'Edit prompt' });
  await picture(panel, 'editing');
  await editor.press('Escape');
  await editor.waitFor({ state: 'detached' });
  await panel.act('Tea 1', 'Edit & Resend');
  await write(editor, 'Green tea 1');
  server.script(reply().says('Green answer.'));
  await editor.press('Enter');
  await panel.shows('Green tea 1', 'Green answer.');
  const version = (place: string): Promise<void> =>
    panel.frame.getByRole('group', { name: `Version ${place}` }).waitFor();
  await version('2 of 2');
  await panel.button('Previous Version').click();
  await panel.shows('Tea 1', 'Tea answer 1', 'Tea 2', 'Tea answer 2');
  await version('1 of 2');
  await picture(panel, 'first-version');
  const first = stored('Tea');
  await panel.button('Next Version').click();
  await panel.shows('Green tea 1', 'Green answer.');
  panel = await panel.reload();
  await version('2 of 2');
  const [before, after] = [server.requests.length, (await panel.messages()).map(({ text }) => text)];
  server.script(reply().says('Greener answer.'));
  await panel.act('Green answer.', 'Retry');
  await panel.shows('Green tea 1', 'Greener answer.');
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
  await panel.act('Oak answer 3', 'Branch from Here');
  await panel.titled('Oak #2');
  await panel.shows('Oak 1', 'Oak answer 1', 'Oak 2', 'Oak answer 2', 'Oak 3', 'Oak answer 3');
  await ask(panel, 'Branch 4', 'Branch answer 4');
  await picture(panel, 'branch');
  await panel.button('Branched from “Oak”').click();
  await panel.titled('Oak');
  await panel.act('Oak answer 1', 'Branch from Here');
  await panel.titled('Oak #3');
  await panel.shows('Oak 1', 'Oak answer 1');
  await panel.button('Branched from “Oak”').click();
  await panel.titled('Oak');
  await write(panel.composer, 'of the origin');
  await panel.act('Oak 2', 'Branch from Here');
  await panel.titled('Oak #4');
  await panel.shows('Oak 1', 'Oak answer 1');
  await panel.composerHas('Oak 2');
  await panel.button('Branched from “Oak”').click();
  await panel.titled('Oak');
  await panel.composerHas('of the origin');
  await panel.send('/branch Elm');
  await panel.titled('Elm');
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
  await panel.act('Fig 4', 'Rewind to Here…');
  const card = panel.frame.getByRole('group', { name: 'Rewind to Here' });
  await card.getByText('(1 turn)').waitFor();
  await picture(panel, 'rewind');
  await card.getByRole('button', { name: 'Cancel' }).click();
  await panel.act('Fig 4', 'Rewind to Here…');
  await card.getByRole('button', { name: 'Rewind' }).click();
  await panel.shows('Fig 1', 'Fig answer 1', 'Fig 2', 'Fig answer 2', 'Fig 3', 'Fig answer 3');
  await panel.composerHas('Fig 4\n\ntyped already');
  await panel.sees('Rewound.');
  await panel.send('/undo 2');
  await panel.shows('Fig 1', 'Fig answer 1');
  await panel.composerHas('Fig 2');
  await picture(panel, 'undone');
  // A window that is closed at once takes with it what was not given to the host yet.
  await waitFor(
    'the draft to be stored',
    () => query('SELECT text FROM drafts').some((row) => row['text'] === 'Fig 2') || undefined,
  );
  panel = await panel.reload();
  await panel.shows('Fig 1', 'Fig answer 1');
  await panel.composerHas('Fig 2');
  await panel.send('/undo 5');
  await panel.composerHas('Fig 1');
  await panel.send('/undo');
  await panel.sees('There is no prompt to rewind to in this session.');
  await panel.composerHas('/undo');
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
  await picture(panel, 'resume');
  await list.press('1');
  await panel.titled('Birch');
  await panel.composerHas('');
  await panel.send('/resume ASH');
  await panel.titled('Ash');
  const id = String(query("SELECT id FROM sessions WHERE title = 'Cedar'")[0]?.['id']);
  await panel.send(`/resume ${id.slice(0, -1)}`);
  await panel.titled('Cedar');
  await panel.send(`/resume ${id.slice(0, 4)}`);
  await panel.sees(/sessions match/);
  await list.getByRole('option', { name: 'Ash' }).click();
  await panel.titled('Ash');
  await panel.send('/resume nosuch');
  await panel.sees('No session matches “nosuch”.');
  await panel.composerHas('/resume nosuch');
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
  await panel.newSession();
  const [start, rest] = [numberedWords('one', 50), gate()];
  server.script(reply().says(start, { every: 30 }).waitsFor(rest.opened).says(one.slice(start.length)));
  await panel.send('Count ones');
  await panel.waitForAnswer('the first words', (text) => text.startsWith('one0001'));
  await panel.newSession();
  server.script(reply().says(two, { every: 10 }));
  await panel.send('Count twos');
  await panel.waitForAnswer('the first words', (text) => text.startsWith('two0001'));
  await panel.sees('Also running: Count ones');
  await picture(panel, 'two-at-once');
  await panel.answered(two);
  const seenOfOne = (await panel.messages()).some(({ text }) => text.includes('one0'));
  rest.open();
  await panel.sees('Finished: Count ones');
  await picture(panel, 'finished-behind');
  await panel.button('Show').click();
  await panel.shows('Count ones', one);
  await panel.frame.getByText('Finished: Count ones').waitFor({ state: 'detached' });
  expect({
    seenOfOne,
    ones: stored('Count ones'),
    twos: stored('Count twos'),
    problems: refused(),
    errors: panel.workbench.errors(),
  }).toEqual({
    seenOfOne: false,
    ones: ['Count ones', one],
    twos: ['Count twos', two],
    problems: [],
    errors: [],
  });
});

/** Ids of the rows of the transcript tab, as soon as it shows so many. */
async function transcriptRows(count: number): Promise<readonly string[]> {
  const tab = await panel.workbench.waitForWebview(EXTENSION_ID, 'editor');
  await tab.getByRole('grid', { name: 'Transcript' }).waitFor();
  let last: readonly string[] = [];
  const drawn = async (): Promise<readonly string[]> =>
    (last = await tab
      .locator('[role=row][data-uid]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-uid') ?? '')));
  return waitFor(`${count} rows`, async () => (await drawn()).length >= count && last, { seen: () => last });
}

test('commands start, rename and resume sessions and open their transcript, also after a reload', async () => {
  const { workbench } = panel;
  await panel.newSession();
  await ask(panel, 'First prompt', 'Noted.');
  await panel.newSession();
  await ask(panel, 'Second prompt', 'Noted.');
  await workbench.runCommand('Hermes: Rename Session');
  await workbench.answerInput('Session Title', 'The second');
  await panel.sees('The second');

  await workbench.runAndChoose('Hermes: Resume Session', 'First prompt');
  await panel.sees('First prompt');
  await panel.frame.getByText('Second prompt').waitFor({ state: 'detached' });

  await workbench.runCommand('Hermes: Open Transcript');
  const uids = query(
    `SELECT uid FROM messages WHERE active = 1 AND session_id = (SELECT session_id FROM messages WHERE content = 'First prompt') ORDER BY position`,
  ).map((row) => row['uid']);
  const rows = async (): Promise<readonly string[]> => {
    expect(await transcriptRows(2)).toEqual(uids);
    const tab = await workbench.waitForWebview(EXTENSION_ID, 'editor');
    await tab.getByRole('row').filter({ hasText: 'Noted.' }).waitFor();
    return tab.locator('[role=row][data-uid]').allInnerTexts();
  };
  const before = await rows();
  panel = await panel.reload();
  await panel.answered('Noted.');
  const after = await rows();
  expect({
    rows: before.map((row) => (row.includes('First prompt') ? 'prompt' : row.includes('Noted.') ? 'answer' : row)),
    same: JSON.stringify(after) === JSON.stringify(before),
    prompts: (await panel.prompts()).map(({ text }) => text),
    errors: workbench.errors(),
  }).toEqual({ rows: ['prompt', 'answer'], same: true, prompts: ['First prompt'], errors: [] });
});
