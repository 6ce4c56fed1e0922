import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/transcript/json';
import { refuses, reply, startModelServer } from '../../support/modelServer';
import type { ModelServer, ModelServerOptions } from '../../support/modelServer';

let server: ModelServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

async function start(options: ModelServerOptions = {}): Promise<ModelServer> {
  server = await startModelServer(options);
  return server;
}

async function ask(
  at: ModelServer,
  protocol: 'openai' | 'anthropic',
  body: JsonObject,
): Promise<{ status: number; body: string }> {
  const response = await fetch(`${at.url}/${protocol === 'openai' ? 'chat/completions' : 'messages'}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(protocol === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {}),
    },
    body: JSON.stringify({
      model: 'test-model',
      stream: true,
      ...(protocol === 'anthropic' ? { max_tokens: 100 } : {}),
      ...body,
    }),
  });
  return { status: response.status, body: await response.text() };
}

const call = (id: string, json = '{}'): JsonObject => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'read_file', arguments: json } }],
});
const use = (id: string): JsonObject => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id, name: 'read_file', input: {} }],
});
const used = (id: string): JsonObject => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }],
});
const result = (id: string): JsonObject => ({ role: 'tool', tool_call_id: id, content: 'r' });
const says = (content: string | readonly JsonObject[]): JsonObject => ({
  role: 'assistant',
  content: content as string,
});
const user = (content = 'Hello'): JsonObject => ({ role: 'user', content });

describe('the strict model server', () => {
  it('streams its script and knows what it delivered', async () => {
    const at = await start();
    at.script(reply().thinks('Hm.').says('Hello wörld 🌍.').calls('read_file', { path: 'a' }, { id: 'c1' }));
    const answer = await ask(at, 'openai', { messages: [user()] });
    expect({
      status: answer.status,
      end: answer.body.trim().endsWith('[DONE]'),
      delivered: at.requests[0]?.delivered,
      bytes: at.requests[0]?.bytesDelivered,
    }).toEqual({
      status: 200,
      end: true,
      delivered: { thinking: 'Hm.', text: 'Hello wörld 🌍.' },
      bytes: Buffer.byteLength(answer.body),
    });
  });

  it('notices a client that disconnects', async () => {
    const at = await start();
    at.script(reply().says('Hello').hangs());
    const stop = new AbortController();
    const response = await fetch(`${at.url}/chat/completions`, {
      method: 'POST',
      signal: stop.signal,
      body: JSON.stringify({ model: 'test-model', stream: true, messages: [user()] }),
    });
    await response.body?.getReader().read();
    stop.abort();
    const request = await at.request(0);
    await request.ended;
    expect(request.clientClosed).toBe(true);
  });

  it('refuses as scripted with the error JSON of the protocol', async () => {
    const at = await start();
    at.script(refuses(529, { message: 'Overloaded' }), refuses(429, { retryAfter: 7 }));
    expect(JSON.parse((await ask(at, 'anthropic', { messages: [user()] })).body)).toMatchObject({
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded' },
    });
    expect(JSON.parse((await ask(at, 'openai', { messages: [user()] })).body)).toMatchObject({
      error: { type: 'rate_limit_error' },
    });
  });

  const invalidOpenai: readonly (readonly [string, JsonObject, RegExp])[] = [
    ['a stray tool result', { messages: [user(), result('x')] }, /must be a response to a preceeding message/],
    ['an unanswered call', { messages: [user(), call('a')] }, /did not have response messages: a/],
    [
      'a result that does not follow at once',
      { messages: [user(), call('a'), user('wait'), result('a')] },
      /did not have response messages: a/,
    ],
    [
      'two results of one call',
      {
        messages: [user(), call('a'), result('a'), result('a')],
      },
      /must be a response/,
    ],
    [
      'a call id used twice',
      {
        messages: [user(), call('a'), result('a'), call('a'), result('a')],
      },
      /Duplicate tool call id/,
    ],
    ['two prompts in a row', { messages: [user(), user()] }, /two 'user' messages in a row/],
    ['an empty prompt', { messages: [user('')] }, /must not be empty/],
    ['an empty answer', { messages: [user(), says(''), user()] }, /expected a string, got null/],
    ['an answer first', { messages: [says('Hi'), user()] }, /first message is not from the user/],
    [
      'a late system message',
      { messages: [user(), says('Hi'), { role: 'system', content: 'x' }] },
      /System message must be at the beginning/,
    ],
    [
      'arguments that are not JSON',
      {
        messages: [user(), call('a', '{"pa'), result('a')],
      },
      /not a JSON object/,
    ],
    ['an empty list of tools', { messages: [user()], tools: [] }, /tools/],
    ['a lone surrogate', { messages: [user('\ud83d')] }, /lone surrogate/],
  ];
  it.each(invalidOpenai)('OpenAI: refuses %s', async (_name, body, message) => {
    const at = await start();
    at.otherwise(reply().says('never'));
    const answer = await ask(at, 'openai', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatch(message);
    expect(at.requests[0]?.rejection).toMatch(message);
  });

  const invalidAnthropic: readonly (readonly [string, JsonObject, RegExp])[] = [
    ['a stray tool result', { messages: [used('x')] }, /unexpected `tool_use_id`/],
    [
      'an unanswered call',
      { messages: [user(), use('a'), user()] },
      /without `tool_result` blocks immediately after: a/,
    ],
    ['a result behind text', { messages: [user(), use('a'), user('first'), used('a')] }, /must come first/],
    ['a call id used twice', { messages: [user(), use('a'), used('a'), use('a'), used('a')] }, /must be unique/],
    ['empty text', { messages: [user('')] }, /must be non-empty/],
    ['blank text', { messages: [user(' \n')] }, /non-whitespace/],
    ['an answer first', { messages: [says('Hi')] }, /first message must use the \\"user\\" role/],
    [
      'thinking without a signature',
      {
        messages: [
          user(),
          says([
            { type: 'thinking', thinking: 'x' },
            { type: 'text', text: 'y' },
          ]),
          user(),
        ],
      },
      /signature/,
    ],
    [
      'thinking with a forged signature',
      {
        messages: [
          user(),
          says([
            { type: 'thinking', thinking: 'x', signature: 'sig_0' },
            { type: 'text', text: 'y' },
          ]),
          user(),
        ],
      },
      /Invalid `signature`/,
    ],
    [
      'five cache marks',
      {
        messages: [
          { role: 'user', content: Array(5).fill({ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }) },
        ],
      },
      /maximum of 4/i,
    ],
    ['a prefill that ends in a space', { messages: [user(), says('Yes ')] }, /trailing whitespace/],
  ];
  it.each(invalidAnthropic)('Anthropic: refuses %s', async (_name, body, message) => {
    const at = await start();
    at.otherwise(reply().says('never'));
    const answer = await ask(at, 'anthropic', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatch(message);
  });

  it('accepts a proper tool exchange on both protocols, and merges consecutive prompts on Anthropic only', async () => {
    const at = await start();
    at.otherwise(reply().says('Fine.'));
    const statuses = [
      await ask(at, 'openai', {
        messages: [
          { role: 'system', content: 's' },
          user(),
          call('a'),
          { role: 'tool', tool_call_id: 'a', content: '' },
        ],
      }),
      await ask(at, 'anthropic', { messages: [user(), use('a'), used('a'), user('more')] }),
      await ask(at, 'anthropic', { messages: [user(), user()] }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200]);
    expect(at.requests.map(({ outline }) => outline)).toEqual([
      ['system: s', 'user: Hello', 'assistant: calls read_file a {}', 'tool a: '],
      ['user: Hello', 'assistant: calls read_file a {}', 'tool a: ok', 'user: more'],
      ['user: Hello', 'user: Hello'],
    ]);
  });

  it('requires its key and lists its models', async () => {
    const at = await start({ key: 'sk-right' });
    const keyless = await ask(at, 'openai', { messages: [user()] });
    const open = await start();
    const unknown = await ask(open, 'anthropic', { model: 'other', messages: [user()] });
    await at.close();
    expect([keyless.status, unknown.status]).toEqual([401, 404]);
  });
});
