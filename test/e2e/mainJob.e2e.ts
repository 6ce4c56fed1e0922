import { expect } from 'vitest';
import { reply } from '../support/modelServer';
import { readStateDb, type Row } from '../support/vscode';
import { estimateTokens } from '../../src/transcript/contextUse';
import { ChatPanel } from './chatPanel';
import { gate } from './gate';
import { numberedWords } from './words';
import { scriptedSettings, scriptedVscode } from './scriptedVscode';
import { EXTENSION_ID, test } from './vscodeTest';

const { server, vscode, open, query } = await scriptedVscode();
let panel: ChatPanel | undefined;

/** The one window with a new session. Loads it again where the protocol changes: settings of the user are read then. */
async function newSession(protocol: 'openai' | 'anthropic'): Promise<ChatPanel> {
  const isOther = !JSON.stringify(vscode().settings.read()).includes(`"${protocol}"`);
  vscode().settings.update(scriptedSettings(server, { protocol }));
  panel = panel !== undefined && isOther ? await panel.reload() : (panel ?? (await open()));
  await panel.newSession();
  return panel;
}

/** Rows of the turn that was begun last. */
const stored = (columns: string): readonly Row[] =>
  query(
    `SELECT ${columns} FROM messages m JOIN turns t ON t.uid = m.turn_uid WHERE m.active = 1 AND t.id = (SELECT max(id) FROM turns) ORDER BY m.position`,
  );

for (const protocol of ['anthropic', 'openai'] as const) {
  test(`a prompt is answered, streaming, over the ${protocol} protocol, and is there after a reload`, async () => {
    const words = numberedWords('w', 120);
    const first = numberedWords('w', 30);
    const rest = gate();
    server.script(
      reply()
        .thinks('Let me count.')
        .says(first, { every: 15 })
        .waitsFor(rest.opened)
        .says(words.slice(first.length), { every: 15 }),
    );
    const panel = await newSession(protocol);
    const { workbench } = panel;
    const before = server.requests.length;
    await panel.send('Count, please.');
    const early = await panel.waitForAnswer('the first words', (text) => text.length > 0);
    rest.open();
    await panel.answered(words);
    const again = await panel.reload();
    const reloaded = await again.waitForSettledAnswer('the answer after the reload');
    expect({
      streamed: words.startsWith(early) && early.length < words.length,
      reloaded: reloaded.text === words,
      prompts: (await again.prompts()).map(({ text }) => text),
      stored: stored('m.role, m.content, m.state'),
      requests: server.requests.slice(before).map((request) => [request.protocol, request.rejection]),
      refusedByPolicy: workbench.console.filter((line) => /Content Security Policy/.test(line)),
    }).toEqual({
      streamed: true,
      reloaded: true,
      prompts: ['Count, please.'],
      stored: [
        { role: 'user', content: 'Count, please.', state: 'final' },
        { role: 'assistant', content: words, state: 'final' },
      ],
      requests: [[protocol, null]],
      refusedByPolicy: [],
    });
  });
}

test('the first request of a new session has our own tools only, and at most 4,500 tokens', async () => {
  server.script(reply().says('Hello.'));
  const panel = await newSession('openai');
  const before = server.requests.length;
  await panel.send('Hello');
  await panel.answered('Hello.');
  const { body } = server.requests[before] ?? {};
  const tools = JSON.stringify(body?.['tools']);
  expect({
    ours: tools.includes('"name":"read_file"'),
    foreign: tools.match(/"name":"(?:ext|mcp)_\w+"/g),
    tokens: Math.max(4500, estimateTokens(JSON.stringify(body))),
  }).toEqual({ ours: true, foreign: null, tokens: 4500 });
});

test('a reload in the middle of an answer neither loses nor doubles text', async () => {
  const words = numberedWords('w', 400);
  server.script(reply().says(words.slice(0, 2000), { every: 25 }).hangs());
  const panel = await newSession('openai');
  await panel.send('Count, please.');
  const shown = await panel.waitForAnswer('some words', (text) => text.length > 200);
  const again = await panel.reload();
  const reloaded = await again.waitForSettledAnswer(
    'the words after the reload',
    (text) => text.length >= shown.length,
  );
  const row = stored('m.content, t.stop_reason AS reason').at(-1);
  expect({
    keptAll: reloaded.text.startsWith(shown),
    prefix: words.startsWith(reloaded.text),
    stored: String(row?.['content']).trimEnd() === reloaded.text,
    reason: row?.['reason'],
  }).toEqual({
    keptAll: true,
    prefix: true,
    stored: true,
    reason: 'windowClosed',
  });
});

test('the browser is closed and opened again at once: the same sessions are there after a handover', async ({
  startVscode,
}) => {
  server.script(reply().says('The answer is stored.'), reply().says('The next one, too.'));
  // The old extension host stays alive, as it does for a person who closes the window.
  const lasting = await startVscode({ settings: scriptedSettings(server), reconnectionGraceSeconds: 600 });
  const folder = lasting.sampleFolder();
  const panel = await ChatPanel.open(await lasting.open(folder));
  await panel.send('Are you there?');
  await panel.answered('The answer is stored.');
  const oldHost = await lasting.extensionHostPid();
  await lasting.reopenBrowser();
  const next = await ChatPanel.open(await lasting.open(folder));
  const { text } = await next.waitForSettledAnswer('the same session in the new window');
  await next.send('And now?');
  await next.answered('The next one, too.');
  const stores = lasting
    .workspaceStorageFolders(EXTENSION_ID)
    .map((storage) =>
      readStateDb(storage, 'SELECT count(*) AS n FROM messages WHERE active = 1').map((row) => row['n']),
    );
  expect({
    oldHostLives: lasting.server.extensionHostPids().includes(oldHost),
    text,
    stores: stores.flat().filter((count) => count !== 0),
  }).toEqual({
    oldHostLives: true,
    text: 'The answer is stored.',
    stores: [4],
  });
});
