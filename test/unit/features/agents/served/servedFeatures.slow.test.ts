import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AcpClient } from '../../../../support/acpClient';
import { ModernServer } from '../../../../support/mcp/modernServer';
import { reply } from '../../../../support/modelServer';
import { ServedAgent } from '../../../../support/servedAgent';
import { referenceServer } from '../../mcp/core/servers';

let bundle: Awaited<ReturnType<typeof ServedAgent.bundle>>;
let served: ServedAgent;
beforeAll(async () => (bundle = await ServedAgent.bundle()));
afterAll(() => bundle.remove());
beforeEach(async () => (served = await ServedAgent.create()));
afterEach(() => served.close());

async function started(capabilities: Readonly<Record<string, unknown>> = {}): Promise<AcpClient> {
  const client = served.start(bundle.folder);
  await client.initialize(false, capabilities);
  return client;
}

async function newSession(client: AcpClient, mcpServers: readonly object[] = [], cwd = served.folder): Promise<string> {
  const { sessionId } = await client.request('session/new', { cwd, mcpServers });
  return String(sessionId);
}

const updates = (client: AcpClient, kind: string) =>
  client.updates.filter(({ update }) => update.sessionUpdate === kind).map(({ update }) => update);

const allow = { outcome: { outcome: 'selected', optionId: 'allow' } };
const everything = {
  name: 'all',
  command: process.execPath,
  args: [referenceServer('everything')],
  env: [{ name: 'GIVEN', value: 'by the client' }],
};

test('prompt files are offered as commands after the session is known, and run as what they say', async () => {
  mkdirSync(join(served.folder, '.github', 'prompts'), { recursive: true });
  const text = '---\ndescription: Looks twice\nargument-hint: what\n---\nLook twice at ${input}.\n';
  writeFileSync(join(served.folder, '.github', 'prompts', 'twice.prompt.md'), text);
  served.server.script((request) => reply().says(request.outline.join(' ').includes('Look twice') ? 'Twice.' : 'No.'));
  const client = await started();
  const sessionId = await newSession(client);
  await client.until(() => updates(client, 'available_commands_update').length > 0);
  expect(updates(client, 'available_commands_update')[0]?.['availableCommands']).toEqual([
    { name: 'twice', description: 'Looks twice', input: { hint: 'what' } },
  ]);
  await client.prompt(sessionId, '/twice the tests');
  expect(client.texts().map(({ text: said }) => said)).toEqual(['Twice.']);
});

test('the title, the context and the tokens of a turn are told before its answer', async () => {
  served.server.script(reply().says('Hello.'));
  const client = await started();
  const sessionId = await newSession(client);
  const answer = await client.prompt(sessionId, 'Name me');
  const kinds = client.updates.map(({ update }) => update.sessionUpdate);
  const [usage] = updates(client, 'usage_update');
  expect({
    title: updates(client, 'session_info_update').map(({ title }) => title),
    size: usage?.['size'],
    isUsed: Number(usage?.['used']) > 0,
    last: kinds.at(-1),
    counts: Object.keys((answer['usage'] ?? {}) as object).sort(),
  }).toEqual({
    title: ['Name me'],
    size: 50_000,
    isUsed: true,
    last: 'usage_update',
    counts: ['cachedReadTokens', 'cachedWriteTokens', 'inputTokens', 'outputTokens', 'thoughtTokens', 'totalTokens'],
  });
});

test('the list of a folder has whole pages: others do not take its places', async () => {
  const elsewhere = join(served.home, 'elsewhere');
  mkdirSync(elsewhere);
  const client = served.start(bundle.folder, '--own');
  await client.initialize();
  served.server.otherwise(() => reply().says('Fine.'));
  await client.prompt(await newSession(client), 'Here');
  for (let n = 0; n < 51; n++) await client.prompt(await newSession(client, [], elsewhere), 'There');
  const list = (cwd: string | null, cursor?: unknown) =>
    client.request('session/list', { cwd, ...(cursor === undefined ? {} : { cursor }) });
  const titles = (page: Readonly<Record<string, unknown>>) =>
    (page['sessions'] as readonly { readonly title: string }[]).map(({ title }) => title);
  const here = await list(served.folder);
  const there = await list(elsewhere);
  const rest = await list(elsewhere, there['nextCursor']);
  expect([titles(here), here['nextCursor'], titles(there).length, titles(rest).length]).toEqual([
    ['Here'],
    undefined,
    50,
    1,
  ]);
});

test('a tool of a server of the client runs after an approval, in its session alone', async () => {
  served.server.script(reply().calls('mcp_all_get-env', {}), reply().says('Read.'), (request) =>
    reply().says(JSON.stringify(request.body).includes('mcp_all_') ? 'Has it.' : 'Has it not.'),
  );
  const client = await started();
  client.answers.set('session/request_permission', () => allow);
  const sessionId = await newSession(client, [everything]);
  await client.prompt(sessionId, 'Read the environment');
  await client.prompt(await newSession(client), 'And here?');
  const asked = client.requests[0]?.params['toolCall'] as { readonly title: string };
  expect(JSON.stringify(updates(client, 'tool_call_update').at(-1))).toContain('by the client');
  expect([asked.title, client.requests.length, client.texts().map(({ text }) => text)]).toEqual([
    expect.stringContaining('get-env'),
    1,
    ['Read.', 'Has it not.'],
  ]);
});

test('a server of a kind that is not taken costs that server only, and the client is told', async () => {
  served.server.script((request) =>
    reply().says(JSON.stringify(request.body).includes('mcp_all_') ? 'Has it.' : 'Has it not.'),
  );
  const client = await started({ session: { notices: {} } });
  const feed = { type: 'sse', name: 'feed', url: 'https://example.org/sse', headers: [] };
  const sessionId = await newSession(client, [feed, everything]);
  await client.prompt(sessionId, 'What have you?');
  const told = 'The MCP server “feed” is not used: servers of the kind “sse” are not supported.';
  expect({
    texts: client.texts().map(({ text }) => text),
    notices: updates(client, 'notice'),
    isNoted: client.stderr.includes(told),
  }).toEqual({
    texts: ['Has it.'],
    notices: [{ sessionUpdate: 'notice', severity: 'warning', title: told }],
    isNoted: true,
  });
});

test('a form of a server is shown by a client that can, and its answer goes to the server', async () => {
  served.server.script(reply().calls('mcp_all_trigger-elicitation-request', {}), reply().says('Asked.'));
  const client = await started({ elicitation: { form: {} } });
  client.answers.set('session/request_permission', () => allow);
  client.answers.set('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
  const sessionId = await newSession(client, [everything]);
  await client.prompt(sessionId, 'Ask me');
  const form = client.requests.find(({ method }) => method === 'elicitation/create')?.params;
  expect(form).toMatchObject({ sessionId, mode: 'form', requestedSchema: { type: 'object' } });
  expect(JSON.stringify(updates(client, 'tool_call_update').at(-1))).toContain('Ada');
});

test('a server over HTTP is used, with the headers of the client', async () => {
  const server = await new ModernServer().start();
  try {
    served.server.script(reply().calls('mcp_web_pid', {}), reply().says('Done.'));
    const client = await started();
    client.answers.set('session/request_permission', () => allow);
    const headers = [{ name: 'X-Key', value: 'of the client' }];
    const sessionId = await newSession(client, [{ type: 'http', name: 'web', url: server.url, headers }]);
    await client.prompt(sessionId, 'Use it');
    expect(server.ran).toEqual(['pid']);
  } finally {
    await server.stop();
  }
});
