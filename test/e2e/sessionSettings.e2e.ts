import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type RecordedRequest, reply, type Reply } from '../support/modelServer';
import { type Row, waitFor } from '../support/vscode';
import type { ChatPanel } from './chatPanel';
import { picturesIn, scriptedVscode } from './scriptedVscode';

const { server, vscode, open, query, refused } = await scriptedVscode();
const picture = picturesIn('session-settings');
let panel: ChatPanel;

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
  vscode().settings.update({ 'hermes.spendingLimit': 2 });
  panel = await open();
});

beforeEach(async () => {
  if (server.requests.length === 0) return;
  await panel.newSession();
});

const system = (request: RecordedRequest | undefined): string =>
  request?.outline.find((line) => line.startsWith('system: ')) ?? '';

/** Answers a prompt; resolves with the request. */
async function say(prompt: string, answer: string, made: Reply = reply().says(answer)): Promise<RecordedRequest> {
  const index = server.requests.length;
  server.script(made);
  await panel.send(prompt);
  await panel.answered(answer);
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
  await picture(panel, 'personal-files');
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
  await panel.settled();
  await picture(panel, 'spending-limit');
  const atLimit = server.requests.length - asked;
  panel = await panel.reload();
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
  await panel.answered('That is all.');
  const passed = server.requests.length - asked;
  const [allowed] = query("SELECT spending_allowed AS usd FROM sessions WHERE title = 'Look everywhere.'");

  expect({
    sentence,
    stored,
    requests: { atLimit, afterReload, passed },
    allowed: Number(allowed?.['usd']).toFixed(2),
    turns: turns(),
    refused: refused(),
    errors: panel.workbench.errors(),
  }).toEqual({
    sentence:
      'This session has cost $2.10 and reached your limit of $2.00. Everything shown is saved. Continue to allow another $2.00.',
    stored: { turns: [{ outcome: 'interrupted', reason: 'spendingLimit' }], allowed: [{ usd: null }] },
    requests: { atLimit: 2, afterReload: 2, passed: 4 },
    allowed: '4.10',
    turns: [
      { outcome: 'interrupted', reason: 'spendingLimit' },
      { outcome: 'complete', reason: 'stop' },
    ],
    refused: [],
    errors: [],
  });
});

test('the model writes the title after the first answer, once', async () => {
  vscode().settings.update({ 'hermes.sessionTitles': 'model' });
  panel = await panel.reload();
  await panel.newSession();
  const isTitle = (request: RecordedRequest | undefined): boolean =>
    system(request).includes('You name conversations between a user and an assistant');
  const titles = (): readonly RecordedRequest[] => server.requests.filter(isTitle);
  const named = (prompt: string): readonly Row[] =>
    query(
      `SELECT title, title_source AS source FROM sessions WHERE id = (SELECT session_id FROM messages WHERE content = '${prompt}')`,
    );

  server.script(reply().says('In src/retry.js.'), reply().says('**Where retries live**\n'));
  await panel.send('Where are the retries?');
  await panel.answered('In src/retry.js.');
  await panel.titled('Where retries live');
  await picture(panel, 'title');
  const [written] = titles();
  // Later answers bring no other title.
  await say('And their tests?', 'In test/retry.test.js.');
  panel = await panel.reload();
  await panel.titled('Where retries live');
  const first = { requests: titles().length, stored: named('Where are the retries?') };

  expect({
    request: {
      tools: written?.body['tools'],
      model: written?.body['model'],
      about: ['Where are the retries?', 'In src/retry.js.', rule].filter((text) =>
        written?.outline.join().includes(text),
      ),
    },
    first,
    refused: refused(),
    unplayed: server.unplayed,
  }).toEqual({
    request: { tools: undefined, model: 'test-model', about: ['Where are the retries?', 'In src/retry.js.'] },
    first: { requests: 1, stored: [{ title: 'Where retries live', source: 'model' }] },
    refused: [],
    unplayed: 0,
  });
});
