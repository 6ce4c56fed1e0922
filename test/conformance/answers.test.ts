import { describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../src/base/clock';
import type { JsonObject } from '../../src/transcript/json';
import { account, sound } from '../support/account';
import { ended, outcomeOf, worldPerTest } from '../support/conformance';
import { answersJson, refuses, reply, type Reply } from '../support/modelServer';

const { create } = worldPerTest();

/** The system's clock, but silence after an answer's end is short. */
const hasty: Clock = {
  ...systemClock,
  after: (delayMs, callback) => systemClock.after(delayMs === 5000 || delayMs === 1000 ? 20 : delayMs, callback),
};

const chunk = (delta: JsonObject, finish: string | null = null, more: JsonObject = {}): JsonObject => ({
  id: 'x',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});
const done = '[DONE]';
const message: JsonObject = { type: 'message_start', message: { id: 'm', content: [], usage: { input_tokens: 3 } } };
const block = (type: string, text = ''): JsonObject => ({
  type: 'content_block_start',
  index: 0,
  content_block: { type, text },
});
const delta = (text: string): JsonObject => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text },
});
const blockEnd: JsonObject = { type: 'content_block_stop', index: 0 };
const stopReason = (reason: string | null): JsonObject => ({
  type: 'message_delta',
  delta: { stop_reason: reason },
  usage: { output_tokens: 2 },
});
const stopped: JsonObject = { type: 'message_stop' };
const whole = [message, block('text'), delta('All is said.'), blockEnd];

/** One request, and all of it was shown and stored. */
const complete = (text = 'All is said.', how = 'complete stop') => ({
  ended: how,
  requests: 1,
  ...sound,
  stored: ['user: go', `assistant: ${text}`],
});
const half = (text: string) => ({
  ended: 'interrupted connectionLost network',
  requests: 1,
  ...sound,
  stored: ['user: go', `assistant: ${text}`],
});

describe('an answer over the openai protocol', () => {
  const outcome = async (script: Reply, clock: Clock = systemClock) =>
    outcomeOf(await create({ clock, continuesBroken: false, policy: { attempts: 1 } }), 'go', script);
  const said = chunk({ content: 'All is said.' });

  it.each([
    ['the last event', reply().sends(said, chunk({}, 'stop')).sendsMalformedFrame(done).hangs()],
    ['the finish reason', reply().sends(said, chunk({}, 'stop')).hangs()],
  ])('ends with %s, not with the connection, which stays open', async (_what, script) => {
    expect(await outcome(script, hasty)).toEqual(complete());
  });

  it('keeps its calls although the connection stays open', async () => {
    const call = { index: 0, id: 'a', function: { name: 'list_directory', arguments: '{"path":"nowhere"}' } };
    const script = [
      reply()
        .sends(chunk({ tool_calls: [call] }, 'tool_calls'))
        .sendsMalformedFrame(done)
        .hangs(),
      reply().says('Nothing.'),
    ];
    expect((await outcomeOf(await create({ clock: hasty }), 'go', ...script)).stored).toEqual([
      'user: go',
      'assistant: [list_directory {"path":"nowhere"}]',
      'tool: failed: There is no file or folder at nowhere.',
      'assistant: Nothing.',
    ]);
  });

  it.each<[string, JsonObject]>([
    ['role', chunk({ role: 'model', content: 'All ' })],
    ['date', chunk({ content: 'All ' }, null, { created: 'today' })],
    ['kind of thinking', chunk({ content: 'All ', reasoning: {} })],
  ])('keeps the text of a delta with an unknown %s', async (_what, first) => {
    expect(
      await outcome(
        reply()
          .sends(first, chunk({ content: 'is said.' }), chunk({}, 'stop'))
          .hangs(),
        hasty,
      ),
    ).toEqual(complete());
  });

  it.each<[string, JsonObject]>([
    ['counts alone', { usage: { prompt_tokens: '3', completion_tokens: 2 } }],
    ['a foreign event', { type: 'billing', cost: {} }],
    ['an error of the proxy', { error: { message: 'late' } }],
  ])('is whole if %s follows its finish reason', async (_what, last) => {
    const script = reply().sends(said, chunk({}, 'stop'), last).sendsMalformedFrame(done).endsWithoutFinish();
    expect(await outcome(script)).toEqual(complete());
  });

  it.each([
    ['max_tokens', 'complete length'],
    ['sensitive', 'complete refusal'],
    ['network_error', 'interrupted connectionLost network'],
    ['insufficient_system_resource', 'interrupted connectionLost network'],
    ['eos', 'complete stop'],
    ['a new word', 'complete stop'],
  ])('that finishes with %j ends as %s', async (reason, how) => {
    const cut = chunk({ content: 'Half of it' }, reason);
    const world = await create({ continuesBroken: false });
    // What was cut at its limit is continued.
    world.server.script(reply().sends(cut).endsWithoutFinish());
    world.server.otherwise(reply().sends(chunk({}, reason)).endsWithoutFinish());
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'go');
    expect([ended(panel), (await account(world, panel, sessionId)).stored[1]]).toEqual([how, 'assistant: Half of it']);
  });

  it('with an empty finish reason in every chunk is not whole when it is cut (B160)', async () => {
    const script = reply()
      .sends(chunk({ content: 'Half ' }, ''), chunk({ content: 'of it' }, ''))
      .endsWithoutFinish();
    expect(await outcome(script)).toEqual(half('Half of it'));
  });

  it('with an empty error in every chunk is whole', async () => {
    const script = reply().sends({ ...said, error: null }, chunk({}, 'stop', { error: { code: 0, message: '' } }));
    expect(await outcome(script.endsWithoutFinish())).toEqual(complete());
  });

  it('that is JSON instead of a stream is read', async () => {
    const answer = { choices: [{ message: { role: 'assistant', content: 'All is said.' }, finish_reason: 'stop' }] };
    const world = await create();
    expect(await outcomeOf(world, 'go', () => answersJson(answer))).toEqual(complete());
  });

  it('that is a stream under another label is read', async () => {
    const body = `${[said, chunk({}, 'stop')].map((each) => `data: ${JSON.stringify(each)}\n\n`).join('')}data: ${done}\n\n`;
    const labelled = refuses(200, { body, headers: { 'content-type': 'application/json' } });
    expect(await outcomeOf(await create(), 'go', () => labelled)).toEqual(complete());
  });

  it.each<[string, JsonObject]>([
    ['as an object of its own', { object: 'error', message: 'The disk of the model is full' }],
    ['as detail', { detail: [{ msg: 'The disk of the model is full' }] }],
    ['in a list of errors', { success: false, errors: [{ code: 1, message: 'The disk of the model is full' }] }],
    [
      'behind a router',
      {
        error: {
          message: 'Provider returned error',
          metadata: { raw: '{"error":{"message":"The disk of the model is full"}}' },
        },
      },
    ],
  ])('shows a service’s own words about its error, however nested: %s', async (_what, error) => {
    const world = await create({ policy: { attempts: 1 } });
    const panel = world.surface();
    world.server.otherwise(reply().sends(error).endsWithoutFinish());
    await world.ask(panel, 'go');
    expect(panel.settled[0]?.turn.failure?.sentence).toContain('The disk of the model is full');
  });
});

describe('an answer over the anthropic protocol', () => {
  const outcome = async (script: Reply, clock: Clock = systemClock) =>
    outcomeOf(
      await create({ protocol: 'anthropic', clock, continuesBroken: false, policy: { attempts: 1 } }),
      'go',
      script,
    );

  it.each([
    [
      'last event',
      reply()
        .sends(...whole, stopReason('end_turn'), stopped)
        .hangs(),
    ],
    [
      'stop reason',
      reply()
        .sends(...whole, stopReason('end_turn'))
        .hangs(),
    ],
  ])('ends with the %s, not with the connection, which stays open', async (_what, script) => {
    expect(await outcome(script, hasty)).toEqual(complete());
  });

  it('with a stop reason but no message_stop is whole, and not asked for again', async () => {
    expect(
      await outcome(
        reply()
          .sends(...whole, stopReason('end_turn'))
          .endsWithoutFinish(),
      ),
    ).toEqual(complete());
  });

  it.each([
    ['no message_delta', []],
    ['a message_delta without a reason', [stopReason(null)]],
  ])('with a message_stop but %s is not whole (B160)', async (_what, last) => {
    expect(
      await outcome(
        reply()
          .sends(...whole, ...last, stopped)
          .endsWithoutFinish(),
      ),
    ).toEqual(half('All is said.'));
  });

  it('keeps the text in the start of a block', async () => {
    const script = reply().sends(message, block('text', 'All '), delta('is said.'), blockEnd, stopReason('end_turn'));
    expect(await outcome(script.endsWithoutFinish())).toEqual(complete());
  });

  it('keeps the text of a block of an unknown kind', async () => {
    const script = reply().sends(
      message,
      block('output_text'),
      delta('All is said.'),
      blockEnd,
      stopReason('end_turn'),
    );
    expect(await outcome(script.endsWithoutFinish())).toEqual(complete());
  });

  it('without counts, or with odd ones, is whole', async () => {
    const [, ...rest] = whole;
    const script = reply().sends({ type: 'message_start', message: { id: 'm' } }, ...rest, {
      ...stopReason('end_turn'),
      usage: { output_tokens: '7', cache_read_input_tokens: {} },
    });
    expect(await outcome(script.endsWithoutFinish())).toEqual(complete());
  });

  it('that the service paused is continued, and is one answer', async () => {
    const world = await create({ protocol: 'anthropic' });
    const paused = reply().sends(message, block('text'), delta('All '), blockEnd, stopReason('pause_turn'), stopped);
    expect(await outcomeOf(world, 'go', paused.endsWithoutFinish(), reply().says('is said.'))).toEqual({
      ...complete(),
      requests: 2,
    });
  });

  it('that is JSON instead of a stream is read', async () => {
    const answer = { type: 'message', content: [{ type: 'text', text: 'All is said.' }], stop_reason: 'end_turn' };
    expect(await outcomeOf(await create({ protocol: 'anthropic' }), 'go', () => answersJson(answer))).toEqual(
      complete(),
    );
  });
});
