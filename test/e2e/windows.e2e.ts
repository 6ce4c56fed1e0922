import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../support/modelServer';
import { readStateDb, waitFor } from '../support/vscode';
import { numberedWords } from './words';
import { scriptedVscode } from './scriptedVscode';
import { EXTENSION_ID } from './vscodeTest';

const { server, vscode, open, query } = await scriptedVscode();

test('a second window reads the sessions of the first, and takes over with one button', async () => {
  server.script(reply().says('Answered in the first window.'));
  const first = await open();
  await first.send('First');
  await first.answered('Answered in the first window.');
  const words = numberedWords('w', 3000);
  server.script(reply().says(words, { every: 20 }).hangs());
  await first.send('Second');
  await first.waitForAnswer('the first words', (text) => text.startsWith('w0001'));

  // The answer goes on in the first window, and all of it so far can be read in the second.
  const second = await open();
  await second.sees('Your sessions are open in another window. You can read them here.');
  await second.waitForAnswer('the running answer in the second window', (text) => text.startsWith('w0001'));
  await second.send('Third');
  await second.sees('Choose Take Over to continue here.');

  await second.button('Take Over').click();
  await first.sees('Your sessions are open in another window. You can read them here.');
  await second.frame.getByText('Choose Take Over to continue here.').waitFor({ state: 'hidden' });
  const [row] = query(
    "SELECT m.content, t.stop_reason FROM messages m JOIN turns t ON t.uid = m.turn_uid WHERE m.content LIKE 'w0001%'",
  );
  const stored = String(row?.['content']).trimEnd();
  const shown = await waitFor('the stopped answer to be whole in both windows', async () => {
    const texts = [await first.lastAnswer(), await second.lastAnswer()];
    return texts.every((text) => text === stored) ? stored : undefined;
  });

  // A reload of the window in use keeps the history there.
  const reloaded = await second.reload();
  await reloaded.waitForAnswer('the answer after the reload', (text) => text === stored);
  await reloaded.frame.getByText('open in another window').waitFor({ state: 'hidden' });
  await first.sees('Your sessions are open in another window. You can read them here.');
  expect({
    prefix: words.startsWith(shown),
    reason: row?.['stop_reason'],
    stores: vscode()
      .workspaceStorageFolders(EXTENSION_ID)
      .filter((storage) => fs.existsSync(path.join(storage, 'state.db')))
      .flatMap((storage) => readStateDb(storage, 'SELECT count(*) AS n FROM sessions').map((count) => count['n'])),
  }).toEqual({ prefix: true, reason: 'user', stores: [1] });
});
