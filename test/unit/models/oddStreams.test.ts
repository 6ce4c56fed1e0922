import { describe, expect, it, vi } from 'vitest';
import { ask, modelAt, textOf } from './asking';

/** Bytes that arrive at once. */
const piece = 4096;

type Protocol = 'openai' | 'anthropic';

function chunk(delta: object, finish: string | null = null, more: object = {}): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish, ...more }] })}\n\n`;
}

function event(type: string, more: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
}

/** The answer of a service that sends exactly this. */
async function answerOf(protocol: Protocol, pieces: readonly string[]) {
  const bytes = Buffer.from(pieces.join(''));
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (let at = 0; at < bytes.length; at += piece) controller.enqueue(bytes.subarray(at, at + piece));
      controller.close();
    },
  });
  const fetch = () => Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  const { events, terminal } = await ask(modelAt({ url: 'http://127.0.0.1:1/v1', protocol, fetch }));
  const calls = terminal.outcome === 'complete' ? terminal.toolCalls : [];
  return {
    text: textOf(events),
    thinking: textOf(events, 'thinking'),
    calls: calls.map(({ name, arguments: json }) => `${name}(${json})`).join(' '),
    outcome: terminal.outcome,
    usage: terminal.outcome === 'complete' ? terminal.usage : null,
  };
}

const call = { index: 0, id: 'a', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } };
const [one, three, stop] = [chunk({ content: 'One ' }), chunk({ content: 'three' }), chunk({}, 'stop')];
const two = chunk({ content: 'two ' });
const whole = (message: object): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, finish_reason: 'stop', message }] })}\n\n`;
const message = event('message_start', { message: { id: 'm', content: [] } });
const said = (text: string): string => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });
const messageEnd = event('message_delta', { delta: { stop_reason: 'end_turn' } }) + event('message_stop', {});

const words: readonly (readonly [string, Protocol, readonly string[], string])[] = [
  [
    'numbers that JSON lacks',
    'openai',
    [one, two.replace('}]}', ',"p":[NaN,-Infinity]}]}'), three, stop],
    'One two three',
  ],
  [
    'a word that looks like one',
    'openai',
    [one, chunk({ content: 'NaN ' }).replace('}]}', ',"p":NaN}]}'), stop],
    'One NaN ',
  ],
  ['a bare tab', 'openai', [one, two.replace('two', 'two\t'), three, stop], 'One two\t three'],
  ['no line between two events', 'openai', [one, two.trimEnd(), three, stop], 'One two three'],
  ['nothing between two events', 'openai', [one, two.trimEnd(), three.slice('data: '.length), stop], 'One two three'],
  [
    'no line between two named events',
    'anthropic',
    [message, said('One ').trimEnd(), said('two'), messageEnd],
    'One two',
  ],
  ['braces that only look like it', 'openai', [chunk({ content: 'a}data: {b}{' }), stop], 'a}data: {b}{'],
  ['NULs that keep the connection', 'openai', [one, '\0\0', two, three, stop], 'One two three'],
  ['blanks that keep the connection', 'anthropic', [message, said('One '), '  ', said('two'), messageEnd], 'One two'],
  ['all of it again at the end', 'openai', [one, three, whole({ content: 'One three' })], 'One three'],
  ['all of it and more at the end', 'openai', [one, three, whole({ content: 'One three.' })], 'One three.'],
  ['pieces that are messages', 'openai', ['ha', 'ha', ' ', 'ha'].map((content) => whole({ content })), 'haha ha'],
  ['a finish reason in an object', 'openai', [one, three, stop.replace('"stop"', '{"type":"stop"}')], 'One three'],
  ['a finish reason in a list', 'openai', [one, three, stop.replace('"stop"', '["stop"]')], 'One three'],
  [
    'a stop reason in an object',
    'anthropic',
    [message, said('One'), messageEnd.replace('"end_turn"', '{"type":"end_turn"}')],
    'One',
  ],
  ['choices by index', 'openai', [one, stop].map((sent) => sent.replace(/\[(.*)\]/, '{"0":$1}')), 'One '],
  ['a second choice', 'openai', [one, one.replace('"index":0', '"index":1'), three, stop], 'One three'],
];

describe('an answer', () => {
  it.each(words)('keeps its words with %s', async (_name, protocol, pieces, text) => {
    const { outcome, ...found } = await answerOf(protocol, pieces);
    expect([found.text, outcome]).toEqual([text, 'complete']);
  });

  it.each([
    [
      'beside the text, in a stream',
      [
        chunk({ content: 'I look.' }).replace(
          ']}',
          `,${JSON.stringify({ index: 1, delta: { tool_calls: [call] } })}]}`,
        ),
      ],
    ],
    [
      'beside the text, as a whole',
      [
        whole({ content: 'I look.' }).replace(
          ']}',
          `,${JSON.stringify({ index: 1, message: { tool_calls: [call] } })}]}`,
        ),
      ],
    ],
    ['in an object by index', [chunk({ content: 'I look.', tool_calls: { 0: call, 1: call } })]],
    [
      'whose name comes in pieces',
      [
        chunk({ content: 'I look.', tool_calls: [{ index: 0, id: 'a', function: { name: 'read_', arguments: '' } }] }),
        chunk({ tool_calls: [{ index: 0, function: { name: 'file' } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '{"path":"a"}' } }] }),
      ],
    ],
  ])('keeps a call %s', async (_name, pieces) => {
    const { text, calls } = await answerOf('openai', [...pieces, chunk({}, 'tool_calls')]);
    expect([text, calls]).toEqual(['I look.', 'read_file({"path":"a"})']);
  });

  it('ends plainly if it names a call that does not come', async () => {
    const { text, calls, outcome } = await answerOf('openai', [one, chunk({}, 'tool_calls')]);
    expect([text, calls, outcome]).toEqual(['One ', '', 'complete']);
  });

  it('keeps its thinking once if all of it comes again', async () => {
    const pieces = [chunk({ reasoning_content: 'Hm.' }), one, whole({ reasoning_content: 'Hm.', content: 'One' })];
    expect(await answerOf('openai', pieces)).toMatchObject({ thinking: 'Hm.', text: 'One ' });
  });

  it('has no counts below nothing', async () => {
    const usage = { prompt_tokens: -1, completion_tokens: -1 };
    expect(
      (await answerOf('openai', [one, `data: ${JSON.stringify({ choices: [], usage })}\n\n`, stop])).usage,
    ).toBeNull();
  });

  it('is looked through once where a picture makes one long line', async () => {
    const size = 64 * piece;
    const split = vi.spyOn(String.prototype, 'split');
    const found = await answerOf('openai', [chunk({ content: 'Look', images: ['x'.repeat(size)] }), stop]);
    const lengths = split.mock.contexts.map((text) => String(text).length);
    split.mockRestore();
    expect(found).toMatchObject({ text: 'Look', outcome: 'complete' });
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(2 * size);
  });
});
