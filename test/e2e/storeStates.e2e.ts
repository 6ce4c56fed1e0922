import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { reply } from '../support/modelServer';
import { projectRoot, readStateDb, waitFor } from '../support/vscode';
import type { ChatPanel } from './chatPanel';
import { gate } from './gate';
import { storageWindows } from './storageWindows';
import { numberedWords } from './words';
import { scriptedVscode } from './scriptedVscode';

const { server, vscode } = await scriptedVscode();
server.otherwise(reply().says('Answered.'));
const mounted: string[] = [];
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

const pictures = path.join(projectRoot(), '.vscode-test/screenshots/store');
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
    await panel.ask(`Tell me of ${names[index] ?? ''}`, text);
  }
  return answers;
}

/** A prompt is answered with this. */
async function goesOn(panel: ChatPanel, answer = 'Answered.'): Promise<void> {
  server.script(reply().says(answer));
  await panel.ask('And go on', answer);
}

const halve = (file: string): void =>
  fs.truncateSync(file, Math.floor(fs.statSync(file).size / 2 / pageSize) * pageSize);

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

test('the file is cut to half during a running answer: the answer and the earlier history are whole, and the user is notified', async () => {
  const folder = await storage('cut');
  const panel = await panelOn(folder);
  const answers = await ask(panel, ['north', 'east']);
  const words = numberedWords('now', 600);
  const [first, rest] = [numberedWords('now', 100), gate()];
  server.script(reply().says(first, { every: 2 }).waitsFor(rest.opened).says(words.slice(first.length), { every: 10 }));
  await panel.send('Go on while the file is cut');
  await panel.waitForAnswer('the first words', (text) => text.startsWith('now0001'));
  rest.open();
  halve(mainIn(folder));
  await panel.answered(words);
  await panel.sees(/The session file had been cut off\. All of its contents were recovered/);
  await goesOn(panel);
  await waitFor(
    'all of it to be stored',
    () => JSON.stringify(texts(folder)) === JSON.stringify([...answers, words, 'Answered.']),
  );
  await leave(folder);
  const after = await panelOn(folder);
  await goesOn(after, 'Later.');
  expect({ stored: texts(folder), said: await after.frame.getByText(/damaged|cut off|emptied/).count() }).toEqual({
    stored: [...answers, words, 'Answered.', 'Later.'],
    said: 0,
  });
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
  test('a full disk: the answer stops with the reason, nothing unstored was shown, the next prompt stays in the composer, and Continue works once there is space', async () => {
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
    await panel.sees(/disk is full/).catch((error: unknown) => stopFilling().then(() => Promise.reject(error)));
    const shown = await panel.lastAnswer();
    const draft = await saidNothingSaved(panel);
    await panel.composer.fill('');
    await panel.workbench.screenshot(pictures, 'full-disk');
    await stopFilling();
    fs.rmSync(ballast);
    server.script(reply().says('The rest.'));
    await panel.frame.getByRole('button', { name: 'Continue', exact: true }).click();
    await panel.waitForAnswer('the answer after the disk is well again', (text) => text === 'The rest.');
    await panel.workbench.screenshot(pictures, 'continued');
    const stored = await waitFor('both answers to be stored', () =>
      [texts(folder)].find((answers) => answers.at(-1) === 'The rest.'),
    );
    expect({
      draft,
      shownIsStored: String(stored[1]).startsWith(shown.trimEnd()) && words.startsWith(shown.trimEnd()),
      turns: readStateDb(folder, 'SELECT stop_reason FROM turns ORDER BY id').map((row) => row['stop_reason']),
    }).toEqual({
      draft: 'Will this be kept?',
      shownIsStored: true,
      turns: ['stop', 'storeFailed', 'stop'],
    });
  });
