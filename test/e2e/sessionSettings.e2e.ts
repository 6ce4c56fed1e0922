import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ModelServer, type RecordedRequest, reply, type Reply, startModelServer } from '../support/modelServer';
import { projectRoot, readStateDb, type Row, waitFor, type Workbench } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { gate } from './gate';
import { EXTENSION_ID, sharedVscode, windowOn } from './vscodeTest';
import { settled } from './workPanel';

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

/** The user's own files, which the first window reads. */
const rule = 'Write numbers as words.';
const skill = 'Fold the letter in three, then add a stamp.';
const personal = (...names: readonly string[]): string => path.join(vscode().root, 'personal/config/hermes', ...names);

beforeAll(async () => {
  fs.mkdirSync(personal('skills/letters'), { recursive: true });
  fs.writeFileSync(personal('AGENTS.md'), `${rule}\n`);
  fs.writeFileSync(
    personal('skills/letters/SKILL.md'),
    `---\nname: letters\ndescription: Sends letters by mail.\n---\n${skill}\n`,
  );
  vscode().machineSettings.update({ 'hermes.spendingLimit': 2 });
  workbench = await vscode().open(vscode().sampleFolder());
  panel = await ChatPanel.open(workbench);
});

beforeEach(async () => {
  if (server.requests.length === 0) return;
  await workbench.runCommand('Hermes: New Session');
  await panel.sees('Hermes works in your folder');
});

const query = (sql: string): readonly Row[] =>
  readStateDb(vscode().workspaceStorageFolders(EXTENSION_ID)[0] ?? '', sql);
const picture = (name: string): Promise<string> =>
  workbench.screenshot(path.join(projectRoot(), '.vscode-test/screenshots/session-settings'), name);
const system = (request: RecordedRequest | undefined): string =>
  request?.outline.find((line) => line.startsWith('system: ')) ?? '';
const refused = (): readonly string[] => server.requests.flatMap(({ rejection }) => rejection ?? []);
const titled = (title: string): Promise<void> =>
  panel.frame.getByRole('button', { name: `Rename Session: ${title}`, exact: true }).waitFor();

/** Answers a prompt; resolves with the request. */
async function say(prompt: string, answer: string, made: Reply = reply().says(answer)): Promise<RecordedRequest> {
  const index = server.requests.length;
  server.script(made);
  await panel.send(prompt);
  await panel.waitForSettledAnswer(`the answer to "${prompt}"`, (text) => text === answer);
  return server.request(index);
}

test('personal rules and skills are in each request, and in the list of the context meter with their size', async () => {
  const first = await say('Hello?', 'Hello.');
  server.script(reply().calls('read_skill', { name: 'letters' }, { id: 'skill' }));
  await say('Send a letter.', 'Sent.');
  const read = server.requests.at(-1)?.outline.find((line) => line.startsWith('tool skill: '));
  await panel.button(/^Context /).click();
  const list = panel.frame.getByRole('group', { name: 'Context', exact: true });
  await list.getByText('Files in the system prompt').waitFor();
  await picture('personal-files');
  const listed = await list
    .locator('.context-line')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((part) => (part.textContent ?? '').trim())));
  await panel.composer.press('Escape');

  const later = 'Write numbers as Roman numerals.';
  fs.writeFileSync(personal('AGENTS.md'), `${later}\n`);
  await waitFor('the changed rules in a request', async () =>
    system(await say(`Hello ${server.requests.length}?`, 'Hello again.')).includes(later),
  );
  expect({
    system: [rule, 'AGENTS.md', 'letters', 'Sends letters by mail.', skill].filter((text) =>
      system(first).includes(text),
    ),
    read,
    listed: listed.filter(([name = '']) => /AGENTS\.md|skill/.test(name)),
    later: [rule, later].filter((text) => system(server.requests.at(-1)).includes(text)),
    refused: refused(),
  }).toEqual({
    system: [rule, 'AGENTS.md', 'letters', 'Sends letters by mail.'],
    read: expect.stringContaining(skill),
    listed: [
      [expect.stringMatching(/hermes\/AGENTS\.md$/), expect.stringMatching(/^Yours \d+$/)],
      ['1 skill', expect.stringMatching(/^Yours \d+$/)],
    ],
    later: [later],
    refused: [],
  });
});

test('at the spending limit a turn stops and asks, also after a reload; Continue allows another such amount', async () => {
  const costs = (usd: number, made: Reply): Reply => made.uses({ input: 10, output: 5, extra: { cost: usd } });
  const limit = /This session has cost .* and reached your limit of/;
  const asked = server.requests.length;
  server.script(costs(1.5, reply().calls('list_directory', {})), costs(0.6, reply().calls('list_directory', {})));
  await panel.send('Look everywhere.');
  await panel.sees(limit);
  await settled(panel);
  await picture('spending-limit');
  const atLimit = server.requests.length - asked;
  await workbench.reload();
  panel = await ChatPanel.attach(workbench);
  await panel.sees(limit);
  const sentence = await panel.frame.getByText(limit).first().innerText();
  const turns = (): readonly Row[] =>
    query(
      "SELECT outcome, stop_reason AS reason FROM turns WHERE session_id = (SELECT id FROM sessions WHERE title = 'Look everywhere.') ORDER BY started_at",
    );
  const stored = {
    turns: turns(),
    allowed: query("SELECT spending_allowed AS usd FROM sessions WHERE title = 'Look everywhere.'"),
  };
  const afterReload = server.requests.length - asked;

  server.script(costs(0.5, reply().calls('list_directory', {})), costs(0.2, reply().says('That is all.')));
  await panel.button('Continue').click();
  await panel.waitForSettledAnswer('how it goes on', (text) => text === 'That is all.');
  // The first limit is passed, the second is not reached.
  await say('And now?', 'Still here.', costs(0.3, reply().says('Still here.')));
  await workbench.reload();
  panel = await ChatPanel.attach(workbench);
  await say('And after a reload?', 'Here too.', costs(0.9, reply().says('Here too.')));
  const passed = server.requests.length - asked;
  const [allowed] = query("SELECT spending_allowed AS usd FROM sessions WHERE title = 'Look everywhere.'");

  // $4.00 of the $4.10 are spent: one more answer is paid, then it asks again.
  server.script(costs(0.2, reply().calls('list_directory', {})));
  await panel.send('Once more.');
  await panel.sees(/reached your limit of \$4\.10/);
  await settled(panel);
  expect({
    sentence,
    stored,
    requests: { atLimit, afterReload, passed, inAll: server.requests.length - asked },
    allowed: Number(allowed?.['usd']).toFixed(2),
    turns: turns(),
    refused: refused(),
    errors: workbench.errors(),
  }).toEqual({
    sentence:
      'This session has cost $2.10 and reached your limit of $2.00. Everything shown is saved. Continue to allow another $2.00.',
    stored: { turns: [{ outcome: 'interrupted', reason: 'spendingLimit' }], allowed: [{ usd: null }] },
    requests: { atLimit: 2, afterReload: 2, passed: 6, inAll: 7 },
    allowed: '4.10',
    turns: [
      { outcome: 'interrupted', reason: 'spendingLimit' },
      ...Array(3).fill({ outcome: 'complete', reason: 'stop' }),
      { outcome: 'interrupted', reason: 'spendingLimit' },
    ],
    refused: [],
    errors: [],
  });
});

test('the model writes the title after the first answer, never over one that the user gave', async () => {
  workbench = await windowOn(vscode(), vscode().sampleFolder(), { 'hermes.sessionTitles': 'model' });
  panel = await ChatPanel.attach(workbench);
  await workbench.runCommand('Hermes: New Session');
  await panel.sees('Hermes works in your folder');
  const isTitle = (request: RecordedRequest | undefined): boolean =>
    system(request).includes('You name conversations between a user and an assistant');
  const titles = (): readonly RecordedRequest[] => server.requests.filter(isTitle);
  const named = (prompt: string): readonly Row[] =>
    query(
      `SELECT title, title_source AS source FROM sessions WHERE id = (SELECT session_id FROM messages WHERE content = '${prompt}')`,
    );

  server.script(reply().says('In src/retry.js.'), reply().says('**Where retries live**\n'));
  await panel.send('Where are the retries?');
  await panel.waitForSettledAnswer('the answer', (text) => text === 'In src/retry.js.');
  await titled('Where retries live');
  await picture('title');
  const [written] = titles();
  // Later answers bring no other title.
  await say('And their tests?', 'In test/retry.test.js.');
  await workbench.reload();
  panel = await ChatPanel.attach(workbench);
  await titled('Where retries live');
  const first = { requests: titles().length, stored: named('Where are the retries?') };

  // The user names the session while the model writes its title.
  await workbench.runCommand('Hermes: New Session');
  await panel.sees('Hermes works in your folder');
  const slow = gate();
  server.script(reply().says('Twice.'), reply().startsAfter(slow.opened).says('How often parts are sent'));
  await panel.send('How often is a part sent?');
  await panel.waitForSettledAnswer('the second answer', (text) => text === 'Twice.');
  await waitFor('the request for a title', () => titles().length === 2);
  await panel.send('/title My own name');
  await titled('My own name');
  slow.open();
  await titles().at(-1)?.ended;

  // The user names the session before its first answer has ended.
  await workbench.runCommand('Hermes: New Session');
  await panel.sees('Hermes works in your folder');
  const writing = gate();
  server.script(reply().says('Once').waitsFor(writing.opened).says(', at noon.'));
  await panel.send('When is mail collected?');
  await panel.waitForAnswer('its beginning', (text) => text === 'Once');
  await panel.send('/title Collection');
  await titled('Collection');
  writing.open();
  await panel.waitForSettledAnswer('all of it', (text) => text === 'Once, at noon.');
  await say('And on Sundays?', 'Never.');
  expect({
    request: {
      tools: written?.body['tools'],
      model: written?.body['model'],
      about: ['Where are the retries?', 'In src/retry.js.', rule].filter((text) =>
        written?.outline.join().includes(text),
      ),
    },
    first,
    meanwhile: named('How often is a part sent?'),
    earlier: named('When is mail collected?'),
    requests: titles().length,
    refused: refused(),
    unplayed: server.unplayed,
  }).toEqual({
    request: { tools: undefined, model: 'test-model', about: ['Where are the retries?', 'In src/retry.js.'] },
    first: { requests: 1, stored: [{ title: 'Where retries live', source: 'model' }] },
    meanwhile: [{ title: 'My own name', source: 'person' }],
    earlier: [{ title: 'Collection', source: 'person' }],
    requests: 2,
    refused: [],
    unplayed: 0,
  });
});
