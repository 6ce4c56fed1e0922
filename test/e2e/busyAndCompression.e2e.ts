import fs from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { reply } from '../support/modelServer';
import { write } from '../support/vscode';
import type { ChatPanel } from './chatPanel';
import { gate } from './gate';
import { numberedWords } from './words';
import { picturesIn, scriptedVscode } from './scriptedVscode';
import { EXTENSION_ID } from './vscodeTest';

const { server, vscode, open, query, refused } = await scriptedVscode({ contextWindow: 20_000 });
let panel: ChatPanel;
const queued = (): readonly unknown[] => query('SELECT text FROM queue ORDER BY place').map((row) => row['text']);

beforeAll(async () => {
  panel = await open();
});

/** A new session in which an answer is being written until it is stopped. */
async function answering(prefix: string): Promise<void> {
  await panel.newSession();
  server.script(reply().says(numberedWords(prefix, 300), { every: 20 }).hangs());
  await panel.send(`Count with ${prefix}`);
  await panel.waitForAnswer('the first words', (text) => text.startsWith(`${prefix}0001`));
}

const list = (): Locator => panel.frame.getByRole('list', { name: 'Queued messages' });
const item = (text: string): Locator => list().getByRole('listitem').filter({ hasText: text });
const picture = picturesIn('chat-actions');

const lastRequest = (): string => server.requests.at(-1)?.outline.join('\n') ?? '';

test('Enter queues while an answer runs; queued prompts can be edited, removed and sent now, also after a reload', async () => {
  await answering('one');
  for (const [typed, text] of [
    ['keep me', 'keep me'],
    ['/queue drop me', 'drop me'],
    ['change me', 'change me'],
  ] as const) {
    await panel.send(typed);
    await item(text).waitFor();
  }
  await item('change me').getByRole('button', { name: 'Edit' }).click();
  await write(panel.frame.getByRole('textbox', { name: 'Edit queued message' }), 'changed');
  await panel.button('Save').click();
  await item('changed').waitFor();
  await item('drop me').getByRole('button', { name: 'Remove' }).click();
  await item('drop me').waitFor({ state: 'detached' });
  await picture(panel, 'queue-while-running');
  await panel.button('Stop').click();
  await panel.sees(/You stopped this answer/);
  const behindStop = queued();
  panel = await panel.reload();
  await item('changed').waitFor();
  await picture(panel, 'queue-waiting');
  server.script(reply().says('Changed it.'), reply().says('Kept it.'));
  await item('changed').getByRole('button', { name: 'Send Now' }).click();
  await panel.answered('Kept it.');
  expect({ behindStop, left: queued(), prompts: (await panel.prompts()).map(({ text }) => text) }).toEqual({
    behindStop: ['keep me', 'changed'],
    left: [],
    prompts: ['Count with one', 'changed', 'keep me'],
  });
});

test('/steer sends text to the running turn, and its row appears at the point of delivery', async () => {
  const closed = gate();
  await panel.newSession();
  server.script(
    reply().says('I will look.').waitsFor(closed.opened).calls('list_directory', { path: '.' }),
    reply().says('In French then.'),
  );
  await panel.send('Describe this folder');
  await panel.waitForAnswer('the first words', (text) => text.includes('I will look.'));
  await panel.send('/steer answer in French');
  await item('answer in French').waitFor();
  closed.open();
  await panel.answered('In French then.');
  await picture(panel, 'steered');
  expect({
    told: lastRequest().includes('answer in French'),
    prompts: (await panel.prompts()).map(({ text }) => text),
    left: queued(),
  }).toEqual({
    told: true,
    prompts: ['Describe this folder', 'answer in French'],
    left: [],
  });
});

test('with hermes.busyInput "interrupt" Enter stops the answer, keeps what was shown, and runs next; Queue still queues', async () => {
  vscode().settings.update({ 'hermes.busyInput': 'interrupt' });
  panel = await panel.reload();
  await answering('two');
  server.script(reply().says('You were in a hurry.'), reply().says('And then this.'));
  await write(panel.composer, 'later');
  await panel.button('Queue').click();
  await item('later').waitFor();
  const shown = await panel.lastAnswer();
  await panel.send('Stop that, do this');
  await panel.answered('And then this.');
  const answers = await panel.answers();
  vscode().settings.update({ 'hermes.busyInput': undefined });
  panel = await panel.reload();
  await picture(panel, 'interrupted');
  expect({
    kept: answers[0]?.text.startsWith(shown),
    state: answers[0]?.state,
    rest: answers.slice(1).map(({ text }) => text),
    prompts: (await panel.prompts()).map(({ text }) => text),
  }).toEqual({
    kept: true,
    state: 'interrupted',
    rest: ['You were in a hurry.', 'And then this.'],
    prompts: ['Count with two', 'Stop that, do this', 'later'],
  });
});

test('/compress says what it saves, then one line replaces the summarized part, and one click opens its original', async () => {
  await panel.newSession();
  for (const part of ['first', 'second', 'third']) {
    server.script(reply().says(numberedWords(part, 1500)).uses({ input: 4000, output: 1500 }));
    await panel.ask(`The ${part} part`, numberedWords(part, 1500));
  }
  const meter = panel.button(/^Context \d+% full/);
  await meter.click();
  await panel.frame.getByRole('group', { name: 'Context' }).waitFor();
  await picture(panel, 'context-meter');
  await meter.press('Escape');
  await panel.send('/compress the numbers');
  const card = panel.frame.getByRole('group', { name: 'Compress Session' });
  await card.getByText(/about .* tokens/).waitFor();
  await picture(panel, 'compress-card');
  const closed = gate();
  server.script(reply().waitsFor(closed.opened).says('## Goal\nCounting words.'));
  await card.getByRole('button', { name: 'Compress', exact: true }).click();
  await panel.sees('Summarizing earlier messages…');
  await picture(panel, 'compressing');
  closed.open();
  await panel.sees(/Earlier messages summarized, .* → /);
  const asked = lastRequest().includes('the numbers');
  const shown = (await panel.prompts()).map(({ text }) => text);
  await picture(panel, 'summarised');
  server.script(reply().says('Going on.'));
  await panel.send('Go on');
  await panel.answered('Going on.');
  await panel.button('Show Original').click();
  const tab = await panel.workbench.waitForWebview(EXTENSION_ID, 'editor');
  await tab.getByRole('row').filter({ hasText: 'first0001' }).first().waitFor();
  expect({
    asked,
    shown,
    after: (await panel.prompts()).map(({ text }) => text),
    sentAll: lastRequest().includes('first0700'),
  }).toEqual({
    asked: true,
    shown: ['The first part', 'The second part', 'The third part'],
    after: ['The first part', 'The second part', 'The third part', 'Go on'],
    sentAll: false,
  });
});

test('a turn whose tool results fill the context is summarized in the middle and continues', async () => {
  for (const name of ['a', 'b', 'c'])
    fs.writeFileSync(
      path.join(vscode().sampleFolder(), `${name}.txt`),
      `${numberedWords(name, 2500).replaceAll(/(.{70}) /g, '$1\n')}\n`,
    );
  await panel.newSession();
  server.script(
    reply().says('First a.').calls('read_file', { path: 'a.txt' }).uses({ input: 1000, output: 20 }),
    reply().says('Then b.').calls('read_file', { path: 'b.txt' }).uses({ input: 9000, output: 20 }),
    reply().says('## Goal\nReading three files.'),
    reply().says('Then c.').calls('read_file', { path: 'c.txt' }).uses({ input: 4000, output: 20 }),
    reply().says('All three are read.').uses({ input: 3000, output: 20 }),
  );
  await panel.send('Read a, b and c');
  await panel.answered('All three are read.');
  await panel.sees(/Earlier messages summarized, .* → /);
  await picture(panel, 'summarised-in-turn');
  expect({
    prompts: (await panel.prompts()).map(({ text }) => text),
    problems: refused(),
    errors: panel.workbench.errors(),
  }).toEqual({ prompts: ['Read a, b and c'], problems: [], errors: [] });
});
