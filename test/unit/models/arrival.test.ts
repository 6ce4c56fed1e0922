import { describe, expect, it } from 'vitest';
import type { Terminal } from '../../../src/models/chatModel';
import { ManualClock } from '../../support/manualClock';
import { ask, modelAt, textOf } from './asking';

type Json = Readonly<Record<string, unknown>>;

const chunk = (delta: Json, more: Json = {}, finish: string | null = null): Json => ({
  id: 'x',
  choices: [{ index: 0, delta, finish_reason: finish, ...more }],
});
const says = (text: string): Json => chunk({ content: text });
const ends = (reason = 'stop', more: Json = {}): Json => chunk({}, more, reason);
const calls = (...list: readonly Json[]): Json => chunk({ tool_calls: list });
const sse = (...events: readonly (Json | string)[]): string =>
  events.map((event) => (typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`)).join('');
const done = 'data: [DONE]\n\n';

const start = {
  type: 'message_start',
  message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 3 } },
};
const block = (content: Json, index = 0): Json => ({ type: 'content_block_start', index, content_block: content });
const delta = (fields: Json, index = 0): Json => ({ type: 'content_block_delta', index, delta: fields });
const blockEnd = { type: 'content_block_stop', index: 0 };
const text = [block({ type: 'text', text: '' }), delta({ type: 'text_delta', text: 'One two.' }), blockEnd];
const stopReason = (reason: string | null): Json => ({
  type: 'message_delta',
  delta: { stop_reason: reason },
  usage: { output_tokens: 2 },
});
const stopped = { type: 'message_stop' };

interface Body {
  readonly protocol?: 'openai' | 'anthropic';
  readonly contentType?: string;
  readonly status?: number;
  /** What happens behind the last byte. Default: the body ends. A list: these pieces, one every three seconds, the last
   *  one again and again. */
  readonly then?: 'hangs' | 'breaks' | readonly string[];
}

function answering(
  body: string,
  { contentType = 'text/event-stream', status = 200, then }: Body,
  clock: ManualClock,
): typeof globalThis.fetch {
  const encoder = new TextEncoder();
  const later = typeof then === 'object' ? [...then] : [];
  return () => {
    let isCancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        if (body !== '') controller.enqueue(encoder.encode(body));
        if (then === undefined) controller.close();
      },
      pull(controller) {
        if (then === 'breaks') controller.error(new TypeError('terminated'));
        if (then === 'breaks' || then === undefined) return undefined;
        return new Promise((resolve) => {
          if (then === 'hangs') return;
          clock.after(3000, () => {
            if (isCancelled) return;
            controller.enqueue(encoder.encode((later.length > 1 ? later.shift() : later[0]) ?? ''));
            resolve();
          });
        });
      },
      cancel() {
        isCancelled = true;
      },
    });
    return Promise.resolve(new Response(stream, { status, headers: { 'content-type': contentType } }));
  };
}

function summary(terminal: Terminal): string {
  if (terminal.outcome === 'complete')
    return [terminal.finish.unified, ...terminal.toolCalls.map((call) => `${call.name}(${call.arguments})`)].join(' ');
  return terminal.outcome === 'aborted' ? 'aborted' : `${terminal.outcome} ${terminal.failure.cause}`;
}

async function arrives(body: string, about: Body = {}) {
  const clock = new ManualClock();
  const model = modelAt({
    url: 'http://127.0.0.1:1/v1',
    protocol: about.protocol ?? 'openai',
    fetch: answering(body, about, clock),
    policy: { attempts: 1 },
    clock,
  });
  const answer = ask(model);
  const stays = about.then !== undefined && about.then !== 'breaks';
  for (let round = 0; stays && round < 60; round++) await clock.advance(round > 10 ? 1000 : 0);
  const { events, terminal } = await answer;
  return {
    text: textOf(events),
    thinking: textOf(events, 'thinking'),
    end: summary(terminal),
    sentence: 'failure' in terminal ? terminal.failure.sentence : '',
    usage: terminal.usage,
  };
}

describe('an answer over chat completions is what arrived', () => {
  it.each<[string, string, Body?]>([
    ['the connection stays open behind [DONE]', sse(says('One two.'), ends(), done), { then: 'hangs' }],
    ['the connection stays open behind the finish', sse(says('One two.'), ends()), { then: 'hangs' }],
    ['the connection breaks behind the finish', sse(says('One two.'), ends()), { then: 'breaks' }],
    ['the connection breaks behind [DONE]', sse(says('One two.'), ends(), done), { then: 'breaks' }],
    ['the role is another', sse(chunk({ role: 'model', content: 'One ' }), says('two.'), ends())],
    ['a date is text', sse({ ...says('One '), created: '2026' }, says('two.'), ends())],
    ['an id is a number', sse({ ...says('One '), id: 5, model: null }, says('two.'), ends())],
    ['a field is new', sse(chunk({ content: 'One ', annotations: { a: 1 }, audio: 5 }), says('two.'), ends())],
    [
      'the content is parts',
      sse(
        chunk({
          content: [
            { type: 'text', text: 'One ' },
            { type: 'output_text', text: 'two.' },
          ],
        }),
        ends(),
      ),
    ],
    ['the content is an object', sse(chunk({ content: { text: 'One ' } }), says('two.'), ends())],
    ['calls are null and refusals odd', sse(chunk({ content: 'One two.', tool_calls: null, refusal: {} }), ends())],
    ['every chunk has a null error', sse({ ...says('One two.'), error: null }, { ...ends(), error: null })],
    ['every chunk has an empty error', sse({ ...says('One two.'), error: '' }, { ...ends(), error: {} })],
    [
      'counts come last, without choices',
      sse(says('One two.'), ends(), { usage: { prompt_tokens: 3, completion_tokens: 2 } }, done),
    ],
    [
      'counts come last, with null choices',
      sse(says('One two.'), ends(), { choices: null, usage: { prompt_tokens: 3 } }),
    ],
    ['counts are odd', sse(says('One two.'), { ...ends(), usage: [] })],
    ['a foreign event follows', sse(says('One two.'), ends(), { type: 'billing', cost: 'x' }, done)],
    ['an error of the proxy follows', sse(says('One two.'), ends(), { error: { message: 'late' } }, done)],
    ['rubbish follows', sse(says('One two.'), ends(), 'data: {"half\n\n', done)],
    ['words follow', sse(says('One two.'), ends(), 'data: bye\n\n')],
    [
      'events have no empty line between',
      `data: ${JSON.stringify(says('One '))}\ndata: ${JSON.stringify(says('two.'))}\ndata: ${JSON.stringify(ends())}\n`,
    ],
    [
      'an event has two lines of data',
      `data: {"choices":\ndata: [{"delta":{"content":"One two."},"finish_reason":"stop"}]}\n\n`,
    ],
    ['lines end with CR', sse(says('One two.'), ends()).replaceAll('\n', '\r')],
    ['the stream says it is JSON', sse(says('One two.'), ends(), done), { contentType: 'application/json' }],
    ['the stream says it is text', sse(says('One two.'), ends(), done), { contentType: 'text/plain' }],
    [
      'it is JSON, not a stream',
      JSON.stringify({
        choices: [{ message: { role: 'assistant', content: 'One two.' }, finish_reason: 'stop' }],
        usage: {},
      }),
      { contentType: 'application/json' },
    ],
    [
      'it is JSON over lines',
      JSON.stringify({ choices: [{ message: { content: 'One two.' }, finish_reason: 'stop' }] }, null, 2),
      { contentType: 'application/json; charset=utf-8' },
    ],
    ['it is JSON in an event', sse({ choices: [{ message: { content: 'One two.' }, finish_reason: 'stop' }] })],
    [
      'it is a list of chunks',
      JSON.stringify([says('One '), says('two.'), ends()]),
      { contentType: 'application/json' },
    ],
    [
      'it is JSON by line',
      [says('One '), says('two.'), ends()].map((each) => JSON.stringify(each)).join('\n'),
      { contentType: 'application/x-ndjson' },
    ],
    [
      'it is the protocol of Ollama',
      '{"message":{"content":"One "},"done":false}\n{"message":{"content":"two."},"done":true,"done_reason":"stop"}\n',
    ],
    [
      'a choice follows the first',
      sse({ choices: [{ delta: { content: 'One two.' } }, { delta: { content: 'No' } }] }, ends()),
    ],
  ])('if %s', async (_what, body, about) => {
    expect(await arrives(body, about)).toMatchObject({ text: 'One two.', end: 'stop' });
  });

  it('keeps thinking in whatever form it comes', async () => {
    const body = sse(
      chunk({ reasoning: { text: 'A' } }),
      chunk({ reasoning_content: 'B' }),
      chunk({ thinking: 'C' }),
      chunk({ reasoning: [{ text: 'D' }] }),
      says('One'),
      ends(),
    );
    expect(await arrives(body)).toMatchObject({ text: 'One', thinking: 'ABCD', end: 'stop' });
  });

  it.each([
    ['length', 'length'],
    ['max_tokens', 'length'],
    ['model_length', 'length'],
    ['MAX_TOKENS', 'length'],
    ['max_output_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['sensitive', 'contentFilter'],
    ['content_filter', 'contentFilter'],
    ['SAFETY', 'contentFilter'],
    ['RECITATION', 'contentFilter'],
    ['PROHIBITED_CONTENT', 'contentFilter'],
    ['refusal', 'contentFilter'],
    ['eos_token', 'stop'],
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['COMPLETE', 'stop'],
    ['tired', 'other'],
    ['insufficient_system_resource', 'interrupted network'],
    ['network_error', 'interrupted network'],
    ['abort', 'interrupted network'],
    ['cancelled', 'interrupted network'],
    ['error', 'interrupted network'],
    ['error_finish', 'interrupted network'],
    ['timeout', 'interrupted network'],
    ['MALFORMED_FUNCTION_CALL', 'interrupted network'],
    ['', 'interrupted network'],
  ])('tells the finish %j as %s', async (reason, end) => {
    expect((await arrives(sse(says('One'), ends(reason), done))).end).toBe(end);
  });

  it('believes the service behind a router that says stop', async () => {
    expect((await arrives(sse(says('One'), ends('stop', { native_finish_reason: 'network_error' })))).end).toBe(
      'interrupted network',
    );
    expect((await arrives(sse(says('One'), ends('stop', { native_finish_reason: 'completed' })))).end).toBe('stop');
  });

  it.each<[string, string]>([
    [
      'an empty word in every chunk, then a cut',
      sse(chunk({ content: 'One' }, {}, ''), chunk({ content: ' two' }, {}, '')),
    ],
    ['[DONE] without a finish', sse(says('One two'), done)],
    [
      'an error of the service directly before the finish',
      sse(says('One two'), { error: { message: 'Connection reset' } }, ends()),
    ],
  ])('is not complete with %s', async (_what, body) => {
    expect((await arrives(body)).end).toMatch(/^interrupted/);
  });

  it('reads counts that are text', async () => {
    const { usage } = await arrives(
      sse(says('One'), {
        ...ends(),
        usage: { prompt_tokens: '7', completion_tokens: '3', prompt_tokens_details: 'none' },
      }),
    );
    expect(usage).toMatchObject({ inputTokens: 7, outputTokens: 3 });
  });

  it.each<[string, string]>([
    ['as plain words', 'data: upstream connect error\n\n'],
    ['as an event of that name', 'event: error\ndata: upstream connect error\n\n'],
    ['as a body of plain words', 'upstream connect error'],
    ['as an object', sse({ object: 'error', message: 'upstream connect error', code: 40303 })],
    ['as detail', sse({ detail: 'upstream connect error' })],
    ['as a list of details', sse({ detail: [{ loc: ['body'], msg: 'upstream connect error' }] })],
    ['as a list of errors', sse({ success: false, errors: [{ code: 7003, message: 'upstream connect error' }] })],
    ['as a text', sse({ error: 'upstream connect error' })],
    ['within an error', sse({ error: { error: { message: 'upstream connect error' } } })],
    ['as JSON in text', sse({ error: { message: '{"error":{"message":"upstream connect error"}}' } })],
    [
      'behind a router',
      sse({
        error: {
          code: 502,
          message: 'Provider returned error',
          metadata: { raw: '{"error":"upstream connect error"}' },
        },
      }),
    ],
    ['beside a choice', sse({ ...ends('error'), error: { message: 'upstream connect error' } })],
    ['as msg', sse({ base_resp: { status_code: 1, status_msg: 'upstream connect error' }, success: false })],
  ])('shows a service’s own words about an error, %s', async (_what, body) => {
    expect((await arrives(body)).sentence).toContain('upstream connect error');
  });

  it.each<[string, readonly Json[], string]>([
    ['as an object', [{ index: 0, id: 'a', function: { name: 'f', arguments: { a: 1 } } }], 'f({"a":1})'],
    ['after an empty object', [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}{"a":1}' } }], 'f({"a":1})'],
    ['twice', [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"a":1}{"a":1}' } }], 'f({"a":1})'],
    ['as text in text', [{ index: 0, id: 'a', function: { name: 'f', arguments: '"{\\"a\\":1}"' } }], 'f({"a":1})'],
    ['in a list', [{ index: 0, id: 'a', function: { name: 'f', arguments: '[{"a":1}]' } }], 'f({"a":1})'],
    [
      'in a code block',
      [{ index: 0, id: 'a', function: { name: 'f', arguments: '```json\n{"a":1}\n```' } }],
      'f({"a":1})',
    ],
    ['as null', [{ index: 0, id: 'a', function: { name: 'f', arguments: 'null' } }], 'f({})'],
    [
      'two different ones',
      [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"a":1}{"a":2}' } }],
      'f({"a":1}{"a":2})',
    ],
    ['with numbers for ids', [{ index: '0', id: 7, function: { name: 'f', arguments: '{"a":1}' } }], 'f({"a":1})'],
    ['without a function around', [{ id: 'a', name: 'f', arguments: '{"a":1}' }], 'f({"a":1})'],
    [
      'three times under one id',
      [0, 1, 2].map((index) => ({ index, id: 'a', function: { name: 'f', arguments: '{"a":1}' } })),
      'f({"a":1})',
    ],
    [
      'under one id, but other arguments',
      [0, 1].map((index) => ({ index, id: 'a', function: { name: 'f', arguments: `{"a":${index}}` } })),
      'f({"a":0}) f({"a":1})',
    ],
    [
      'equal ones under two ids',
      [0, 1].map((index) => ({ index, id: `a${index}`, function: { name: 'f', arguments: '{}' } })),
      'f({}) f({})',
    ],
  ])('reads arguments %s', async (_what, list, end) => {
    expect((await arrives(sse(calls(...list), ends('tool_calls'), done))).end).toBe(`toolCalls ${end}`);
  });

  it('reads a call in a whole completion, and one of the older form', async () => {
    const message = {
      content: null,
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
        { id: 'b', function: { name: 'g', arguments: {} } },
      ],
    };
    expect(
      (
        await arrives(JSON.stringify({ choices: [{ message, finish_reason: 'tool_calls' }] }), {
          contentType: 'application/json',
        })
      ).end,
    ).toBe('toolCalls f({}) g({})');
    expect(
      (await arrives(sse(chunk({ function_call: { name: 'f', arguments: '{}' } }), ends('function_call')))).end,
    ).toBe('toolCalls f({})');
  });
});

describe('an answer over the messages protocol is what arrived', () => {
  const anthropic = (body: string, about: Body = {}) => arrives(body, { ...about, protocol: 'anthropic' });

  it.each<[string, string, Body?]>([
    [
      'the connection stays open behind the end',
      sse(start, ...text, stopReason('end_turn'), stopped),
      { then: 'hangs' },
    ],
    [
      'the connection stays open behind the stop reason',
      sse(start, ...text, stopReason('end_turn')),
      { then: 'hangs' },
    ],
    ['the connection breaks behind the stop reason', sse(start, ...text, stopReason('end_turn')), { then: 'breaks' }],
    ['the last event is missing', sse(start, ...text, stopReason('end_turn'))],
    [
      'the start has no counts',
      sse({ type: 'message_start', message: { id: 'm', content: [] } }, ...text, stopReason('end_turn'), stopped),
    ],
    ['the start is missing', sse(...text, stopReason('end_turn'), stopped)],
    [
      'the end has no counts',
      sse(start, ...text, { type: 'message_delta', delta: { stop_reason: 'end_turn' } }, stopped),
    ],
    [
      'the start of a block is missing',
      sse(start, delta({ type: 'text_delta', text: 'One two.' }), stopReason('end_turn'), stopped),
    ],
    ['the end of a block is missing', sse(start, ...text.slice(0, 2), stopReason('end_turn'), stopped)],
    [
      'text stands in the start of a block',
      sse(
        start,
        block({ type: 'text', text: 'One ' }),
        delta({ type: 'text_delta', text: 'two.' }),
        blockEnd,
        stopReason('end_turn'),
        stopped,
      ),
    ],
    [
      'a delta is of an unknown kind',
      sse(
        start,
        text[0] ?? '',
        delta({ type: 'output_text', text: 'One two.' }),
        blockEnd,
        stopReason('end_turn'),
        stopped,
      ),
    ],
    [
      'an unknown event comes',
      sse(start, { type: 'billing' }, ...text, { type: 'new_thing', a: 1 }, stopReason('end_turn'), stopped),
    ],
    [
      'an unknown block comes',
      sse(
        start,
        ...text,
        block({ type: 'container_upload', id: 5 }, 1),
        delta({ type: 'x' }, 1),
        { type: 'content_block_stop', index: 1 },
        stopReason('end_turn'),
        stopped,
      ),
    ],
    [
      'an index is text',
      sse(start, { ...text[0], index: '0' }, { ...text[1], index: '0' }, stopReason('end_turn'), stopped),
    ],
    [
      'the kind is only in the name',
      [start, ...text, stopReason('end_turn'), stopped]
        .map(({ type, ...event }) => `event: ${String(type)}\ndata: ${JSON.stringify(event)}\n\n`)
        .join(''),
    ],
    [
      'it is a whole message',
      JSON.stringify({
        type: 'message',
        role: 'assistant',
        content: [{ type: 'text', text: 'One two.' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 1, output_tokens: 2 },
      }),
      { contentType: 'application/json' },
    ],
    [
      'an error follows the stop reason',
      sse(start, ...text, stopReason('end_turn'), { type: 'error', error: { type: 'x', message: 'late' } }, stopped),
    ],
  ])('if %s', async (_what, body, about) => {
    expect(await anthropic(body, about)).toMatchObject({ text: 'One two.', end: 'stop' });
  });

  it.each<[string, string]>([
    ['without a stop reason', sse(start, ...text, stopped)],
    ['with a stop reason of null', sse(start, ...text, stopReason(null), stopped)],
    ['with an end of the body', sse(start, ...text)],
  ])('is not complete %s', async (_what, body) => {
    expect((await anthropic(body)).end).toBe('interrupted network');
  });

  it('keeps a call whose input came whole, or as an object', async () => {
    const whole = sse(
      start,
      block({ type: 'tool_use', id: 'a', name: 'f', input: { a: 1 } }),
      blockEnd,
      stopReason('tool_use'),
      stopped,
    );
    const object = sse(
      start,
      block({ type: 'tool_use', id: 'a', name: 'f' }),
      delta({ type: 'input_json_delta', partial_json: { a: 1 } }),
      blockEnd,
      stopReason('tool_use'),
      stopped,
    );
    expect([(await anthropic(whole)).end, (await anthropic(object)).end]).toEqual([
      'toolCalls f({"a":1})',
      'toolCalls f({"a":1})',
    ]);
  });

  it.each<[string, string]>([
    ['without a kind', sse({ type: 'error', error: { message: 'upstream connect error' } })],
    ['as text', sse({ type: 'error', error: 'upstream connect error' })],
    ['as detail', sse({ detail: 'upstream connect error' })],
    ['as words', 'event: error\ndata: upstream connect error\n\n'],
    [
      'nested',
      sse({ type: 'error', error: { type: 'api_error', message: '{"error":{"message":"upstream connect error"}}' } }),
    ],
  ])('shows a service’s own words about an error, %s', async (_what, body) => {
    expect((await anthropic(body)).sentence).toContain('upstream connect error');
  });
});

/** Each kind of odd answer, by the letter under which its reports were collected. */
describe('an odd answer over chat completions', () => {
  const call = { index: 0, id: 'a', function: { name: 'f', arguments: '{"a":1}' } };

  it.each<[string, string, Body?]>([
    // The end is the protocol's end.
    ['keep-alives go on behind the finish', sse(says('One two.'), ends()), { then: [': ping\n\n'] }],
    ['[DONE] has no blank before it', sse(says('One two.'), ends(), 'data:[DONE]\n\n'), { then: 'hangs' }],
    ['[DONE] is JSON', sse(says('One two.'), ends(), 'data: "[DONE]"\n\n'), { then: 'hangs' }],
    ['[DONE] has no line end', sse(says('One two.'), ends(), 'data: [DONE]'), { then: 'hangs' }],
    ['events of the service go on behind [DONE]', sse(says('One two.'), ends(), done), { then: [sse(says('No'))] }],
    [
      'every chunk is slow and says that it finishes',
      sse(chunk({ content: 'One' }, {}, 'stop')),
      { then: [sse(chunk({ content: ' ' }, {}, 'stop')), sse(chunk({ content: 'two.' }, {}, 'stop')), done] },
    ],
    // An unknown field costs no word.
    ['choices are an object', sse({ choices: { delta: { content: 'One two.' }, finish_reason: 'stop' } })],
    ['a delta is text', sse({ choices: [{ delta: 'One ' }] }, says('two.'), ends())],
    ['a delta is null beside a message', sse({ choices: [{ delta: null, message: { content: 'One two.' } }] }, ends())],
    ['calls are text', sse(chunk({ content: 'One two.', tool_calls: 'none' }), ends())],
    [
      'a chunk without choices comes first',
      sse({ choices: [], prompt_filter_results: [{}] }, says('One two.'), ends()),
    ],
    ['counts of words are odd', sse(chunk({ content: 'One two.' }, { index: '0', logprobs: 'no' }), ends())],
    // What follows the finish harms nothing.
    [
      'counts follow beside an empty choice',
      sse(says('One two.'), ends(), { choices: [{}], usage: { prompt_tokens: 1 } }),
    ],
    ['counts follow twice', sse(says('One two.'), ends(), { usage: { prompt_tokens: 1 } }, { usage: null })],
    ['a named event follows', sse(says('One two.'), ends(), 'event: metrics\ndata: {"ms": 5}\n\n', done)],
    ['null stands between', sse(says('One two.'), 'data: null\n\n', ends(), 'data: null\n\n')],
    ['a blank event stands between', sse(says('One two.'), 'data: \n\n', 'data: 5\n\n', ends())],
    [
      'a foreign event with words stands between',
      sse(says('One two.'), { type: 'status', message: 'Counting', detail: 'tokens' }, ends()),
    ],
    ['a status stands between', sse(says('One two.'), { code: 0, message: 'success' }, ends())],
    // An empty reason is no reason.
    ['an empty reason precedes the real one', sse(chunk({ content: 'One two.' }, {}, ''), ends())],
    ['the reason is the word null until the real one', sse(chunk({ content: 'One two.' }, {}, 'null'), ends())],
    // An empty error is no error.
    ['every chunk has a false error', sse({ ...says('One two.'), error: false, errors: [] }, ends())],
    ['every chunk has an error of nulls', sse({ ...says('One two.'), error: { message: null, code: null } }, ends())],
    ['every chunk has an error of code 0', sse({ ...says('One two.'), error: { code: 0, message: '' } }, ends())],
    ['every chunk has an empty detail', sse({ ...says('One two.'), detail: '', error: [] }, ends())],
    ['counts have a null error', sse(says('One two.'), { error: null, usage: { prompt_tokens: 1 } }, ends())],
    // Whatever the label says.
    [
      'it is JSON with a byte order mark',
      `\uFEFF${JSON.stringify({ choices: [{ text: 'One two.', finish_reason: 'stop' }] })}`,
    ],
    [
      'it is JSON labelled as text',
      JSON.stringify({ choices: [{ message: { content: 'One two.' }, finish_reason: 'stop' }] }, null, 1),
      { contentType: 'text/plain' },
    ],
    [
      'the stream has no label that says something',
      sse(says('One two.'), ends()),
      { contentType: 'application/octet-stream' },
    ],
    ['the stream says it is HTML', sse(says('One two.'), ends()), { contentType: 'text/html' }],
    ['it begins with empty lines', `\n\n${sse(says('One two.'), ends())}`, { contentType: 'application/json' }],
  ])('is whole if %s', async (_what, body, about) => {
    expect(await arrives(body, about)).toMatchObject({ text: 'One two.', end: 'stop' });
  });

  it.each<[string, string, Body?]>([
    ['the connection stays open behind it', sse(calls(call), ends('tool_calls'), done), { then: 'hangs' }],
    ['a foreign event follows it', sse(calls(call), ends('tool_calls'), { type: 'billing' })],
    ['counts follow it', sse(calls(call), ends('tool_calls'), { usage: { prompt_tokens: 1 } })],
    [
      'its pieces have an id each',
      sse(
        calls({ ...call, function: { name: 'f', arguments: '' } }),
        calls({ index: 0, id: 'b', function: { arguments: '{"a":' } }),
        calls({ index: 0, id: 'c', function: { arguments: '1}' } }),
        ends('tool_calls'),
      ),
    ],
    [
      'its pieces repeat its name',
      sse(
        calls({ ...call, function: { name: 'f', arguments: '{"a"' } }),
        calls({ ...call, function: { name: 'f', arguments: ':1}' } }),
        ends('tool_calls'),
      ),
    ],
    [
      'its pieces have no place',
      sse(
        calls({ id: 'a', function: { name: 'f', arguments: '{"a"' } }),
        calls({ function: { arguments: ':1}' } }),
        ends('tool_calls'),
      ),
    ],
    [
      'its name comes late',
      sse(
        calls({ index: 0, id: 'a', function: { arguments: '{"a"' } }),
        calls({ index: 0, function: { name: 'f', arguments: ':1}' } }),
        ends('tool_calls'),
      ),
    ],
  ])('keeps its call if %s', async (_what, body, about) => {
    expect((await arrives(body, about)).end).toBe('toolCalls f({"a":1})');
  });

  const named = (json: string): Json => ({ ...(json === '' ? { name: 'f' } : {}), arguments: json });
  it.each<[string, readonly Json[]]>([
    ['under one place', [call, { index: 0, id: 'b', function: { name: 'g', arguments: '{}' } }]],
    ['under one place and name', [call, { index: 0, id: 'b', function: { name: 'f', arguments: '{}' } }]],
    [
      'under one place and name, and begin without arguments',
      [
        call,
        ...['', '{', '}'].map((json) => ({ index: 0, ...(json === '' ? { id: 'b' } : {}), function: named(json) })),
      ],
    ],
    [
      'without place and id',
      [{ function: { name: 'f', arguments: '{"a":1}' } }, { function: { name: 'f', arguments: '{}' } }],
    ],
    [
      'mixed',
      [
        { ...call, function: { name: 'f', arguments: '{"a"' } },
        { index: 1, id: 'b', function: { name: 'f', arguments: '{' } },
        { index: 0, function: { arguments: ':1}' } },
        { index: 1, function: { arguments: '}' } },
      ],
    ],
  ])('tells two calls apart that come %s', async (_what, list) => {
    const { end } = await arrives(sse(...list.map((each) => calls(each)), ends('tool_calls')));
    expect(end).toMatch(/^toolCalls f\(\{"a":1\}\) [fg]\(\{\}\)$/);
  });

  it('counts what the service counts late', async () => {
    const late = sse({ usage: { prompt_tokens: 7, completion_tokens: 2 } });
    expect((await arrives(sse(says('One'), ends()), { then: [late, ': ping\n\n'] })).usage).toMatchObject({
      inputTokens: 7,
    });
  });

  it.each([
    ['token_limit', 'length'],
    ['context_window_full', 'length'],
    ['IMAGE_SAFETY', 'contentFilter'],
    ['blocked', 'contentFilter'],
    ['end_of_text', 'stop'],
    ['tool_use', 'toolCalls'],
    ['server_shutdown', 'interrupted network'],
    ['client_disconnected', 'interrupted network'],
    ['engine_overloaded', 'interrupted network'],
    ['internal server error', 'interrupted network'],
    ['null', 'interrupted network'],
    [' ', 'interrupted network'],
    [0, 'interrupted network'],
    [{}, 'interrupted network'],
  ])('tells the finish %j as %s', async (reason, end) => {
    expect((await arrives(sse({ choices: [{ delta: { content: 'One' }, finish_reason: reason }] }, done))).end).toBe(
      end,
    );
  });

  it('runs no call of an answer whose reason is always empty', async () => {
    const cut = sse({ choices: [{ delta: { tool_calls: [call] }, finish_reason: '' }] });
    expect((await arrives(cut)).end).toBe('interrupted network');
  });

  it.each<[string, string, Body?]>([
    ['over two lines', 'data: upstream connect\ndata: error\n\n'],
    ['as an object in the message', sse({ error: { message: { detail: 'upstream connect error' } } })],
    ['as a list', sse({ error: ['upstream connect error'] })],
    ['as a list around it', JSON.stringify([{ error: { code: 503, message: 'upstream connect error' } }])],
    ['as error_msg', sse({ error_code: 17, error_msg: 'upstream connect error' })],
    ['as a failed status', sse({ base_resp: { status_code: 1008, status_msg: 'upstream connect error' } })],
    [
      'as JSON in JSON in text',
      sse({ error: { message: JSON.stringify({ message: JSON.stringify({ detail: 'upstream connect error' }) }) } }),
    ],
    [
      'behind a router, in plain words',
      sse({ error: { message: 'Provider returned error', metadata: { raw: 'upstream connect error' } } }),
    ],
    [
      'with a refusal of the router',
      JSON.stringify({
        error: { message: 'Provider returned error', code: 429, metadata: { raw: 'upstream connect error' } },
      }),
      { status: 429, contentType: 'application/json' },
    ],
    [
      'with a refusal of the network',
      JSON.stringify({ success: false, errors: [{ code: 1, message: 'upstream connect error' }], messages: [] }),
      { status: 400, contentType: 'application/json' },
    ],
  ])('shows a service’s own words about an error, %s', async (_what, body, about) => {
    expect((await arrives(body, about)).sentence.replaceAll('\n', ' ')).toContain('upstream connect error');
  });
});

describe('an odd answer over the messages protocol', () => {
  const tool = [
    block({ type: 'tool_use', id: 'a', name: 'f', input: {} }),
    delta({ type: 'input_json_delta', partial_json: '{"a":1}' }),
  ];
  const odd = (body: string, about: Body = {}) => arrives(body, { ...about, protocol: 'anthropic' });

  it.each<[string, string, Body?]>([
    [
      'keep-alives go on behind the end',
      sse(start, ...text, stopReason('end_turn'), stopped),
      { then: [sse({ type: 'ping' })] },
    ],
    ['it ends with [DONE]', sse(start, ...text, stopReason('end_turn'), done), { then: 'hangs' }],
    ['the start has nothing', sse({ type: 'message_start' }, ...text, stopReason('end_turn'))],
    [
      'counts are text',
      sse({ type: 'message_start', message: { usage: { input_tokens: '3' } } }, ...text, stopReason('end_turn')),
    ],
    ['the reason is beside the delta', sse(start, ...text, { type: 'message_delta', stop_reason: 'end_turn' })],
    [
      'every event has a null error',
      sse({ ...start, error: null }, ...text.map((each) => ({ ...each, error: null })), {
        ...stopReason('end_turn'),
        error: null,
      }),
    ],
    [
      'it is JSON over lines',
      JSON.stringify({ type: 'message', content: 'One two.', stop_reason: 'end_turn' }, null, 2),
      { contentType: 'text/plain' },
    ],
    [
      'it is JSON without a kind',
      JSON.stringify({ role: 'assistant', content: [{ type: 'text', text: 'One two.' }], stop_reason: 'end_turn' }),
      { contentType: 'application/json' },
    ],
    ['a delta has no kind', sse(start, block({ type: 'text' }), delta({ text: 'One two.' }), stopReason('end_turn'))],
  ])('is whole if %s', async (_what, body, about) => {
    expect(await odd(body, about)).toMatchObject({ text: 'One two.', end: 'stop' });
  });

  it.each<[string, string, Body?]>([
    ['nothing ends it but the reason', sse(start, ...tool, stopReason('tool_use'))],
    ['the connection stays open', sse(start, ...tool, blockEnd, stopReason('tool_use'), stopped), { then: 'hangs' }],
    ['it comes twice', sse(start, ...tool, blockEnd, ...tool, blockEnd, stopReason('tool_use'))],
  ])('keeps its call if %s', async (_what, body, about) => {
    expect((await odd(body, about)).end).toBe('toolCalls f({"a":1})');
  });

  it.each(['', 'null'])('is not complete with the reason %j', async (reason) => {
    expect((await odd(sse(start, ...text, stopReason(reason), stopped))).end).toBe('interrupted network');
  });

  it('does not run the half call of a message that a second one replaces', async () => {
    const body = sse(start, tool[0] ?? {}, start, ...text, stopReason('end_turn'));
    expect(await odd(body)).toMatchObject({ text: 'One two.', end: 'stop' });
  });

  it('counts what arrived before it broke', async () => {
    expect((await odd(sse(start, ...text), { then: 'breaks' })).usage).toMatchObject({ inputTokens: 3 });
  });
});
