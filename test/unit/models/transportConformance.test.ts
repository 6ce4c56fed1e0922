import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChatModel, Terminal } from '../../../src/models/chatModel';
import { fetchWithTimeouts } from '../../../src/models/http/fetchWithTimeouts';
import {
  answersHtml,
  answersJson,
  answersNothing,
  dropsBeforeAnswering,
  refuses,
  reply,
  startModelServer,
} from '../../support/modelServer';
import type { ModelServer, Scripted } from '../../support/modelServer';
import { arrived, ask, follow, modelAt, request, textOf } from './asking';

/** A terminal as one line. */
function ended(terminal: Terminal): string {
  switch (terminal.outcome) {
    case 'complete': {
      const calls = terminal.toolCalls.map((call) => ` ${call.name}(${call.arguments})`).join('');
      return `complete ${terminal.finish.unified}${terminal.empty === 'no' ? '' : ` ${terminal.empty}`}${calls}`;
    }
    case 'aborted':
      return 'aborted';
    default:
      return `${terminal.outcome} ${terminal.failure.cause}`;
  }
}

const deltas = Array.from({ length: 300 }, (_, index) => `δ${index} `);
const long = deltas.join('');

interface Case {
  readonly name: string;
  readonly script: Scripted;
  readonly ends: string | { readonly openai: string; readonly anthropic: string };
  /** Joined text and thinking, in order of arrival. Left out where only the ledger decides. */
  readonly arrives?: readonly string[];
}

const cases: readonly Case[] = [
  {
    name: 'a plain answer',
    script: reply().says('Hello wörld 🌍, how are you?'),
    arrives: ['text: Hello wörld 🌍, how are you?', 'end of text'],
    ends: 'complete stop',
  },
  {
    name: 'thinking before the answer',
    script: reply().thinks('Let me see.').says('Four.'),
    arrives: ['thinking: Let me see.', 'end of thinking', 'text: Four.', 'end of text'],
    ends: 'complete stop',
  },
  {
    name: 'text and two tool calls',
    script: reply()
      .says('I look.')
      .calls('read_file', { path: 'ä.txt' }, { id: 'a' })
      .calls('list_directory', {}, { id: 'b' }),
    ends: 'complete toolCalls read_file({"path":"ä.txt"}) list_directory({})',
  },
  {
    name: 'a tool call without arguments',
    script: reply().calls('list_directory', ''),
    ends: { openai: 'complete toolCalls list_directory()', anthropic: 'complete toolCalls list_directory({})' },
  },
  {
    name: 'tool arguments that do not parse',
    script: reply().calls('read_file', '{"path": oops'),
    ends: 'complete toolCalls read_file({"path": oops)',
  },
  {
    name: 'the connection dropping in the middle of text',
    script: reply().says('One two three').drops(),
    arrives: ['text: One two three'],
    ends: 'interrupted network',
  },
  {
    name: 'the connection dropping in the middle of thinking',
    script: reply().thinks('One two').drops(),
    arrives: ['thinking: One two'],
    ends: 'interrupted network',
  },
  {
    name: 'the connection dropping in the middle of a tool call',
    script: reply().says('I look.').beginsCall('read_file', '{"path": "a').drops(),
    ends: 'interrupted network',
  },
  {
    name: 'an orderly end without a finish reason',
    script: reply().says('One two three').endsWithoutFinish(),
    ends: 'interrupted network',
  },
  {
    name: 'an orderly end in the middle of a tool call',
    script: reply().beginsCall('read_file', '{"path": "a').endsWithoutFinish(),
    ends: 'interrupted network',
  },
  {
    name: 'an error object in the stream',
    script: reply().says('One two').breaksWith('Overloaded', 'overloaded_error'),
    ends: 'interrupted overloaded',
  },
  {
    name: 'a malformed frame between good ones',
    script: reply().says('One ').sendsMalformedFrame().says('two'),
    arrives: ['text: One two', 'end of text'],
    ends: 'complete stop',
  },
  { name: 'a cut at the output limit', script: reply().says('One two').finishes('length'), ends: 'complete length' },
  {
    name: 'a tool call cut at the output limit',
    script: reply().says('One').calls('read_file', {}).finishes('length'),
    ends: 'complete length',
  },
  { name: 'a content filter', script: reply().says('No').finishes('contentFilter'), ends: 'complete contentFilter' },
  {
    name: 'a refusal in words',
    script: reply().refusesWith('I cannot help with that.').finishes('contentFilter'),
    ends: 'complete contentFilter',
  },
  { name: 'an unknown finish reason', script: reply().says('One').finishes('stop', 'tired'), ends: 'complete other' },
  { name: 'an answer without a word', script: reply(), ends: 'complete stop empty' },
  { name: 'nothing but thinking', script: reply().thinks('Hm.'), ends: 'complete stop thinkingOnly' },
  {
    name: 'every byte on its own',
    script: reply().thinks('hmm ü').says('日本語 👩‍👩‍👧 ok').calls('f', { q: '日' }).byteByByte(),
    ends: 'complete toolCalls f({"q":"日"})',
  },
  {
    name: 'keep-alive comments',
    script: reply().comments('processing').says('One').comments('processing').says(' two'),
    arrives: ['text: One two', 'end of text'],
    ends: 'complete stop',
  },
  {
    name: 'a cut inside a multi-byte character',
    script: reply().says('Größe und Länge').cutsAtByte(640),
    ends: { openai: 'interrupted network', anthropic: 'interrupted network' },
  },
  { name: 'a web page', script: answersHtml(), ends: 'failed notAnApi' },
  { name: 'a JSON document', script: answersJson({ status: 'ok' }), ends: 'failed notAnApi' },
  {
    name: 'an error as a JSON document with status 200',
    script: answersJson({ error: { message: 'No credit', code: 402 } }),
    ends: 'failed quota',
  },
  { name: 'an empty body', script: answersNothing(), ends: 'failed empty' },
  { name: 'a wrong key', script: refuses(401), ends: 'failed auth' },
  {
    name: 'an unknown model',
    script: refuses(404, { message: 'The model `test-model` does not exist' }),
    ends: 'failed notFound',
  },
  {
    name: 'too long a conversation',
    script: refuses(400, { message: 'prompt is too long: 210000 tokens > 200000 maximum' }),
    ends: 'failed context',
  },
  { name: 'rate limiting that lasts', script: refuses(429, { retryAfter: 3600 }), ends: 'failed rateLimit' },
  {
    name: 'an invalid request',
    script: refuses(400, { message: 'temperature is not supported' }),
    ends: 'failed badRequest',
  },
];

const transports = [
  { protocol: 'openai', network: 'fetch', fetch: globalThis.fetch },
  { protocol: 'anthropic', network: 'fetch', fetch: globalThis.fetch },
  {
    protocol: 'openai',
    network: 'fetchWithTimeouts',
    fetch: fetchWithTimeouts(() => Promise.reject(new Error('left this machine'))),
  },
  {
    protocol: 'anthropic',
    network: 'fetchWithTimeouts',
    fetch: fetchWithTimeouts(() => Promise.reject(new Error('left this machine'))),
  },
] as const;

describe.each(transports)('every transport, here $protocol over $network', ({ protocol, fetch }) => {
  let server: ModelServer;
  let model: ChatModel;
  beforeEach(async () => {
    server = await startModelServer({ protocols: [protocol] });
    model = modelAt({ url: server.url, protocol, fetch, key: 'sk-secret-key', policy: { backoffMs: 1 } });
  });
  afterEach(() => server.close());

  it.each(cases)('ends exactly once after $name, and shows what was delivered', async ({ script, arrives, ends }) => {
    server.script(script);
    const { events, terminal } = await ask(model);
    const expected = typeof ends === 'string' ? ends : ends[protocol];
    expect({ ends: ended(terminal), seen: { text: textOf(events), thinking: textOf(events, 'thinking') } }).toEqual({
      ends: expected,
      seen: server.requests[0]?.delivered,
    });
    if (arrives !== undefined) expect(arrived(events)).toEqual(arrives);
    expect(server.unplayed).toBe(0);
  });

  it.each([
    { name: 'one burst and a drop', script: reply().says(long, { in: 'words' }).inOneBurst().drops() },
    { name: 'single events and a drop', script: reply().says(long, { in: 'words' }).drops() },
    {
      name: 'one burst and an orderly end',
      script: reply().says(long, { in: 'words' }).inOneBurst().endsWithoutFinish(),
    },
  ])('loses nothing to a slow reader after $name', async ({ script }) => {
    server.script(script);
    const { events, terminal } = await follow(model.stream(request(), new AbortController().signal), () => sleep(1));
    expect({ text: textOf(events), outcome: terminal.outcome, sent: server.requests[0]?.delivered.text }).toEqual({
      text: long,
      outcome: 'interrupted',
      sent: long,
    });
  });

  it('loses nothing while the event loop is blocked and the connection drops', async () => {
    server.script(reply().says(long, { in: 'words' }).drops());
    const stream = model.stream(request(), new AbortController().signal);
    await stream.hasEvent(0);
    const until = performance.now() + 150;
    while (performance.now() < until);
    const { events } = await follow(stream);
    expect(textOf(events)).toBe(server.requests[0]?.delivered.text);
  });

  it.each([1, 7, 150, 299])('keeps the first %i deltas when aborted after them', async (count) => {
    const stop = new AbortController();
    server.script(reply().says(deltas.slice(0, count).join('').trimEnd(), { in: 'words' }).hangs());
    const stream = model.stream(request(), stop.signal);
    await stream.hasEvent(count - 1);
    stop.abort();
    const { events, terminal } = await follow(stream);
    await server.requests[0]?.ended;
    expect({ text: textOf(events), terminal, gone: server.requests[0]?.clientClosed }).toEqual({
      text: server.requests[0]?.delivered.text,
      terminal: { outcome: 'aborted', usage: null, requestId: null },
      gone: true,
    });
  });

  it('is aborted without a request if the signal fired before', async () => {
    const { terminal } = await ask(model, request(), AbortSignal.abort());
    expect([terminal.outcome, server.requests.length]).toEqual(['aborted', 0]);
  });

  it('reports tool call progress before the call is complete', async () => {
    server.script(reply().calls('read_file', { path: 'src/a.ts' }, { id: 'c1', in: 5 }));
    const { events } = await ask(model);
    const progress = events.flatMap((event) => (event.kind === 'toolCallProgress' ? [event] : []));
    expect(progress.at(-1)).toEqual({
      kind: 'toolCallProgress',
      callId: 'c1',
      name: 'read_file',
      characters: '{"path":"src/a.ts"}'.length,
    });
  });

  it('reports usage, the finish reason and the request id', async () => {
    server.script(reply().says('One').uses({ input: 120, output: 7, cached: 100 }));
    const { terminal } = await ask(model);
    expect(terminal).toMatchObject({
      outcome: 'complete',
      requestId: 'req_1',
      finish: { unified: 'stop', raw: protocol === 'openai' ? 'stop' : 'end_turn' },
      usage: { inputTokens: protocol === 'openai' ? 120 : 220, outputTokens: 7, cachedInputTokens: 100 },
    });
  });

  it('retries a broken connection and an overloaded server before the first delta, and reports it', async () => {
    server.script(dropsBeforeAnswering(), refuses(529), reply().says('Now.'));
    const { events, terminal } = await ask(model);
    const retries = events.flatMap((event) =>
      event.kind === 'notice' && event.notice.kind === 'retrying'
        ? [`${event.notice.attempt} of ${event.notice.attempts}: ${event.notice.failure.cause}`]
        : [],
    );
    expect({ retries, text: textOf(events), ends: ended(terminal) }).toEqual({
      retries: ['2 of 3: network', '3 of 3: overloaded'],
      text: 'Now.',
      ends: 'complete stop',
    });
  });
});
