import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AcpClient } from '../../../../support/acpClient';
import { reply } from '../../../../support/modelServer';
import { ServedAgent } from '../../../../support/servedAgent';

/** `hermes-agent acp` as a process, driven by a client that was written from the specification. */

let bundle: Awaited<ReturnType<typeof ServedAgent.bundle>>;
let served: ServedAgent;
beforeAll(async () => (bundle = await ServedAgent.bundle()));
afterAll(() => bundle.remove());
beforeEach(async () => (served = await ServedAgent.create()));
afterEach(() => served.close());

const words = (count: number, from = 1): string =>
  Array.from({ length: count }, (_, index) => `w${from + index} `).join('');

async function started(fs = false, ...options: readonly string[]): Promise<AcpClient> {
  const client = served.start(bundle.folder, ...options);
  await client.initialize(fs);
  return client;
}

async function newSession(client: AcpClient): Promise<string> {
  const { sessionId } = await client.request('session/new', { cwd: served.folder, mcpServers: [] });
  return String(sessionId);
}

const load = (client: AcpClient, sessionId: string, method = 'session/load') =>
  client.request(method, { sessionId, cwd: served.folder, mcpServers: [] });

/** A replay without the prompts, which a client shows by itself while they run. */
const answersOf = (client: AcpClient) =>
  client.updates
    .map(({ update }) => update)
    .filter(
      ({ sessionUpdate, status }) =>
        sessionUpdate === 'tool_call' || (sessionUpdate === 'tool_call_update' && status !== 'in_progress'),
    );

test('a session streams, is listed, and is replayed with the same text and ids', async () => {
  writeFileSync(join(served.folder, 'a.txt'), 'Hello\n');
  served.server.script(
    reply().thinks('Let me look. ').calls('read_file', { path: 'a.txt' }),
    reply().says(words(30), { every: 2 }),
    reply().says('Again.'),
  );
  const client = await started();
  const sessionId = await newSession(client);
  const before = await client.request('session/list', { cwd: served.folder });
  const answer = await client.prompt(sessionId, 'Read it');
  await client.prompt(sessionId, 'And again');
  const list = await client.request('session/list', { cwd: served.folder });
  await client.close();

  const next = await started();
  await load(next, sessionId);
  const resumed = await started(false, '--own');
  expect({
    before: before['sessions'],
    stopReason: answer['stopReason'],
    title: (list['sessions'] as readonly { readonly title: string }[])[0]?.title,
    text: client.texts().map(({ text }) => text.trim().split(' ').length),
    calls: answersOf(client).map(({ sessionUpdate, status }) => `${sessionUpdate} ${String(status)}`),
    prompts: next.texts('user_message_chunk').map(({ text }) => text),
    stray: [...client.strayLines, ...next.strayLines],
    exit: client.exitCode,
  }).toEqual({
    before: [],
    stopReason: 'end_turn',
    title: 'Read it',
    text: [30, 1],
    calls: ['tool_call pending', 'tool_call_update completed'],
    prompts: ['Read it', 'And again'],
    stray: [],
    exit: 0,
  });
  expect([next.texts(), next.texts('agent_thought_chunk'), answersOf(next)]).toEqual([
    client.texts(),
    client.texts('agent_thought_chunk'),
    answersOf(client),
  ]);
  await resumed.close();
});

test.each([30, 120])('a kill in the middle of an answer loses no shown word (%i)', async (shownWords) => {
  served.server.script(reply().says(words(400), { every: 3 }), reply().says('Fine.'));
  const client = await started();
  const sessionId = await newSession(client);
  void client.prompt(sessionId, 'Count');
  const shown = (): string => client.texts()[0]?.text ?? '';
  await client.until(() => shown().split(' ').length > shownWords);
  await client.kill();

  const next = await started();
  await load(next, sessionId);
  const [answer] = next.texts();
  await next.prompt(sessionId, 'Go on');
  expect({
    id: answer?.id,
    // Stored is at least what was shown; what was stored and not yet shown may follow.
    isShown: answer?.text.startsWith(shown()),
    isInOrder: words(400).startsWith(answer?.text ?? 'none'),
    prompts: next.texts('user_message_chunk').map(({ text }) => text),
    isSent: served.server.requests.at(-1)?.outline.some((line) => line.includes(shown().trim())),
  }).toEqual({ id: client.texts()[0]?.id, isShown: true, isInOrder: true, prompts: ['Count'], isSent: true });
});

test('a resumed session replays nothing and goes on', async () => {
  served.server.script(reply().says('One.'), (request) => reply().says(`You sent ${request.outline.length} lines.`));
  const client = await started();
  const sessionId = await newSession(client);
  await client.prompt(sessionId, 'First');
  await client.close();
  const next = await started();
  await load(next, sessionId, 'session/resume');
  expect(next.updates).toEqual([]);
  await next.prompt(sessionId, 'Second');
  expect(next.texts().map(({ text }) => text)).toEqual(['You sent 4 lines.']);
});

test('a cancelled answer ends as cancelled, and its text stays', async () => {
  served.server.script(reply().says(words(400), { every: 3 }));
  const client = await started();
  const sessionId = await newSession(client);
  const answer = client.prompt(sessionId, 'Count');
  await client.until(() => client.texts().length > 0);
  client.notify('session/cancel', { sessionId });
  expect((await answer)['stopReason']).toBe('cancelled');
  await client.close();
  const next = await started();
  await load(next, sessionId);
  expect(next.texts()).toEqual(client.texts());
});

test('an edit is asked for with its diff and goes through the client', async () => {
  const file = join(served.folder, 'a.txt');
  writeFileSync(file, 'one\ntwo\n');
  served.server.script(
    reply().calls('edit_file', { path: 'a.txt', old_text: 'unsaved', new_text: 'three' }),
    reply().says('Done.'),
  );
  const client = await started(true);
  const written: unknown[] = [];
  client.answers.set('fs/read_text_file', ({ path }) => ({
    content: path === file ? 'one\nunsaved\n' : readFileSync(String(path), 'utf8'),
  }));
  client.answers.set('fs/write_text_file', ({ path, content }) => {
    written.push(content);
    writeFileSync(String(path), String(content));
    return {};
  });
  client.answers.set('session/request_permission', () => ({ outcome: { outcome: 'selected', optionId: 'allow' } }));
  const sessionId = await newSession(client);
  await client.prompt(sessionId, 'Change it');
  const asked = client.requests.find(({ method }) => method === 'session/request_permission')?.params as {
    readonly toolCall: { readonly content: unknown; readonly toolCallId: string };
    readonly options: readonly { readonly kind: string }[];
  };
  expect({
    diff: asked.toolCall.content,
    kinds: asked.options.map(({ kind }) => kind),
    isSameCall: answersOf(client)[0]?.['toolCallId'] === asked.toolCall.toolCallId,
    written,
    disk: readFileSync(file, 'utf8'),
    statuses: answersOf(client).map(({ status }) => status),
  }).toEqual({
    diff: [{ type: 'diff', path: file, oldText: 'one\nunsaved', newText: 'one\nthree' }],
    kinds: ['allow_once', 'allow_always', 'reject_once'],
    isSameCall: true,
    written: ['one\nthree\n'],
    disk: 'one\nthree\n',
    statuses: ['pending', 'completed'],
  });
});

test.each([
  ['denied', { outcome: 'selected', optionId: 'deny' }, 'end_turn'],
  ['answered with an option that was not offered', { outcome: 'selected', optionId: 'yes' }, 'end_turn'],
  ['closed', { outcome: 'cancelled' }, 'cancelled'],
])('a question that is %s changes nothing', async (_, outcome, stopReason) => {
  served.server.script(reply().calls('write_file', { path: 'new.txt', content: 'x' }), reply().says('Fine.'));
  const client = await started();
  client.answers.set('session/request_permission', () => ({ outcome }));
  const sessionId = await newSession(client);
  expect((await client.prompt(sessionId, 'Write it'))['stopReason']).toBe(stopReason);
  expect(existsSync(join(served.folder, 'new.txt'))).toBe(false);
});

test('where there are hooks, which do not run here, each call is asked for', async () => {
  mkdirSync(join(served.folder, '.github', 'hooks'), { recursive: true });
  writeFileSync(join(served.folder, 'a.txt'), 'Hello');
  const hook = { version: 1, hooks: { PreToolUse: [{ type: 'command', command: 'exit 2' }] } };
  writeFileSync(join(served.folder, '.github', 'hooks', 'deny.json'), JSON.stringify(hook));
  served.server.script(reply().calls('read_file', { path: 'a.txt' }), reply().says('Fine.'));
  const client = await started();
  client.answers.set('session/request_permission', () => ({ outcome: { outcome: 'selected', optionId: 'deny' } }));
  const sessionId = await newSession(client);
  await client.prompt(sessionId, 'Read it');
  expect(client.requests.map(({ method }) => method)).toEqual(['session/request_permission']);
});

test('a question that a kill left open is asked again after a load, and its decision counts', async () => {
  served.server.script(reply().calls('write_file', { path: 'new.txt', content: 'x' }), reply().says('Done.'));
  const client = await started();
  client.answers.set('session/request_permission', () => new Promise(() => undefined));
  const sessionId = await newSession(client);
  void client.prompt(sessionId, 'Write it');
  await client.until(() => client.requests.length > 0);
  await client.kill();

  const next = await started();
  next.answers.set('session/request_permission', () => ({ outcome: { outcome: 'selected', optionId: 'allow' } }));
  await load(next, sessionId);
  await next.until(() => next.texts().some(({ text }) => text === 'Done.'));
  expect([next.requests.length, existsSync(join(served.folder, 'new.txt'))]).toEqual([1, true]);
});

test('a history that another process has is refused with a way out', async () => {
  const first = await started();
  await newSession(first);
  const second = await started();
  await expect(newSession(second)).rejects.toThrow(/are open in .*--own/);
  const aside = await started(false, '--store', join(served.home, 'aside'));
  expect(await newSession(aside)).toMatch(/^\d{8}_/);
});

test('modes and options are those of the session', async () => {
  const client = await started();
  const sessionId = await newSession(client);
  await client.request('session/set_mode', { sessionId, modeId: 'plan' });
  const { configOptions } = await client.request('session/set_config_option', {
    sessionId,
    configId: 'effort',
    value: 'high',
  });
  await client.until(() => client.updates.some(({ update }) => update.sessionUpdate === 'current_mode_update'));
  expect(
    (configOptions as readonly { readonly id: string; readonly currentValue: string }[]).map(
      ({ id, currentValue }) => `${id} ${currentValue}`,
    ),
  ).toEqual(['mode plan', 'model Local/test-model', 'effort high']);
});

test('what is wrong is refused, and the connection goes on', async () => {
  const client = await started();
  const sessionId = await newSession(client);
  const code = (request: Promise<unknown>) =>
    request.then(
      () => 0,
      (error: { readonly code: number }) => error.code,
    );
  client.write('not JSON');
  expect([
    await code(client.request('session/fork', { sessionId })),
    await code(client.request('session/new', { cwd: 'relative', mcpServers: [] })),
    await code(load(client, '20200101_000000_abcdef')),
    await code(client.prompt('20200101_000000_abcdef', 'Hello')),
    await code(client.request('session/set_mode', { sessionId, modeId: 'reckless' })),
    await code(client.request('session/set_config_option', { sessionId, configId: 'mode', value: 'reckless' })),
    await code(client.request('session/set_config_option', { sessionId, configId: 'effort', value: 'extreme' })),
    await code(client.request('session/prompt', { sessionId, prompt: [{ type: 'audio', data: '' }] })),
    await code(client.prompt(sessionId, '   ')),
  ]).toEqual([-32601, -32602, -32002, -32002, -32602, -32602, -32602, -32602, -32603]);
});

test('a service without a key says which variable it wants', async () => {
  const client = await started(false, '--model', 'OpenRouter/some/model');
  const sessionId = await newSession(client);
  await expect(client.prompt(sessionId, 'Hello')).rejects.toThrow(/HERMES_KEY_OPENROUTER/);
});
