import { describe, expect, it } from 'vitest';
import { account, sound, storedLines } from '../support/account';
import { call, image } from '../support/builders/messages';
import { ended, repairs, seeded, sent, worldPerTest } from '../support/conformance';
import { refuses, reply } from '../support/modelServer';

const { create } = worldPerTest();

/** What the rows of a seeded history came to once the prompt "now" was answered "ok" behind them. */
async function repaired(protocol: 'openai' | 'anthropic', build: Parameters<typeof seeded>[1]) {
  const world = await create({ protocol });
  world.server.script(reply().says('ok'));
  const { panel, sessionId } = await seeded(world, build);
  await world.ask(panel, 'now');
  const { stored, refused } = await account(world, panel, sessionId);
  return { stored, refused, repairs: repairs(world) };
}

const sequences: readonly [name: string, build: Parameters<typeof seeded>[1], stored: readonly string[]][] = [
  [
    'two prompts become one, a blank line between them (S4)',
    (h) => h.user('first').user('second').assistant('answer'),
    ['user: first\n\nsecond', 'user (hidden: merged): second', 'assistant: answer', 'user: now', 'assistant: ok'],
  ],
  [
    'a blank prompt yields the real one (S5)',
    (h) => h.user('').user('real message').assistant('answer'),
    ['user: real message', 'user (hidden: merged): real message', 'assistant: answer', 'user: now', 'assistant: ok'],
  ],
  [
    'a result of no call is left out (S7)',
    (h) => h.user('hi').assistant('hello').tool('orphan', 'stray'),
    ['user: hi', 'assistant: hello', 'tool (hidden: dropped): done: stray', 'user: now', 'assistant: ok'],
  ],
  [
    'two answers with one call each become one with both, in front of both results (B46 S21)',
    (h) => h.user('q').assistant(call('A')).assistant(call('B')).tool('A', 'ra').tool('B', 'rb').assistant('done'),
    [
      'user: q',
      'assistant: [read_file {}] [read_file {}]',
      'assistant (hidden: merged): [read_file {}]',
      'tool: done: ra',
      'tool: done: rb',
      'assistant: done',
      'user: now',
      'assistant: ok',
    ],
  ],
  [
    'an answer in words and one that calls become one (B46 S22)',
    (h) =>
      h.user('q').assistant('Let me search for that.').assistant(call('call_1')).tool('call_1', 'r').assistant('done'),
    [
      'user: q',
      'assistant: Let me search for that. [read_file {}]',
      'assistant (hidden: merged): [read_file {}]',
      'tool: done: r',
      'assistant: done',
      'user: now',
      'assistant: ok',
    ],
  ],
  [
    'of two results of one call the first stands (S30)',
    (h) =>
      h.user('q').assistant(call('call_1')).tool('call_1', 'res1').tool('call_1', 'res1 duplicate').assistant('done'),
    [
      'user: q',
      'assistant: [read_file {}]',
      'tool: done: res1',
      'tool (hidden: dropped): done: res1 duplicate',
      'assistant: done',
      'user: now',
      'assistant: ok',
    ],
  ],
];

const untouched: readonly [name: string, build: Parameters<typeof seeded>[1], stored: readonly string[]][] = [
  [
    'rounds of parallel calls, all answered (S12 S24 S28)',
    (h) =>
      h
        .user('q')
        .assistant(call('a'), call('b'))
        .tool('a', 'ra')
        .tool('b', 'rb')
        .assistant(call('c'))
        .tool('c', 'rc')
        .assistant('done'),
    [
      'user: q',
      'assistant: [read_file {}] [read_file {}]',
      'tool: done: ra',
      'tool: done: rb',
      'assistant: [read_file {}]',
      'tool: done: rc',
      'assistant: done',
    ],
  ],
  [
    'answers with prompts between them (S25)',
    (h) => h.user('q').assistant('a').user('q').assistant('a'),
    ['user: q', 'assistant: a', 'user: q', 'assistant: a'],
  ],
  [
    'a call and its result under two names of one id (B44)',
    (h) => h.user('q').assistant(call('call_ABC|fc_123')).tool('call_ABC', 'r').assistant('done'),
    ['user: q', 'assistant: [read_file {}]', 'tool: done: r', 'assistant: done'],
  ],
  [
    "ids of another service, which are sent in this one's format, a call and its result still a pair (B44)",
    (h) =>
      h
        .user('q')
        .assistant(call('functions.read_file:0'), call('Ω'))
        .tool('functions.read_file:0', 'r')
        .tool('Ω', 's')
        .assistant('done'),
    ['user: q', 'assistant: [read_file {}] [read_file {}]', 'tool: done: r', 'tool: done: s', 'assistant: done'],
  ],
  [
    'a prompt right after a tool result (S6)',
    (h) => h.user('Q1').assistant(call('t1')).tool('t1', 'r').user('Q2').assistant('a'),
    ['user: Q1', 'assistant: [read_file {}]', 'tool: done: r', 'user: Q2', 'assistant: a'],
  ],
  ['an empty session (S14 S15)', () => undefined, []],
];

describe.each(['openai', 'anthropic'] as const)('a stored sequence, over the %s protocol', (protocol) => {
  it.each(sequences)('%s', async (_name, build, stored) => {
    expect(await repaired(protocol, build)).toEqual({ stored, refused: [], repairs: 1 });
  });

  it.each(untouched)('is left alone: %s', async (_name, build, stored) => {
    expect(await repaired(protocol, build)).toEqual({
      stored: [...stored, 'user: now', 'assistant: ok'],
      refused: [],
      repairs: 0,
    });
  });

  it('a prompt with an image and the one after it stay two rows, the image whole, and both are sent (B49 S13)', async () => {
    const world = await create({ protocol });
    world.server.script(reply().says('A cat.'));
    const { panel, sessionId } = await seeded(world, (h) => h.user('look', image));
    await world.ask(panel, 'and this?');
    const body = JSON.stringify(world.server.requests[0]?.body['messages']);
    const { stored, refused } = await account(world, panel, sessionId);
    expect({
      stored,
      refused,
      sent: ['look', image.dataBase64, 'and this?'].map((text) => body.includes(text)),
    }).toEqual({
      stored: ['user: look [image]', 'user: and this?', 'assistant: A cat.'],
      refused: [],
      sent: [true, true, true],
    });
  });

  it('a stop after a tool result ends the turn with a row of its own, so that no prompt touches the result (B40)', async () => {
    const world = await create({ protocol });
    world.server.script(
      reply().says('I look.').calls('list_directory', { path: 'nowhere' }),
      reply().hangs(),
      reply().says('ok'),
    );
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'q');
    await world.server.request(1);
    await world.gateway.turns.stop(sessionId);
    await world.ask(panel, 'next');
    expect({ ...(await account(world, panel, sessionId)), repairs: repairs(world) }).toEqual({
      ...sound,
      stored: [
        'user: q',
        'assistant: I look. [list_directory {"path":"nowhere"}]',
        'tool: failed: There is no file or folder at nowhere.',
        'assistant (closing): (Stopped by the user before an answer. Do not resume this request unless asked.)',
        'user: next',
        'assistant: ok',
      ],
      repairs: 0,
    });
  });

  it('a stop while calls wait adds a result for each of them (B41)', async () => {
    const world = await create({ protocol });
    world.server.script(reply().calls('list_directory', {}, { id: 't1' }).calls('list_directory', {}, { id: 't2' }));
    world.server.otherwise(reply().hangs());
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'q');
    await panel.until(({ turnEvents }) => turnEvents.some((event) => event.kind === 'messageStored'));
    await world.gateway.turns.stop(sessionId);
    const results = storedLines(world, sessionId).filter((line) => line.startsWith('tool')).length;
    const first = ended(panel);
    world.server.otherwise(reply().says('ok'));
    await world.ask(panel, 'next');
    const { refused } = await account(world, panel, sessionId);
    expect({ results, first, next: ended(panel), refused, repairs: repairs(world) }).toEqual({
      results: 2,
      first: 'interrupted user',
      next: 'complete stop',
      refused: [],
      repairs: 0,
    });
  });

  it('silence after a tool fails the turn, which says so and ends with a row, and leaves no scaffolding in the transcript or in the next request (B42 B43 B50 S194)', async () => {
    const world = await create({ protocol });
    world.server.script(
      reply().calls('list_directory', { path: 'nowhere' }),
      reply(),
      reply(),
      reply(),
      reply(),
      reply(),
      reply().says('ok'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'q');
    const asked = sent(world, 2).some((line) => line.includes('results of your tool calls'));
    const first = [ended(panel), panel.settled[0]?.turn.failure?.sentence.includes('an empty answer')];
    await world.ask(panel, 'continue');
    const { stored, refused } = await account(world, panel, sessionId);
    expect({
      asked,
      first,
      stored,
      refused,
      leaked: sent(world, -1).some((line) => line.includes('results of your tool calls') || line.includes('(empty)')),
    }).toEqual({
      asked: true,
      first: ['failed empty empty', true],
      stored: [
        'user: q',
        'assistant: [list_directory {"path":"nowhere"}]',
        'tool: failed: There is no file or folder at nowhere.',
        'assistant (closing): (No answer was given.)',
        'user: continue',
        'assistant: ok',
      ],
      refused: [],
      leaked: false,
    });
  });

  it('an answer without calls carries no list of calls on the wire, one with calls does (B47 S34 S35 S36)', async () => {
    const world = await create({ protocol });
    world.server.script(
      reply().says('a'),
      reply().calls('list_directory', { path: 'nowhere' }),
      reply().says('b'),
      reply().says('c'),
    );
    const panel = world.surface();
    for (const prompt of ['one', 'two', 'three']) await world.ask(panel, prompt);
    const body = JSON.stringify(world.server.requests.at(-1)?.body['messages']);
    expect({
      empty: /"tool_calls":(\[\]|null)/.test(body),
      calls: body.includes('list_directory'),
      refused: world.server.requests.flatMap(({ rejection }) => rejection ?? []),
    }).toEqual({ empty: false, calls: true, refused: [] });
  });

  it('an answer without text is sent as a fixed sentence, so that two prompts never touch (B48 S37 S38)', async () => {
    const world = await create({ protocol });
    world.server.script(refuses(400, { message: 'no' }), reply().says('ok'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'one');
    await world.ask(panel, 'two');
    expect({ sent: sent(world, 1), ...(await account(world, panel, sessionId)) }).toEqual({
      sent: ['user: one', 'assistant: (The request failed before an answer.)', 'user: two'],
      ...sound,
      stored: [
        'user: one',
        'assistant (closing): (The request failed before an answer.)',
        'user: two',
        'assistant: ok',
      ],
    });
  });

  it('repeated ids are sent once or under another name, different ids unchanged (S31 S32 S33)', async () => {
    const world = await create({ protocol });
    const round = reply()
      .calls('list_directory', { path: 'nowhere' }, { id: 'call_0' })
      .calls('list_directory', { path: 'neither' }, { id: 'call_1' });
    world.server.script(round, round, reply().says('done'));
    const panel = world.surface();
    await world.ask(panel, 'look twice');
    const ids = sent(world, 2).flatMap((line) => /calls \S+ (\S+)/.exec(line)?.[1] ?? []);
    expect({
      differ: new Set(ids).size,
      first: ids.slice(0, 2),
      ended: ended(panel),
      refused: world.server.requests.flatMap(({ rejection }) => rejection ?? []),
    }).toEqual({
      differ: 4,
      first: ['call_0', 'call_1'],
      ended: 'complete stop',
      refused: [],
    });
  });
});
