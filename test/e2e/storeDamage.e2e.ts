import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, reply, startModelServer } from '../support/modelServer';
import { readStateDb, waitFor } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { gate } from './gate';
import { storageWindows } from './storageWindows';
import { sharedVscode } from './vscodeTest';
import { numberedWords } from './words';

let server: ModelServer;
const mounted: string[] = [];
beforeAll(async () => {
  server = await startModelServer();
  server.otherwise(reply().says('Answered.'));
});
afterAll(() => server.close());

const vscode = sharedVscode(() => ({
  settings: {
    'hermes.providers': [{ name: 'Local', protocol: 'openai', baseUrl: server.url, models: [{ id: 'test-model' }] }],
    'hermes.model': 'Local/test-model',
  },
}));
// Declared after the shared VS Code, so it runs before that removes its folder.
afterAll(() => {
  for (const folder of mounted) execFileSync('umount', ['-l', folder]);
});
const { panelOn, leave, storage } = storageWindows(vscode);
/** File systems of a test's own need rights that not every machine gives. */
const mayMount = process.getuid?.() === 0 && process.platform === 'linux';

const pageSize = 4096;
const mainIn = (folder: string): string => path.join(folder, 'state.db');
const texts = (folder: string): readonly string[] =>
  readStateDb(folder, "SELECT content FROM messages WHERE role = 'assistant' ORDER BY position").map((row) =>
    String(row['content']),
  );

/** Asks until there are so many answers of several pages each, and returns them. */
async function ask(panel: ChatPanel, names: readonly string[]): Promise<readonly string[]> {
  const answers = names.map((name) => numberedWords(name, 700));
  for (const [index, text] of answers.entries()) {
    server.script(reply().says(text));
    await panel.send(`Tell me of ${names[index] ?? ''}`);
    await panel.waitForSettledAnswer('the answer', (shown) => shown === text);
  }
  return answers;
}

function spoil(folder: string, page: number): void {
  const bytes = fs.readFileSync(mainIn(folder));
  fs.writeFileSync(mainIn(folder), bytes.fill(0x5a, (page - 1) * pageSize, page * pageSize));
}

const pageWith = (folder: string, text: string): number =>
  Math.floor(fs.readFileSync(mainIn(folder)).indexOf(text) / pageSize) + 1;

/** A prompt is answered with this. */
async function goesOn(panel: ChatPanel, answer = 'Answered.'): Promise<void> {
  server.script(reply().says(answer));
  await panel.send('And go on');
  await panel.waitForSettledAnswer('the next answer', (text) => text === answer);
}

test('a page damaged while the window is closed is repaired by the next window, which asks nothing and says so', async () => {
  const folder = await storage('page');
  await ask(await panelOn(folder), ['north', 'east', 'south', 'west']);
  await leave(folder);
  spoil(folder, pageWith(folder, 'south0300'));
  const panel = await panelOn(folder);
  await panel.sees(/The session file was damaged\. What could be read is here/);
  await goesOn(panel);
  const stored = texts(folder);
  expect({
    whole: ['north', 'east', 'west'].map((name) => stored.includes(numberedWords(name, 700))),
    kept: fs.readdirSync(folder).some((name) => name.startsWith('state.corrupt-')),
    notices: await panel.frame.getByRole('button', { name: 'Try Again' }).count(),
  }).toEqual({
    whole: [true, true, true],
    kept: true,
    notices: 0,
  });
});

test('a damaged page of the search index is repaired silently', async () => {
  const folder = await storage('index');
  const answers = await ask(await panelOn(folder), ['north', 'east']);
  await leave(folder);
  for (const { rootpage } of readStateDb(
    folder,
    "SELECT rootpage FROM sqlite_master WHERE name IN ('messages_fts_stat', 'messages_fts_docsize')",
  ))
    spoil(folder, Number(rootpage));
  const panel = await panelOn(folder);
  await goesOn(panel);
  await waitFor(
    'the new rows to be indexed',
    () => readStateDb(folder, 'SELECT count(*) AS n FROM search_dirty')[0]?.['n'] === 0,
  );
  expect({
    stored: texts(folder),
    said: await panel.frame.getByText(/damaged/).count(),
    files: fs.readdirSync(folder).filter((name) => /corrupt|damaged/.test(name)),
  }).toEqual({ stored: [...answers, 'Answered.'], said: 0, files: [] });
});

const halve = (file: string): void =>
  fs.truncateSync(file, Math.floor(fs.statSync(file).size / 2 / pageSize) * pageSize);

test.each([
  ['file is cut to half', 'state.db', halve, /The session file had been cut off\. Everything in it was read again/],
  ['log is cut to half', 'state.db.wal', halve, /The session file was damaged\./],
  ['file is emptied', 'state.db', (file: string) => fs.truncateSync(file, 0), /The session file had been emptied\./],
  [
    'file is written over in place',
    'state.db',
    (file: string) => fs.writeFileSync(file, 'this is not a database '.repeat(100)),
    /The session file (?:was damaged|had been cut off)\./,
  ],
])(
  'the %s during a running answer: the answer and the earlier history are whole, and the user is notified',
  async (name, file, spoiled, sentence) => {
    const folder = await storage(name.replaceAll(' ', '-'));
    const panel = await panelOn(folder);
    const answers = await ask(panel, ['north', 'east']);
    const words = numberedWords('now', 600);
    const [first, rest] = [numberedWords('now', 100), gate()];
    server.script(
      reply().says(first, { every: 2 }).waitsFor(rest.opened).says(words.slice(first.length), { every: 10 }),
    );
    await panel.send('Go on while the file is cut');
    await panel.waitForAnswer('the first words', (text) => text.startsWith('now0001'));
    rest.open();
    // A store that is idle for a second empties its log into the file: an empty log cannot be cut.
    await waitFor('something to cut', () => fs.statSync(path.join(folder, file)).size > 4 * pageSize);
    spoiled(path.join(folder, file));
    await panel.waitForSettledAnswer('the whole answer', (text) => text === words);
    await panel.sees(sentence);
    await goesOn(panel);
    await waitFor(
      'all of it to be stored',
      () => JSON.stringify(texts(folder)) === JSON.stringify([...answers, words, 'Answered.']),
    );
    await leave(folder);
    const after = await panelOn(folder);
    await goesOn(after, 'Later.');
    expect({ stored: texts(folder), said: await after.frame.getByText(/damaged|cut short|emptied/).count() }).toEqual({
      stored: [...answers, words, 'Answered.', 'Later.'],
      said: 0,
    });
  },
);

test('a page damaged in an open window is repaired as soon as it is read, and the window continues', async () => {
  const folder = await storage('page-open');
  const first = await panelOn(folder);
  await ask(first, ['south']);
  const [workbench] = vscode().workbenches;
  await workbench?.runCommand('Hermes: New Session');
  await first.sees('Try asking');
  const answers = await ask(first, ['north', 'east']);
  await leave(folder);
  const panel = await panelOn(folder);
  await panel.waitForSettledAnswer('the newest answer', (text) => text === answers.at(-1));
  spoil(folder, pageWith(folder, 'south0300'));
  await workbench?.runAndChoose('Hermes: Resume Session', 'Tell me of south');
  await panel.sees(/The session file was damaged\. What could be read is here/);
  await workbench?.runAndChoose('Hermes: Resume Session', 'Tell me of north');
  await panel.waitForSettledAnswer('the newest answer again', (text) => text === answers.at(-1));
  await goesOn(panel);
  const stored = texts(folder);
  expect([...answers, 'Answered.'].filter((text) => stored.includes(text))).toEqual([...answers, 'Answered.']);
});

test('a file cut in half while the window is closed is reported, and the rest of it is restored', async () => {
  const folder = await storage('cut-closed');
  await ask(await panelOn(folder), ['north', 'east', 'south', 'west']);
  await leave(folder);
  halve(mainIn(folder));
  const panel = await panelOn(folder);
  await panel.sees(/The session file had been cut off\./);
  await goesOn(panel);
  expect(fs.readdirSync(folder).some((name) => name.startsWith('state.corrupt-'))).toBe(true);
});

test('a file cut in half, whose window dies before it notices: the log still holds the last saves, and everything is restored', async () => {
  const folder = await storage('cut-killed');
  const panel = await panelOn(folder);
  const answers = await ask(panel, ['north', 'east']);
  halve(mainIn(folder));
  const pid = await vscode().extensionHostPid();
  await vscode().killExtensionHost();
  await vscode().waitForNewExtensionHost(pid);
  const [workbench] = vscode().workbenches;
  if (workbench === undefined) throw new Error('No window is open');
  await workbench.reload();
  const after = await ChatPanel.attach(workbench);
  await goesOn(after);
  expect(texts(folder)).toEqual([...answers, 'Answered.']);
});

test('a file emptied while the window is closed does not silently start a new history', async () => {
  const folder = await storage('emptied');
  await ask(await panelOn(folder), ['north']);
  await leave(folder);
  fs.truncateSync(mainIn(folder), 0);
  const panel = await panelOn(folder);
  await panel.sees(/The session file was empty when it was opened: another program emptied or replaced it/);
  await goesOn(panel);
});

test('a file that lost its first page while the window is closed is completely restored', async () => {
  const folder = await storage('firstPage');
  const answers = await ask(await panelOn(folder), ['north', 'east']);
  await leave(folder);
  spoil(folder, 1);
  const panel = await panelOn(folder);
  await panel.sees(/The session file was damaged\. Everything in it was read again/);
  await goesOn(panel);
  expect(texts(folder)).toEqual([...answers, 'Answered.']);
});

if (mayMount)
  test('a full disk after a crash: the history can be read, and saving continues as soon as there is room', async () => {
    const folder = await storage('fullAfterCrash');
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder]);
    mounted.push(folder);
    const first = await panelOn(folder);
    const [answer] = await ask(first, ['north']);
    for (const pid of vscode().server.extensionHostPids()) process.kill(pid, 'SIGKILL');
    const ballast = path.join(folder, 'ballast');
    fs.writeFileSync(ballast, '');
    for (const bytes of [64 * 1024, 4096, 1]) {
      try {
        for (;;) fs.appendFileSync(ballast, new Uint8Array(bytes));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      }
    }
    const panel = await panelOn(folder);
    await panel.sees(/The disk is full, so nothing can be saved now\. What was saved before can be read\./);
    await panel.waitForAnswer('the answer of before', (text) => text === answer);
    fs.rmSync(ballast);
    await panel.frame
      .getByText(/The disk is full/)
      .first()
      .waitFor({ state: 'detached' });
    await goesOn(panel);
    expect(texts(folder)).toEqual([answer, 'Answered.']);
  });
