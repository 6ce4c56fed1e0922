import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, reply, startModelServer } from '../support/modelServer';
import { readStateDb, waitFor } from '../support/vscode';
import type { ChatPanel } from './chatPanel';
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
/** File systems of a test's own need rights that not every machine gives. */
const mayMount = process.getuid?.() === 0 && process.platform === 'linux';

const { panelOn, leave, storage, keptIn } = storageWindows(vscode);

function sql(folder: string, statements: string): void {
  const script = `const { DatabaseSync } = require('node:sqlite'); const db = new DatabaseSync(process.argv[1]); db.exec(process.argv[2]); db.close();`;
  execFileSync(vscode().node24, ['--no-warnings', '-e', script, path.join(folder, 'state.db'), statements]);
}

const saidNothingSaved = async (panel: ChatPanel): Promise<string> => {
  await panel.send('Will this be kept?');
  return waitFor('the prompt to be refused', async () =>
    [await panel.composer.inputValue()].find((text) => text === 'Will this be kept?'),
  );
};

test('a storage folder changed in an open window is used, or the window says where its sessions are', async () => {
  const [first, second] = [await storage('movedFrom'), await storage('movedTo')];
  const panel = await panelOn(first);
  vscode().machineSettings.update({ 'hermes.storage.path': path.dirname(second) });
  const stays = panel.frame.getByText(/still saves sessions in/);
  // A window that has been up for long by now, on a slow machine, does not move any more.
  const [kept = first, other = first] = await waitFor('the window to move or to say that it stays', async () => {
    if (keptIn().at(-1) === second) return [second, first];
    return (await stays.count()) > 0 ? [first, second] : undefined;
  });
  await panel.send('Where is this kept?');
  await panel.waitForAnswer('the answer', (text) => text === 'Answered.');
  vscode().machineSettings.update({ 'hermes.storage.path': path.dirname(other) });
  await panel.sees(new RegExp(`still saves sessions in .*${path.basename(path.dirname(kept))}/`));
  const prompts = (folder: string) =>
    fs.existsSync(path.join(folder, 'state.db'))
      ? readStateDb(folder, "SELECT content FROM messages WHERE role = 'user'")
      : [];
  expect({
    other: prompts(other),
    held: fs.existsSync(path.join(other, 'state.db.lock')),
    kept: prompts(kept),
  }).toEqual({
    other: [],
    held: false,
    kept: [{ content: 'Where is this kept?' }],
  });
});

test('a foreign state.db is refused in words and left unchanged', async () => {
  const folder = await storage('foreign');
  sql(folder, "CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('bread')");
  const before = fs.readFileSync(path.join(folder, 'state.db'));
  const panel = await panelOn(folder);
  await panel.sees(/another program|not (a|made by) Hermes|belongs to/i);
  expect({
    draft: await saidNothingSaved(panel),
    untouched: fs.readFileSync(path.join(folder, 'state.db')).equals(before),
  }).toEqual({ draft: 'Will this be kept?', untouched: true });
});

test('a state.db of a newer version is refused in words and left unchanged', async () => {
  const folder = await storage('newer');
  const first = await panelOn(folder);
  await first.send('Hello');
  await first.waitForAnswer('the answer', (text) => text === 'Answered.');
  await leave(folder);
  sql(folder, 'PRAGMA user_version = 9999');
  const before = fs.readFileSync(path.join(folder, 'state.db'));
  const panel = await panelOn(folder);
  await panel.sees(/newer version of Hermes/);
  expect(fs.readFileSync(path.join(folder, 'state.db')).equals(before)).toBe(true);
});

test('a damaged state.db is set aside, its readable content is there, and the user learns where the old file is', async () => {
  const folder = await storage('damaged');
  const first = await panelOn(folder);
  await first.send('Remember this prompt');
  await first.waitForAnswer('the answer', (text) => text === 'Answered.');
  await leave(folder);
  fs.truncateSync(
    path.join(folder, 'state.db'),
    Math.floor(fs.statSync(path.join(folder, 'state.db')).size / 4096 / 2) * 4096,
  );
  const panel = await panelOn(folder);
  await panel.sees(/damaged/);
  await panel.send('And go on');
  await panel.waitForAnswer('the next answer', (text) => text === 'Answered.');
  expect(fs.readdirSync(folder).filter((name) => name.startsWith('state.corrupt-')).length).toBeGreaterThan(0);
});

test('a file that is no database is set aside whole, and a new history starts', async () => {
  const folder = await storage('garbage');
  fs.writeFileSync(path.join(folder, 'state.db'), 'this is not a database '.repeat(1000));
  const panel = await panelOn(folder);
  await panel.sees(/set aside/);
  await panel.send('Hello');
  await panel.waitForAnswer('the answer', (text) => text === 'Answered.');
  const kept = fs.readdirSync(folder).find((name) => name.startsWith('state.corrupt-') && name.endsWith('.db'));
  expect(fs.readFileSync(path.join(folder, kept ?? 'none'), 'utf8').startsWith('this is not a database')).toBe(true);
});

test('a directory in place of state.db is reported as a directory', async () => {
  const folder = await storage('directory');
  fs.mkdirSync(path.join(folder, 'state.db'));
  const panel = await panelOn(folder);
  await panel.sees(/folder|directory/i);
  expect(await saidNothingSaved(panel)).toBe('Will this be kept?');
});

if (mayMount)
  test('read-only storage: everything can be read, nothing is sent, and the sentence says what to do', async () => {
    const folder = await storage('readOnly');
    const first = await panelOn(folder);
    await first.send('Written before');
    await first.waitForAnswer('the answer', (text) => text === 'Answered.');
    await leave(folder);
    execFileSync('mount', ['--bind', folder, folder]);
    mounted.push(folder);
    execFileSync('mount', ['-o', 'remount,ro,bind', folder]);
    const panel = await panelOn(folder);
    await panel.sees(/cannot be written to/);
    const draft = await saidNothingSaved(panel);
    expect({ draft, requests: server.requests.at(-1)?.body['messages'] !== undefined }).toEqual({
      draft: 'Will this be kept?',
      requests: true,
    });
  });

/** Takes every byte that is left on the disk of this file, again and again: the store empties its log when it meets a full disk, and goes on with
 *  that room as long as it is there. A process of its own, which waits for nothing that a test waits for. Returns what ends it. */
function keepFull(file: string): () => Promise<void> {
  const program = `
    const fs = require('node:fs');
    setInterval(() => {
      for (const bytes of [64 * 1024, 4096]) {
        try {
          for (;;) fs.appendFileSync(process.argv[1], new Uint8Array(bytes));
        } catch (error) {
          if (error.code !== 'ENOSPC') throw error;
        }
      }
    }, 5);`;
  const filling = spawn(process.execPath, ['-e', program, file], { stdio: 'inherit' });
  const ended = new Promise<void>((resolve) => filling.once('exit', () => resolve()));
  return () => (filling.kill('SIGKILL'), ended);
}

if (mayMount)
  test('a full disk: the answer continues outside the store, the user is notified, and all of it is stored when there is space again', async () => {
    const folder = await storage('full');
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', folder]);
    mounted.push(folder);
    const panel = await panelOn(folder);
    await panel.send('Hello');
    await panel.waitForAnswer('the answer', (text) => text === 'Answered.');
    const words = numberedWords('full', 2500);
    const [first, rest] = [numberedWords('full', 200), gate()];
    server.script(
      reply().says(first, { every: 2 }).waitsFor(rest.opened).says(words.slice(first.length), { every: 2 }),
    );
    await panel.send('Fill it');
    await panel.waitForAnswer('the first words', (text) => text.startsWith('full0001'));
    const ballast = path.join(folder, 'ballast');
    const stopFilling = keepFull(ballast);
    await waitFor('the disk to be full', () => fs.statfsSync(folder).bavail === 0);
    rest.open();
    await panel.sees(/disk is full/).finally(stopFilling);
    const shown = await panel.lastAnswer();
    fs.rmSync(ballast);
    await waitFor(
      'the turn to be closed in the store',
      () => readStateDb(folder, "SELECT uid FROM turns WHERE state = 'settled'").length === 2 || undefined,
      { timeoutMs: 120_000 },
    );
    await panel.sees(/saved in its session now/);
    const [row] = readStateDb(folder, "SELECT content FROM messages WHERE role = 'assistant' AND content LIKE 'full%'");
    await panel.send('And now?');
    await panel.waitForAnswer('the answer after the disk is well again', (text) => text === 'Answered.');
    const notices = await panel.frame.getByText(/disk is full|saved in its session now/).count();
    expect({
      shownIsStored: words.startsWith(shown),
      whole: String(row?.['content']).trimEnd() === words.trimEnd(),
      notices,
    }).toEqual({ shownIsStored: true, whole: true, notices: 0 });
  });
