import { expect } from 'vitest';
import { reply, startModelServer } from '../support/modelServer';
import { readStateDb, waitFor } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { EXTENSION_ID, test } from './vscodeTest';
import { numberedWords } from './words';

for (const protocol of ['openai', 'anthropic'] as const) {
  test(`a prompt is answered, streaming, over the ${protocol} protocol, and is there after a reload`, async ({ startVscode }) => {
    const server = await startModelServer();
    try {
      const words = numberedWords('w', 120);
      server.otherwise(reply().thinks('Let me count.').says(words, { every: 15 }));
      const vscode = await startVscode({
        settings: { 'hermes.providers': [{ name: 'Local', protocol, baseUrl: server.url, models: [{ id: 'test-model' }] }], 'hermes.model': 'Local/test-model' },
      });
      const workbench = await vscode.open(vscode.sampleFolder());
      const panel = await ChatPanel.open(workbench);
      await panel.send('Count, please.');
      const early = await panel.waitForAnswer('the first words', (text) => text.length > 0);
      const answered = await panel.waitForAnswer('the whole answer', (text) => text === words);
      await workbench.reload();
      const again = await ChatPanel.attach(workbench);
      const reloaded = await again.waitForAnswer('the answer after the reload', (text) => text !== '');
      const [folder] = vscode.workspaceStorageFolders(EXTENSION_ID);
      expect({
        streamed: early.length < answered.length,
        reloaded: reloaded === words,
        prompts: (await again.prompts()).map(({ text }) => text),
        stored: readStateDb(folder ?? '', "SELECT role, content, state FROM messages WHERE active = 1 ORDER BY position"),
        refused: server.requests.map((request) => request.rejection),
        refusedByPolicy: workbench.console.filter((line) => /Content Security Policy/.test(line)),
      }).toEqual({
        streamed: true,
        reloaded: true,
        prompts: ['Count, please.'],
        stored: [
          { role: 'user', content: 'Count, please.', state: 'final' },
          { role: 'assistant', content: words, state: 'final' },
        ],
        refused: [null],
        refusedByPolicy: [],
      });
    } finally {
      await server.close();
    }
  });
}

test('a reload in the middle of an answer neither loses nor doubles text', async ({ startVscode }) => {
  const server = await startModelServer();
  try {
    const words = numberedWords('w', 400);
    server.otherwise(reply().says(words, { every: 25 }));
    const vscode = await startVscode({
      settings: { 'hermes.providers': [{ name: 'Local', protocol: 'openai', baseUrl: server.url, models: [{ id: 'test-model' }] }], 'hermes.model': 'Local/test-model' },
    });
    const workbench = await vscode.open(vscode.sampleFolder());
    const panel = await ChatPanel.open(workbench);
    await panel.send('Count, please.');
    const shown = await panel.waitForAnswer('some words', (text) => text.length > 200);
    await workbench.reload();
    const again = await ChatPanel.attach(workbench);
    const reloaded = await again.waitForAnswer('the words after the reload', (text) => text.length >= shown.length);
    const [folder] = vscode.workspaceStorageFolders(EXTENSION_ID);
    const [row] = readStateDb(folder ?? '', "SELECT content, (SELECT stop_reason FROM turns) AS reason FROM messages WHERE role = 'assistant'");
    expect({ keptAll: reloaded.startsWith(shown), prefix: words.startsWith(reloaded), stored: row?.['content'] === reloaded || String(row?.['content']).trimEnd() === reloaded, reason: row?.['reason'] }).toEqual({
      keptAll: true,
      prefix: true,
      stored: true,
      reason: 'windowClosed',
    });
  } finally {
    await server.close();
  }
});

test('the browser is closed and opened again at once: the same sessions are there after a hand-over', async ({ startVscode }) => {
  const server = await startModelServer();
  try {
    server.otherwise(reply().says('The answer is stored.'));
    const vscode = await startVscode({
      settings: { 'hermes.providers': [{ name: 'Local', protocol: 'openai', baseUrl: server.url, models: [{ id: 'test-model' }] }], 'hermes.model': 'Local/test-model' },
      // The old extension host stays alive, as it does for a person who closes the window.
      reconnectionGraceSeconds: 600,
    });
    const folder = vscode.sampleFolder();
    const panel = await ChatPanel.open(await vscode.open(folder));
    await panel.send('Are you there?');
    await panel.waitForAnswer('the answer', (text) => text === 'The answer is stored.');
    const oldHost = await vscode.extensionHostPid();
    await vscode.reopenBrowser();
    const next = await ChatPanel.open(await vscode.open(folder));
    const text = await next.waitForAnswer('the same session in the new window', (answer) => answer !== '', 60_000);
    await next.send('And now?');
    await waitFor('the second answer', async () => ((await next.answers()).length === 2 ? true : undefined));
    const stores = vscode.workspaceStorageFolders(EXTENSION_ID).map((storage) => readStateDb(storage, "SELECT count(*) AS n FROM messages WHERE active = 1").map((row) => row['n']));
    expect({ oldHostLives: vscode.server.extensionHostPids().includes(oldHost), text, stores: stores.flat().filter((count) => count !== 0) }).toEqual({
      oldHostLives: true,
      text: 'The answer is stored.',
      stores: [4],
    });
  } finally {
    await server.close();
  }
});
