import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelRequest, Terminal, WireMessage } from '../../../../src/models/chatModel';
import { asking, moonshot } from '../../../support/asksReasoning';
import { refuses, reply, startModelServer } from '../../../support/modelServer';
import type { ModelServer } from '../../../support/modelServer';
import { ask, modelAt, prompt, request } from '../asking';

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

const signed = { anthropic: { signature: 'sig' } };
const image: WireMessage = {
  role: 'user',
  content: [
    { kind: 'text', text: 'See' },
    { kind: 'image', mediaType: 'image/png', dataBase64: 'iVBORw0KGgo=' },
  ],
};
/** A history whose last answer called a tool and thought before it, with what its provider wants back. */
const thought: readonly WireMessage[] = [
  prompt('one'),
  {
    role: 'assistant',
    content: [
      { kind: 'thinking', text: 'Hm.', metadata: { endpoint: { field: 'reasoning_content' } } },
      { kind: 'toolCall', callId: 'a', name: 'read_file', arguments: {} },
    ],
  },
  { role: 'tool', results: [{ callId: 'a', name: 'read_file', text: 'content', isError: false }] },
];
const withImage = [...thought, { role: 'assistant', content: [{ kind: 'text', text: 'ok' }] }, image] as const;
const tools = [{ name: 'read_file', description: 'Reads a file', parameters: { type: 'object' } }];

/** What of it each request carried. */
const carried = (): readonly string[] =>
  server.requests.map(({ body }) => {
    const text = JSON.stringify(body);
    return [
      /reasoning_content|"thinking":"|encrypted/.test(text) && 'reasoning',
      /reasoning_effort|budget_tokens/.test(text) && 'effort',
      text.includes('image_url') && 'image',
    ]
      .filter(Boolean)
      .join(' ');
  });

const model = (info = {}) => modelAt({ url: server.url, protocol: 'openai', info });
const withThought = (change: Partial<ModelRequest> = {}): ModelRequest =>
  request({ messages: thought, tools, cacheKey: 'conversation', ...change });

describe('a service that refuses part of a request', () => {
  it('is asked again with its own default amount of reasoning, in every conversation', async () => {
    server.script(
      refuses(400, { message: "Unsupported parameter: 'reasoning_effort' is not supported with this model." }),
      reply().says('Two.'),
      reply().says('Three.'),
    );
    const one = model();
    await ask(one, request({ reasoningEffort: 'high', cacheKey: 'one' }));
    await ask(one, request({ reasoningEffort: 'high', cacheKey: 'two' }));
    expect(carried()).toEqual(['effort', '', '']);
  });

  it('receives a note that a tool returned an image if the model takes none', async () => {
    const result: WireMessage = {
      role: 'tool',
      results: [
        {
          callId: 'a',
          name: 'read_file',
          text: 'a picture',
          isError: false,
          images: [{ kind: 'image', mediaType: 'image/png', dataBase64: 'AAAA' }],
        },
      ],
    };
    await ask(model({ images: false }), request({ messages: [...thought.slice(0, 2), result], tools }));
    expect(JSON.stringify(server.requests[0]?.body)).toContain(
      'a picture\\n\\n(An image stood here. This model takes no images.)',
    );
  });

  it.each([
    [404, 'No endpoints found that support image input'],
    [
      400,
      'Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, expected `text`',
    ],
    [400, 'model does not support images'],
  ])('receives a note that there was an image if it takes none (%i %s)', async (status, message) => {
    server.script(refuses(status, { message }), reply().says('Two.'), reply().says('Three.'));
    const one = model({ images: null });
    await ask(one, request({ messages: [image] }));
    await ask(one, request({ messages: [image] }));
    expect([carried(), server.requests[1]?.outline.slice(1)]).toEqual([
      ['image', '', ''],
      ['user: See', 'user: (An image stood here. This model takes no images.)'],
    ]);
  });

  it.each([
    [401, 'Invalid signature'],
    [400, 'maximum context length is 8192 tokens; reasoning counts'],
    [400, 'API key not valid. Please pass a valid API key.'],
    [400, 'Output blocked by content filtering policy'],
  ])('is not asked again if leaving something out would not help (%i %s)', async (status, message) => {
    server.script(refuses(status, { message }), reply().says('Not asked for.'));
    const { terminal } = await ask(model(), withThought({ messages: [...withImage] }));
    expect([server.requests.length, terminal.outcome]).toEqual([1, 'failed']);
  });

  it('is asked at most once more for each of them; an attempt that did not help is not remembered', async () => {
    server.script(
      ...Array.from({ length: 3 }, () => refuses(400, { message: 'Thinking is wrong here' })),
      reply().says('Better.'),
    );
    const one = model();
    const { terminal } = await ask(one, withThought());
    await ask(one, withThought());
    expect([
      terminal.outcome === 'failed' && terminal.failure.sentence.includes('Thinking is wrong here'),
      carried(),
    ]).toEqual([true, ['reasoning', '', '', 'reasoning']]);
  });

  it('is not asked again once its answer has started', async () => {
    server.script(
      reply().says('Half ').breaksWith('Invalid signature in thinking block', 'invalid_request_error'),
      reply().says('Not asked for.'),
    );
    const { terminal } = await ask(model(), withThought());
    expect([server.requests.length, terminal.outcome]).toEqual([1, 'interrupted']);
  });

  it("over Anthropic's protocol: signatures are removed, and the exchange ends without thinking", async () => {
    server.script(reply().says('Two.'));
    const messages = thought.map((message) =>
      message.role === 'assistant'
        ? {
            ...message,
            content: message.content.map((part) => (part.kind === 'thinking' ? { ...part, metadata: signed } : part)),
          }
        : message,
    );
    const { terminal } = await ask(
      modelAt({ url: server.url, protocol: 'anthropic' }),
      withThought({ messages, reasoningEffort: 'low' }),
    );
    expect([
      terminal.outcome,
      server.requests[0]?.rejection?.includes('signature'),
      server.requests[1]?.rejection,
      JSON.stringify(server.requests[1]?.body).includes('thinking'),
    ]).toEqual(['complete', true, null, false]);
  });
});

describe('a service that requires reasoning', () => {
  const anothers: readonly WireMessage[] = [
    prompt('one'),
    { role: 'assistant', content: [{ kind: 'toolCall', callId: 'a', name: 'read_file', arguments: {} }] },
    ...thought.slice(2),
  ];

  it("also receives some over Anthropic's protocol, before the call and without a signature", async () => {
    const lenient = await startModelServer({ strict: false });
    lenient.script(asking(moonshot, reply().says('Not sent.')), asking(moonshot, reply().says('Two.')));
    const { terminal } = await ask(
      modelAt({ url: lenient.url, protocol: 'anthropic' }),
      withThought({ messages: anothers }),
    );
    const blocks = JSON.stringify(lenient.requests[1]?.body);
    await lenient.close();
    expect([
      terminal.outcome,
      lenient.requests.length,
      blocks.includes('[{"type":"thinking","thinking":" ","signature":""},{"type":"tool_use"'),
    ]).toEqual(['complete', 2, true]);
  });

  it.each([
    'thinking is enabled but reasoning_content is missing in assistant tool call message at index 1',
    'Missing `reasoning_content` field in the assistant message at message index 1. For more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls',
    'The `reasoning_content` in the thinking mode must be passed back to the API.',
    'messages with tool_calls must include reasoning_content',
  ])('is recognized: %s', async (message) => {
    server.script(refuses(400, { message }), reply().says('Two.'));
    const { terminal } = await ask(model(), withThought({ messages: anothers }));
    expect([terminal.outcome, carried()]).toEqual(['complete', ['', 'reasoning']]);
  });

  it('is asked again in plain words only, if it already had the reasoning or still refuses; an attempt that did not help is not remembered', async () => {
    const missing = (): ReturnType<typeof refuses> =>
      refuses(400, { message: 'The `reasoning_content` in the thinking mode must be passed back to the API.' });
    server.script(...Array.from({ length: 5 }, missing), reply().says('Better.'));
    const one = model();
    const had = await ask(one, withThought({ messages: thought }));
    const lacked = await ask(one, withThought({ messages: anothers }));
    await ask(one, withThought({ messages: anothers }));
    expect([had.terminal.outcome, lacked.terminal.outcome, carried()]).toEqual([
      'failed',
      'failed',
      ['reasoning', '', '', 'reasoning', '', ''],
    ]);
  });

  it('and still refuses it is asked no more after one try each way', async () => {
    server.script(
      refuses(400, { message: 'reasoning_content is missing' }),
      refuses(400, { message: 'thinking blocks are wrong' }),
      refuses(400, { message: 'reasoning_content is missing' }),
      refuses(400, { message: 'reasoning_content is missing' }),
      reply().says('Not asked for.'),
    );
    const { terminal } = await ask(model(), withThought({ messages: anothers }));
    expect([terminal.outcome, carried()]).toEqual(['failed', ['', 'reasoning', '', '']]);
  });
});

describe('a model known to take no images', () => {
  it('never receives one', async () => {
    server.otherwise(reply().says('Fine.'));
    await ask(
      model({ images: false }),
      request({
        messages: [image, { role: 'assistant', content: [{ kind: 'text', text: 'ok' }] }, prompt('and now?')],
      }),
    );
    expect([carried(), server.requests[0]?.outline.slice(1, 3)]).toEqual([
      [''],
      ['user: See', 'user: (An image stood here. This model takes no images.)'],
    ]);
  });
});

describe('a service that refuses a conversation for a reason of its own', () => {
  const told = (terminal: Terminal): string =>
    terminal.outcome === 'complete' ? (terminal.leftOut ?? 'nothing') : terminal.outcome;
  const plain = ['user: one', 'user: (Result of read_file:)\ncontent'];
  const talk = (index: number) => (server.requests[index]?.outline ?? []).filter((line) => /^(user|tool)/.test(line));

  it.each([
    'messages.1: something is wrong in this row',
    'Invalid request',
    'Value error, role sequence',
    'Internal parse error at position 3',
    'tool_use ids must match',
    'Jinja Exception: oops',
  ])('is asked once more in plain words, and the turn says so (%s)', async (message) => {
    server.script(refuses(400, { message }), reply().says('Two.'));
    const { terminal } = await ask(model(), withThought({ tools: [] }));
    expect({ told: told(terminal), sent: talk(1) }).toEqual({
      told: 'Test refused this conversation, so it was sent as plain text, without images and thinking.',
      sent: plain,
    });
  });

  it('gets what comes after the refused part as it is, and the refused part never again', async () => {
    server.script(refuses(400, { message: 'Invalid request' }), reply().says('Two.'), reply().says('Three.'));
    const one = model();
    await ask(one, withThought());
    const more: readonly WireMessage[] = [
      { role: 'assistant', content: [{ kind: 'text', text: 'Two.' }] },
      ...thought.map((message) => JSON.parse(JSON.stringify(message).replaceAll('"a"', '"b"')) as WireMessage),
    ];
    const { terminal } = await ask(one, withThought({ messages: [...thought, ...more] }));
    expect({ told: told(terminal), sent: talk(2) }).toEqual({
      told: 'nothing',
      sent: [...plain, 'user: one', 'tool b: content'],
    });
  });

  it.each([
    'image exceeds 5 MB maximum: 6291456 bytes',
    'Could not process image',
    'At most 1 image(s) may be provided in one request.',
    'Failed to load image or audio file',
    'messages.2.content.0.image.source.base64: invalid',
  ])('is asked once more without the pictures so far if it speaks of them (%s)', async (message) => {
    server.script(refuses(400, { message }), reply().says('Two.'), reply().says('Three.'));
    const one = model();
    const { terminal } = await ask(one, withThought({ messages: withImage }));
    await ask(
      one,
      withThought({
        messages: [...withImage, { role: 'assistant', content: [{ kind: 'text', text: 'Two.' }] }, image],
      }),
    );
    expect({ told: told(terminal), carried: carried(), calls: talk(1)[1] }).toEqual({
      told: 'Test did not take an image, so it was left out.',
      carried: ['reasoning image', 'reasoning', 'reasoning image'],
      calls: 'tool a: content',
    });
  });

  it('is asked with simpler schemas, then without the tool that it names', async () => {
    const odd = {
      name: 'odd',
      description: 'Odd',
      parameters: { type: 'object', properties: { a: { type: 'string', format: 'x' } } },
    };
    const message = "Invalid schema for function 'odd': bad";
    server.script(refuses(400, { message }), refuses(400, { message }), reply().says('One.'), reply().says('Two.'));
    const one = model();
    const { terminal } = await ask(one, request({ tools: [...tools, odd] }));
    await ask(one, request({ tools: [...tools, odd] }));
    expect({
      told: told(terminal),
      tools: server.requests.map(
        ({ body }) => /"format"/.test(JSON.stringify(body)) + ' ' + /"odd"/.test(JSON.stringify(body)),
      ),
    }).toEqual({
      told: 'Test did not take these tools, so they were left out: odd.',
      tools: ['true true', 'false true', 'false false', 'false false'],
    });
  });

  it('is told of the first refusal if nothing helps, and keeps nothing of it in mind', async () => {
    server.script(
      ...Array.from({ length: 2 }, () => refuses(400, { message: 'Invalid request' })),
      reply().says('Two.'),
    );
    const one = model();
    const { terminal } = await ask(one, withThought());
    await ask(one, withThought());
    expect([terminal.outcome, carried()]).toEqual(['failed', ['reasoning', '', 'reasoning']]);
  });
});
