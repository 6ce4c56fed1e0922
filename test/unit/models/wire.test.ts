import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelRequest, WireMessage, WireTool } from '../../../src/models/chatModel';
import type { ModelInfo } from '../../../src/models/modelInfo';
import { createTransports } from '../../../src/models/providers/index';
import type { TransportPart } from '../../../src/models/transport';
import type { JsonObject } from '../../../src/transcript/json';
import { reply, startModelServer } from '../../support/modelServer';
import type { ModelServer } from '../../support/modelServer';
import { ask, modelAt, prompt, request, textOf } from './asking';

const tool: WireTool = {
  name: 'read_file',
  description: 'Reads a file',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};
const exchange = (id: string): readonly WireMessage[] => [
  {
    role: 'assistant',
    content: [
      { kind: 'text', text: 'I look.' },
      { kind: 'toolCall', callId: id, name: 'read_file', arguments: { path: id } },
    ],
  },
  { role: 'tool', results: [{ callId: id, name: 'read_file', text: `content of ${id}`, isError: false }] },
];

const exchangeWithImage: readonly WireMessage[] = [
  ...exchange('a').slice(0, 1),
  {
    role: 'tool',
    results: [
      {
        callId: 'a',
        name: 'read_file',
        text: 'a picture',
        isError: false,
        images: [{ kind: 'image', mediaType: 'image/png', dataBase64: 'iVBORw0KGgo=' }],
      },
    ],
  },
];

const messageStart = (id: string): JsonObject => ({
  type: 'message_start',
  message: {
    id,
    type: 'message',
    role: 'assistant',
    model: 'test-model',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
});
const textBlock = (index: number, text: string): readonly JsonObject[] => [
  { type: 'content_block_start', index, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index, delta: { type: 'text_delta', text } },
  { type: 'content_block_stop', index },
];
const messageEnd: readonly JsonObject[] = [
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
];

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
  server.otherwise(reply().says('Fine.'));
});
afterEach(() => server.close());

const at = (protocol: 'openai' | 'anthropic', info: Partial<ModelInfo> = {}) =>
  modelAt({ url: server.url, protocol, info });
/** What the service is sent, which it has to accept. */
async function bodyOf(protocol: 'openai' | 'anthropic', change: Partial<ModelRequest>): Promise<JsonObject> {
  await ask(at(protocol), request(change));
  const [{ rejection = 'nothing was sent', body = {} } = {}] = server.requests;
  expect(rejection).toBeNull();
  return body;
}
const see: WireMessage = {
  role: 'user',
  content: [
    { kind: 'text', text: 'See' },
    { kind: 'image', mediaType: 'image/png', dataBase64: 'iVBORw0KGgo=' },
  ],
};

/** Paths of everything that carries a cache mark, e.g. "system.0", "messages.2.content.0". */
function marks(value: unknown, path = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const here = 'cache_control' in value ? [path] : [];
  return [
    ...here,
    ...Object.entries(value).flatMap(([key, inner]) =>
      key === 'cache_control' ? [] : marks(inner, path === '' ? key : `${path}.${key}`),
    ),
  ];
}

describe('a request on the Anthropic wire', () => {
  it('marks the system prompt, the tools and the last two turns of the user for the cache', async () => {
    const messages = [
      prompt('one'),
      { role: 'assistant' as const, content: [{ kind: 'text' as const, text: 'ok' }] },
      prompt('two'),
      ...exchange('a'),
      ...exchange('b'),
    ];
    const body = await bodyOf('anthropic', { messages, tools: [tool, { ...tool, name: 'other' }] });
    expect(marks(body)).toEqual(['system.0', 'messages.4.content.0', 'messages.6.content.0', 'tools.1']);
  });

  it('carries images, tool errors and the effort', async () => {
    const messages: readonly WireMessage[] = [
      see,
      ...exchange('a').slice(0, 1),
      { role: 'tool', results: [{ callId: 'a', name: 'read_file', text: 'no such file', isError: true }] },
    ];
    expect(
      await bodyOf('anthropic', { messages, tools: [tool], maxOutputTokens: 4000, reasoningEffort: 'low' }),
    ).toMatchObject({
      messages: [
        {
          content: [
            { type: 'text', text: 'See' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
          ],
        },
        {},
        { content: [{ type: 'tool_result', tool_use_id: 'a', is_error: true, content: 'no such file' }] },
      ],
    });
  });

  it('carries the images of a tool result', async () => {
    const body = await bodyOf('anthropic', { messages: [prompt(), ...exchangeWithImage], tools: [tool] });
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };
    expect(body['messages']).toMatchObject([
      {},
      {},
      { content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'a picture' }, image] }] },
    ]);
  });

  it('thinks with the requested effort, but not if results belong to an answer without thinking', async () => {
    const model = at('anthropic');
    await ask(model, request({ reasoningEffort: 'low' }));
    await ask(model, request({ reasoningEffort: 'low', messages: [prompt(), ...exchange('a')], tools: [tool] }));
    expect(server.requests.map(({ rejection, body }) => [rejection, 'thinking' in body])).toEqual([
      [null, true],
      [null, false],
    ]);
  });

  it('returns redacted thinking unchanged', async () => {
    server.script(
      reply()
        .sends(
          messageStart('m'),
          { type: 'content_block_start', index: 0, content_block: { type: 'redacted_thinking', data: 'opaque' } },
          { type: 'content_block_stop', index: 0 },
          ...textBlock(1, 'Hi'),
          ...messageEnd,
        )
        .endsWithoutFinish(),
    );
    const model = at('anthropic');
    const { events } = await ask(model);
    expect(events[0]).toEqual({ kind: 'partEnd', of: 'thinking', metadata: { anthropic: { redactedData: 'opaque' } } });
    const metadata = events[0]?.kind === 'partEnd' ? events[0].metadata : undefined;
    const content = [
      { kind: 'thinking' as const, text: '', ...(metadata === undefined ? {} : { metadata }) },
      { kind: 'text' as const, text: 'Hi' },
    ];
    await ask(model, request({ messages: [prompt(), { role: 'assistant', content }, prompt('more')] }));
    expect(server.requests[1]?.body).toMatchObject({
      messages: [
        {},
        {
          content: [
            { type: 'redacted_thinking', data: 'opaque' },
            { type: 'text', text: 'Hi' },
          ],
        },
        {},
      ],
    });
  });

  it.each([
    [
      'its summary, with its opaque part',
      { content: null },
      [{ content: 'What was said.', encrypted_content: 'opaque' }],
      { content: 'What was said.', encrypted_content: 'opaque' },
    ],
    [
      'its summary, begun with the block',
      { content: 'What was said.', encrypted_content: 'opaque' },
      [],
      { content: 'What was said.', encrypted_content: 'opaque' },
    ],
    [
      'its signed summary',
      { content: 'What was said.', signature: 'signed' },
      [],
      { content: 'What was said.', signature: 'signed' },
    ],
  ])('keeps a compaction apart from the answer and returns %s', async (_name, block, deltas, kept) => {
    server.script(
      reply()
        .sends(
          messageStart('m'),
          { type: 'content_block_start', index: 0, content_block: { type: 'compaction', ...block } },
          ...deltas.map((delta) => ({
            type: 'content_block_delta',
            index: 0,
            delta: { type: 'compaction_delta', ...delta },
          })),
          { type: 'content_block_stop', index: 0 },
          ...textBlock(1, 'Hi'),
          ...messageEnd,
        )
        .endsWithoutFinish(),
    );
    const model = at('anthropic');
    const { events } = await ask(model);
    const metadata = { anthropic: { type: 'compaction', ...kept } };
    expect(events).toEqual([
      { kind: 'partEnd', of: 'thinking', metadata },
      { kind: 'text', text: 'Hi' },
      { kind: 'partEnd', of: 'text' },
    ]);
    const call = { kind: 'toolCall' as const, callId: 'a', name: 'read_file', arguments: { type: 'compaction' } };
    const answer = {
      role: 'assistant' as const,
      content: [{ kind: 'thinking' as const, text: '', metadata }, { kind: 'text' as const, text: 'Hi' }, call],
    };
    await ask(model, request({ messages: [prompt(), answer, ...exchange('a').slice(1)], tools: [tool] }));
    const { rejection, body, headers } = server.requests[1] ?? {};
    expect([rejection, body, headers?.['anthropic-beta']]).toMatchObject([
      null,
      {
        messages: [
          {},
          {
            content: [{ type: 'compaction', ...kept }, { type: 'text', text: 'Hi' }, { input: { type: 'compaction' } }],
          },
          {},
        ],
      },
      'signature' in kept ? 'compact-2026-09-04' : 'compact-2026-01-12',
    ]);
  });

  it('neither shows nor returns a compaction that failed', async () => {
    server.script(
      reply()
        .sends(
          messageStart('m'),
          { type: 'content_block_start', index: 0, content_block: { type: 'compaction', content: null } },
          { type: 'content_block_stop', index: 0 },
          ...textBlock(1, 'Hi'),
          ...messageEnd,
        )
        .endsWithoutFinish(),
    );
    expect((await ask(at('anthropic'))).events).toEqual([
      { kind: 'text', text: 'Hi' },
      { kind: 'partEnd', of: 'text' },
    ]);
  });

  const thought = (text: string, signed = true): readonly JsonObject[] => [
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: text } },
    ...(signed
      ? [
          { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: `signed ${text}` } },
          { type: 'content_block_stop', index: 0 },
        ]
      : []),
  ];
  const second = [...thought('Two'), ...textBlock(1, 'Hi'), ...messageEnd];

  it.each([
    ['before the first has ended', [messageStart('a'), ...thought('One'), messageStart('b'), ...second], true],
    ['in a block of the first', [messageStart('a'), ...thought('One', false), messageStart('b'), ...second], false],
    [
      'under the id of the first, in a block of it',
      [messageStart('a'), ...thought('One', false), messageStart('a'), ...second],
      false,
    ],
    [
      'behind the end of the first',
      [messageStart('a'), ...thought('One'), ...messageEnd, messageStart('b'), ...second],
      true,
    ],
  ])('keeps the thinking of a second message that begins %s', async (_name, payloads, isSigned) => {
    server.script(
      reply()
        .sends(...payloads)
        .endsWithoutFinish(),
    );
    const { events, terminal } = await ask(at('anthropic'));
    expect([events, terminal.outcome]).toEqual([
      [
        { kind: 'thinking', text: 'One' },
        {
          kind: 'partEnd',
          of: 'thinking',
          ...(isSigned ? { metadata: { anthropic: { signature: 'signed One' } } } : {}),
        },
        { kind: 'thinking', text: 'Two' },
        { kind: 'partEnd', of: 'thinking', metadata: { anthropic: { signature: 'signed Two' } } },
        { kind: 'text', text: 'Hi' },
        { kind: 'partEnd', of: 'text' },
      ],
      'complete',
    ]);
  });

  it('is interrupted if a second message does not end, although the first one has', async () => {
    server.script(
      reply()
        .sends(messageStart('a'), ...textBlock(0, 'One. '), ...messageEnd, messageStart('b'), ...textBlock(0, 'Two'))
        .endsWithoutFinish(),
    );
    const { events, terminal } = await ask(at('anthropic'));
    expect([textOf(events), terminal.outcome]).toEqual(['One. Two', 'interrupted']);
  });

  it('leaves out thinking that has no signature', async () => {
    server.script(reply().thinks('unsigned').says('Hi').withoutSignatures());
    const model = at('anthropic');
    await ask(model);
    await ask(
      model,
      request({
        messages: [
          prompt(),
          {
            role: 'assistant',
            content: [
              { kind: 'thinking', text: 'unsigned' },
              { kind: 'text', text: 'Hi' },
            ],
          },
          prompt('more'),
        ],
      }),
    );
    expect([server.requests[1]?.rejection, JSON.stringify(server.requests[1]?.body).includes('unsigned')]).toEqual([
      null,
      false,
    ]);
  });
});

describe('a request on the OpenAI wire', () => {
  it('carries images, tools, the effort and the limit', async () => {
    const limits = { maxOutputTokens: 4000, reasoningEffort: 'high', cacheKey: 'conversation' } as const;
    expect(await bodyOf('openai', { messages: [see], tools: [tool], ...limits })).toEqual({
      model: 'test-model',
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 4000,
      reasoning_effort: 'high',
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
          ],
        },
      ],
      tools: [
        { type: 'function', function: { name: 'read_file', description: 'Reads a file', parameters: tool.parameters } },
      ],
    });
  });

  it('says in a tool result that images came with it, because this protocol has no place for them', async () => {
    const sent = JSON.stringify(await bodyOf('openai', { messages: [prompt(), ...exchangeWithImage], tools: [tool] }));
    expect(sent).toContain('a picture\\n\\n(Images came with this result.');
    expect(sent).not.toContain('iVBORw0KGgo');
  });

  it('sends nothing that the model is known not to accept', async () => {
    await ask(
      at('openai', { tools: false, efforts: ['default'] }),
      request({ tools: [tool], reasoningEffort: 'high' }),
    );
    expect(Object.keys(server.requests[0]?.body ?? {}).sort()).toEqual([
      'messages',
      'model',
      'stream',
      'stream_options',
    ]);
  });

  it('is adapted only for api.openai.com and api.mistral.ai', async () => {
    const bodies = await Promise.all(
      ['https://api.openai.com/v1', 'https://api.mistral.ai/v1', 'https://elsewhere.example/v1'].map(async (url) => {
        let body: unknown = null;
        const fetch: typeof globalThis.fetch = (_input, init) => {
          body = JSON.parse(String(init?.body));
          return Promise.resolve(new Response('{}', { status: 400 }));
        };
        await ask(modelAt({ url, protocol: 'openai', fetch }), request({ maxOutputTokens: 100, cacheKey: 'c' }));
        return Object.keys(Object(body))
          .filter((key) => /max|cache|stream_options/.test(key))
          .sort();
      }),
    );
    expect(bodies).toEqual([
      ['max_completion_tokens', 'prompt_cache_key', 'stream_options'],
      ['max_tokens'],
      ['max_tokens', 'stream_options'],
    ]);
  });

  it('returns thinking between a call and its result, unchanged after the next prompt, and none from a turn without calls', async () => {
    server.script(reply().thinks('I should look.').calls('read_file', { path: 'a' }, { id: 'a' }));
    const model = at('openai');
    const { events } = await ask(model, request({ tools: [tool] }));
    const metadata =
      events.flatMap((event) =>
        event.kind === 'partEnd' && event.metadata !== undefined ? [event.metadata] : [],
      )[0] ?? {};
    const turn: readonly WireMessage[] = [
      prompt(),
      {
        role: 'assistant',
        content: [
          { kind: 'thinking', text: 'I should look.', metadata },
          { kind: 'toolCall', callId: 'a', name: 'read_file', arguments: { path: 'a' } },
        ],
      },
      { role: 'tool', results: [{ callId: 'a', name: 'read_file', text: 'x', isError: false }] },
    ];
    await ask(model, request({ messages: turn, tools: [tool] }));
    await ask(
      model,
      request({
        messages: [...turn, { role: 'assistant', content: [{ kind: 'text', text: 'Done.' }] }, prompt('next')],
        tools: [tool],
      }),
    );
    const plain: WireMessage = {
      role: 'assistant',
      content: [
        { kind: 'thinking', text: 'I should look.', metadata },
        { kind: 'text', text: 'Done.' },
      ],
    };
    await ask(model, request({ messages: [prompt(), plain, prompt('next')], tools: [tool] }));
    expect(
      server.requests.slice(1).map(({ body }) => JSON.stringify(body).includes('"reasoning_content":"I should look."')),
    ).toEqual([true, true, false]);
  });

  it("returns OpenRouter's reasoning details unchanged", async () => {
    const chunk = (delta: object, finish: string | null = null) => ({
      id: 'g',
      object: 'chat.completion.chunk',
      model: 'test-model',
      choices: [{ index: 0, delta: { ...delta }, finish_reason: finish }],
    });
    server.script(
      reply()
        .sends(
          chunk({
            role: 'assistant',
            reasoning: 'Hm',
            reasoning_details: [{ type: 'reasoning.text', text: 'Hm', format: 'f', index: 0 }],
          }),
          chunk({
            reasoning: ' ok',
            reasoning_details: [{ type: 'reasoning.text', text: ' ok', format: 'f', index: 0 }],
          }),
          chunk({ reasoning_details: [{ type: 'reasoning.text', signature: 'sig', index: 0 }] }),
          chunk({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'e1', id: 'r1', index: 1 }] }),
          chunk({ content: 'Hi' }),
          chunk({}, 'stop'),
        )
        .endsWithoutFinish(),
    );
    const model = at('openai');
    const { events } = await ask(model);
    const content = events.flatMap((event) => {
      if (event.kind !== 'partEnd' || event.metadata === undefined) return [];
      return [{ kind: 'thinking' as const, text: '', metadata: event.metadata }];
    });
    await ask(
      model,
      request({
        messages: [
          prompt(),
          { role: 'assistant', content: [...content, { kind: 'text', text: 'Hi' }] },
          prompt('more'),
        ],
      }),
    );
    expect(server.requests[1]?.body).toMatchObject({
      messages: [
        {},
        {},
        {
          role: 'assistant',
          content: 'Hi',
          reasoning_details: [
            { type: 'reasoning.text', text: 'Hm ok', format: 'f', index: 0, signature: 'sig' },
            { type: 'reasoning.encrypted', data: 'e1', id: 'r1', index: 1 },
          ],
        },
        {},
      ],
    });
    expect(JSON.stringify(server.requests[1]?.body)).not.toContain('reasoning_content');
  });

  it('treats an upstream failure that a router reports as a finish reason as a failure', async () => {
    server.script(reply().says('Half').finishes('stop', 'error'));
    expect((await ask(at('openai'))).terminal.outcome).toBe('interrupted');
  });
});

describe('a transport', () => {
  it('reports every delta in the same turn of the event loop in which it was read', async () => {
    server.script(reply().says('one two three', { in: 'words' }).inOneBurst());
    const parts: TransportPart[] = [];
    const transport = createTransports().createTransport({
      protocol: 'openai',
      baseUrl: server.url,
      key: null,
      modelId: 'test-model',
      fetch: globalThis.fetch,
    });
    const end = await transport.send(request(), {
      signal: new AbortController().signal,
      active: () => undefined,
      after: () => () => undefined,
      emit: (part) => parts.push(part),
    });
    expect([end.kind, parts]).toEqual([
      'finished',
      [
        { kind: 'text', text: 'one' },
        { kind: 'text', text: ' two' },
        { kind: 'text', text: ' three' },
        { kind: 'partEnd', of: 'text' },
      ],
    ]);
  });
});
