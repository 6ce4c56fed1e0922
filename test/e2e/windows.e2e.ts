import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../support/modelServer';
import { readStateDb, waitFor } from '../support/vscode';
import { numberedWords } from './words';
import { scriptedVscode } from './scriptedVscode';
import { EXTENSION_ID } from './vscodeTest';

const { server, vscode, open, query } = await scriptedVscode();

test('two windows on one folder share one history, which moves to the window in use', async () => {
  server.script(reply().says('Answered in the first window.'));
  const first = await open();
  await first.send('First');
  await first.answered('Answered in the first window.');

  const second = await open();
  const taken = await second.waitForSettledAnswer('the first answer in the second window');
  await first.sees('Continued in another window');
  await first.button('Continue Here').click();
  await second.sees('Continued in another window');

  // While an answer is written here the other window is told so, and may stop it.
  const words = numberedWords('w', 3000);
  server.script(reply().says(words, { every: 20 }).hangs());
  await first.send('Second');
  await first.waitForAnswer('the first words', (text) => text.startsWith('w0001'));
  await second.button('Continue Here').click();
  await second.button(/Stop/).click();
  await second.waitForAnswer('the stopped answer in the second window', (text) => text.startsWith('w0001'));
  await first.sees('Continued in another window');
  const [row] = query(
    "SELECT m.content, t.stop_reason FROM messages m JOIN turns t ON t.uid = m.turn_uid WHERE m.content LIKE 'w0001%'",
  );
  const shown = await waitFor('the stopped answer to be whole', async () => {
    const text = await second.lastAnswer();
    return text === String(row?.['content']).trimEnd() ? text : undefined;
  });
  expect({
    taken: taken.text,
    prefix: words.startsWith(shown),
    reason: row?.['stop_reason'],
    stores: vscode()
      .workspaceStorageFolders(EXTENSION_ID)
      .filter((storage) => fs.existsSync(path.join(storage, 'state.db')))
      .flatMap((storage) => readStateDb(storage, 'SELECT count(*) AS n FROM sessions').map((count) => count['n'])),
  }).toEqual({ taken: 'Answered in the first window.', prefix: true, reason: 'user', stores: [1] });
});
