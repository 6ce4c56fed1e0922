import { describe, expect, it } from 'vitest';
import * as v from 'valibot';
import type { Log } from '../../../src/base/log';
import { SurfaceAgent } from '../../../src/gateway/agents/surfaceAgent';
import { type EndedTurn, MemoryManager, type MemoryManagerDeps } from '../../../src/memory/memoryManager';
import type { MemoryProvider } from '../../../src/memory/memoryProvider';
import type { TurnRecallRequest } from '../../../src/memory/turnPreparation';
import { type AnyTool, defineTool } from '../../../src/tools/tool';
import { TranscriptBuilder } from '../../support/builders/messages';
import { gate } from '../../support/conformance';
import { ManualClock } from '../../support/manualClock';
import { memoryOf } from '../../support/memoryOf';
import { hangingMemory, legacyMemory, RecordingMemory, throwingMemory } from '../../support/recordingMemory';
import { aToolCall } from '../../support/toolCalls';

const key = 'sk-proj-1234567890abcdef';

interface Bench {
  readonly clock: ManualClock;
  readonly heard: string[];
  readonly warned: string[];
  readonly deps: MemoryManagerDeps;
}

function bench(deps: Partial<MemoryManagerDeps> = {}): Bench {
  const clock = new ManualClock();
  const warned: string[] = [];
  const log: Log = {
    trace: () => undefined,
    info: () => undefined,
    warn: (message) => void warned.push(message),
    error: (message) => void warned.push(message),
  };
  return { clock, heard: [], warned, deps: { clock, log, ...deps } };
}

const turn = (prompt: string, answer = 'a', more: Partial<EndedTurn> = {}): EndedTurn => ({
  turnUid: `t-${prompt}`,
  prompt,
  answer,
  outcome: 'complete',
  startedAt: 1,
  settledAt: 2,
  ...more,
});

function request(prompt: string, more: Partial<TurnRecallRequest> = {}): TurnRecallRequest {
  return {
    prompt,
    signal: new AbortController().signal,
    skip: new AbortController().signal,
    onSlow: () => undefined,
    ...more,
  };
}

const tool = (name: string, said: string[] = [], readOnly = true): AnyTool =>
  defineTool({
    name,
    description: name,
    readOnly,
    schema: v.object({ text: v.optional(v.string()) }),
    run: ({ text }) => {
      said.push(text ?? '');
      return Promise.resolve({ outcome: 'done', text: `<memory-context>\nold\n</memory-context>\n${text ?? name}` });
    },
  });

async function run(one: AnyTool | undefined, input: unknown): Promise<unknown> {
  const call = one?.bind(input);
  return call?.kind === 'ready' ? call.run(new AbortController().signal, aToolCall()) : call;
}

describe('accepting memory providers', () => {
  it('accepts every built-in one and one external one: a second is refused, and the sentence names the first', () => {
    const { deps: parts, warned } = bench();
    const manager = new MemoryManager(parts);
    const added = [
      manager.add({ provider: legacyMemory([], 'files'), kind: 'builtin' }),
      manager.add({ provider: legacyMemory([], 'hindsight'), kind: 'external' }),
      manager.add({ provider: legacyMemory([], 'mem0'), kind: 'external' }),
      manager.add({ provider: legacyMemory([], 'rules'), kind: 'builtin' }),
    ];
    expect({ added, names: manager.providerNames, warned }).toEqual({
      added: [true, true, false, true],
      names: ['files', 'hindsight', 'rules'],
      warned: [
        'Memory provider mem0 is not used: hindsight is in use already, and one external provider is the ' +
          'most there can be.',
      ],
    });
  });

  it('skips one that is not set up', () => {
    const { deps: parts, warned } = bench();
    const manager = new MemoryManager(parts);
    expect([
      manager.add({ provider: { ...legacyMemory([]), isAvailable: () => false }, kind: 'external' }),
      warned,
      manager.providerNames,
    ]).toEqual([false, [], []]);
  });
});

describe('tools of providers', () => {
  it('never replace one of Hermes, and appear once', () => {
    const { deps: parts, warned } = bench({ coreTools: ['read_file'] });
    const manager = memoryOf(
      [
        { ...legacyMemory([], 'one'), tools: [tool('read_file'), tool('recall'), tool('recall'), tool('')] },
        { ...legacyMemory([], 'two'), tools: [tool('recall'), tool('reflect')] },
      ],
      parts,
    );
    expect({ tools: manager.tools.map(({ name }) => name), warned }).toEqual({
      tools: ['recall', 'reflect'],
      warned: [
        'Memory provider one: its tool read_file is not used, because Hermes has a tool of that name.',
        'Memory provider one: its tool recall is not used, because there is one of that name already.',
        'Memory provider one: a tool without a name is not used.',
        'Memory provider two: its tool recall is not used, because there is one of that name already.',
      ],
    });
  });

  it('receive no secret, and return no fence', async () => {
    const { deps: parts } = bench();
    const said: string[] = [];
    const manager = memoryOf([{ ...legacyMemory([]), tools: [tool('retain', said)] }], parts);
    manager.initialize('S1');
    const input = { text: `keep ${key}` };
    expect({ output: await run(manager.tools[0], input), said, input }).toEqual({
      output: { outcome: 'done', text: 'keep [secret]' },
      said: ['keep [secret]'],
      input: { text: `keep ${key}` },
    });
  });

  it('wait until their provider knows the session, but not forever', async () => {
    const { deps: parts, clock } = bench();
    const manager = memoryOf([{ ...hangingMemory(), tools: [tool('recall')] }], parts);
    manager.initialize('S1');
    const output = run(manager.tools[0], {});
    await clock.advance(10_000);
    expect(await output).toMatchObject({ outcome: 'failed', text: expect.stringContaining('still busy') });
  });

  it("that fail are logged with their provider's name", async () => {
    const { deps: parts, warned } = bench();
    const failing = defineTool({
      name: 'recall',
      description: '',
      readOnly: true,
      schema: v.object({}),
      run: () => Promise.reject(new Error(`401 for ${key}`)),
    });
    const manager = memoryOf([{ ...legacyMemory([], 'cloud'), tools: [failing] }], parts);
    manager.initialize('S1');
    await expect(run(manager.tools[0], {})).rejects.toThrow('401');
    expect(warned).toEqual(['Memory provider cloud: recall failed: 401 for [key]']);
  });
});

describe('a switch', () => {
  it('carries its reason, its parent and the session left; only a new conversation is a reset, only a rewind keeps the id', async () => {
    const { deps: parts, heard } = bench();
    const manager = memoryOf([new RecordingMemory(heard, { previous: true })], parts);
    manager.initialize('S1', 'P');
    manager.switchSession({ to: 'S2', reason: 'compression', parentSessionId: 'S1' });
    manager.switchSession({ to: 'S3', reason: 'branch', parentSessionId: 'S2' });
    manager.switchSession({ to: 'S3', reason: 'rewind', parentSessionId: 'S2' });
    manager.switchSession({ to: 'S1', reason: 'resume', parentSessionId: 'P' });
    manager.switchSession({ to: 'S4', reason: 'reset', parentSessionId: null });
    await manager.drain();
    expect(heard).toEqual([
      'initialize S1 parent P',
      'switch S2 compression from S1 parent S1',
      'switch S3 branch from S2 parent S2',
      'switch S3 rewind rewound from S3 parent S2',
      'switch S1 resume from S3 parent P',
      'end S1',
      'switch S4 reset reset from S1',
    ]);
  });

  it.each(['', null, undefined])(
    'to no id (%j), or to the current session, is not sent, and neither is forgetting such a session',
    async (none) => {
      const { deps: parts, heard } = bench();
      const manager = memoryOf([new RecordingMemory(heard)], parts);
      manager.initialize(none);
      const before = manager.currentSession;
      manager.initialize('S1');
      for (const reason of ['resume', 'new_session', 'reset', 'branch', 'rewind', 'compression'] as const)
        manager.switchSession({ to: none, reason, parentSessionId: null });
      manager.switchSession({ to: 'S1', reason: 'resume', parentSessionId: null });
      const sentences = await manager.forget([none]);
      await manager.forget([none, 'S0']);
      await manager.drain();
      expect([heard, before, manager.currentSession, sentences]).toEqual([
        ['initialize S1', 'forget S0'],
        null,
        'S1',
        [],
      ]);
    },
  );

  it.each(['', null, undefined])(
    'of an agent to no id (%j) leaves it in its session, even after that session has ended',
    async (none) => {
      const { deps: parts, heard } = bench();
      const agent = new SurfaceAgent(memoryOf([new RecordingMemory(heard)], parts));
      agent.serve(none, { reason: 'resume', parentSessionId: null });
      agent.serve('S1', { reason: 'resume', parentSessionId: null });
      agent.endSession();
      agent.serve(none, { reason: 'rewind', parentSessionId: null });
      await agent.memory.drain();
      expect([heard, agent.sessionId, agent.hasEnded]).toEqual([['initialize S1', 'end S1'], 'S1', true]);
    },
  );
});

describe('a provider that misbehaves', () => {
  const hooks = async (manager: MemoryManager): Promise<void> => {
    manager.initialize('S1');
    manager.turnStarting({ turnUid: 't', prompt: 'where is it', model: 'm' });
    await manager.prepareTurn(request('where is it'));
    manager.syncTurn(turn('q1'));
    manager.switchSession({ to: 'S2', reason: 'new_session', parentSessionId: null });
    manager.syncTurn(turn('q2'));
    manager.delegated({ childSessionId: 'C', task: 't', result: 'r' });
    manager.mirrorWrite({ action: 'add', target: 'user', content: 'likes tea', previous: null });
    await manager.forget(['S9']);
  };
  const whole = [
    'initialize S1',
    'sync S1: q1 -> a',
    'end S1',
    'switch S2 new_session reset',
    'sync S2: q2 -> a',
    'delegation S2 to C: t -> r',
    'forget S9',
  ];

  it.each([
    ['throws', throwingMemory()],
    ['hangs', hangingMemory()],
  ])('affects no other: one that %s', async (_how, provider) => {
    const { deps: parts, heard, clock } = bench();
    const manager = memoryOf([provider, new RecordingMemory(heard)], parts);
    const done = hooks(manager);
    await clock.advance(2000);
    await clock.advance(10_000);
    await done;
    expect(heard).toEqual(whole);
  });

  it('is skipped if it ignores its abort, and receives later calls', async () => {
    const { deps: parts, heard, clock, warned } = bench();
    const aborted: boolean[] = [];
    const provider: MemoryProvider = {
      ...legacyMemory(heard),
      initialize: (_id, signal) => new Promise(() => signal.addEventListener('abort', () => aborted.push(true))),
    };
    const manager = memoryOf([provider], parts);
    manager.initialize('S1');
    manager.syncTurn(turn('q1'));
    await clock.advance(0);
    await clock.advance(299_999);
    expect([aborted, heard]).toEqual([[], []]);
    await clock.advance(5001);
    await manager.drain();
    expect([aborted, heard, warned]).toEqual([
      [true],
      ['legacy sync S1: q1'],
      [
        'Memory provider legacy: initialize failed: It took too long. It did not stop when it was asked ' +
          'to, and is left alone.',
      ],
    ]);
  });
});

describe('a memory update', () => {
  it('is a completed turn of a user in which something was said', async () => {
    const { deps: parts, heard } = bench();
    const manager = memoryOf([new RecordingMemory(heard)], parts);
    manager.syncTurn(turn('too early'));
    manager.initialize('S1');
    for (const outcome of ['interrupted', 'failed'] as const) manager.syncTurn(turn(outcome, 'half', { outcome }));
    manager.syncTurn(turn(' ', 'a'));
    manager.syncTurn(turn('q', '\n'));
    manager.syncTurn(turn('scheduled', 'a', { isAutomated: true }));
    manager.syncTurn(turn('q1'));
    await manager.drain();
    expect(heard).toEqual(['initialize S1', 'sync S1: q1 -> a']);
  });

  it('contains no secrets and no recalled text, and uses copies', async () => {
    const { deps: parts, heard } = bench();
    const external = new RecordingMemory(heard, { beforeCompressing: '<memory-context>x</memory-context>' });
    const manager = memoryOf([external], parts, external);
    manager.initialize('S1');
    const told = Object.freeze(
      turn(`use ${key}`, '<memory-context>\nold\n</memory-context>\npassword: "hunter2hunter2"'),
    );
    manager.syncTurn(told);
    manager.mirrorWrite(
      Object.freeze({ action: 'replace', target: 'user', content: `key ${key}`, previous: `old ${key}` } as const),
    );
    manager.delegated(Object.freeze({ childSessionId: 'C', task: `with ${key}`, result: 'done' }));
    const rows = new TranscriptBuilder().turn('t1').user(`u ${key}`).assistant(`a ${key}`).messages;
    const before = JSON.stringify(rows);
    await manager.beforeCompression(rows, new AbortController().signal);
    await manager.drain();
    expect(heard.slice(1)).toEqual([
      'sync S1: use [secret] -> password: [secret]',
      'write replace user: old [secret] -> key [secret]',
      'delegation S1 to C: with [secret] -> done',
      'compressing u [secret] | a [secret]',
    ]);
    expect([told.prompt, JSON.stringify(rows)]).toEqual([`use ${key}`, before]);
  });

  it('never comes from a private session: no provider receives anything from it or adds anything to it', async () => {
    const { deps: parts, heard } = bench({ isPrivate: true });
    const manager = memoryOf(
      [
        new RecordingMemory(heard, {
          starts: true,
          tools: [tool('look'), tool('note', [], false)],
          recall: () => 'likes tea',
        }),
      ],
      parts,
    );
    manager.initialize('S1');
    manager.turnStarting({ turnUid: 't', prompt: 'q', model: 'm' });
    manager.syncTurn(turn('q1'));
    manager.delegated({ childSessionId: 'C', task: 't', result: 'r' });
    manager.mirrorWrite({ action: 'add', target: 'user', content: 'x', previous: null });
    await manager.drain();
    expect({
      heard,
      tools: manager.tools.map(({ name }) => name),
      recall: (await manager.prepareTurn(request('what do I like'))).recall,
    }).toEqual({ heard: [], tools: [], recall: '' });
  });

  it('counts the turns of a session for providers that ask for it, even across a compression', async () => {
    const { deps: parts, heard } = bench();
    const manager = memoryOf([new RecordingMemory(heard, { starts: true })], parts);
    manager.initialize('S1');
    const start = (prompt: string): void => manager.turnStarting({ turnUid: prompt, prompt, model: 'm' });
    start('one');
    start('two');
    manager.switchSession({ to: 'S2', reason: 'compression', parentSessionId: 'S1' });
    start('three');
    manager.switchSession({ to: 'S3', reason: 'resume', parentSessionId: null });
    start('four');
    await manager.drain();
    expect(heard.filter((line) => line.startsWith('start'))).toEqual([
      'start S1 1: one',
      'start S1 2: two',
      'start S2 3: three',
      'start S3 1: four',
    ]);
  });
});

describe('recall', () => {
  it('joins and cleans up what providers found, and its query is the prompt without secrets', async () => {
    const { deps: parts } = bench();
    const asked: string[] = [];
    const recall = (query: string): string => {
      asked.push(query);
      return '- likes tea\n- likes tea\n<memory-context>echo</memory-context>';
    };
    const manager = memoryOf(
      [new RecordingMemory([], { recall }), legacyMemory([]), new RecordingMemory([], { recall: () => 'uses pnpm' })],
      parts,
    );
    manager.initialize('S1');
    expect([(await manager.prepareTurn(request(`what fits ${key}`))).recall, asked]).toEqual([
      '- likes tea\n\nuses pnpm',
      ['what fits [secret]'],
    ]);
  });

  it('is not requested for prompts without content', async () => {
    const { deps: parts } = bench();
    const asked: string[] = [];
    const manager = memoryOf([new RecordingMemory([], { recall: (query) => (asked.push(query), '') })], parts);
    manager.initialize('S1');
    for (const prompt of [
      '',
      ' ',
      'ok',
      'Thanks!',
      'OK, thank you.',
      'go on',
      '/compress the rest',
      '👍',
      'hi',
      'ok then where is the config',
    ])
      await manager.prepareTurn(request(prompt));
    expect(asked).toEqual(['ok then where is the config']);
  });

  it('waits for two seconds; the user is notified after a moment; what arrived by then counts', async () => {
    const { deps: parts, clock, warned } = bench();
    const slow: number[] = [];
    const manager = memoryOf(
      [
        new RecordingMemory([], { name: 'quick', recall: () => 'quick' }),
        { ...hangingMemory('stuck'), initialize: () => Promise.resolve() },
      ],
      parts,
    );
    manager.initialize('S1');
    const prepared = manager.prepareTurn(request('where is it', { onSlow: () => slow.push(clock.monotonicMs()) }));
    await clock.advance(1999);
    let isDone = false;
    void prepared.then(() => (isDone = true));
    await clock.advance(0);
    const before = isDone;
    await clock.advance(1);
    expect([before, slow, (await prepared).recall, warned]).toEqual([
      false,
      [300],
      'quick',
      ['Memory provider stuck: recall took longer than 2 s; the turn went on without it.'],
    ]);
  });

  it('of a new session is not answered from the old one: a provider is asked once it knows about the switch', async () => {
    const { deps: parts, clock } = bench();
    const held = gate();
    let session = '';
    const manager = memoryOf(
      [
        {
          ...legacyMemory([]),
          initialize: async (id) => void (session = id),
          onSessionEnd: () => held.opened,
          onSessionSwitch: async (id) => void (session = id),
          prefetch: () => Promise.resolve(`from ${session}`),
          systemPromptBlock: () => `block of ${session}`,
        },
      ],
      parts,
    );
    manager.initialize('S1');
    await manager.drain();
    manager.switchSession({ to: 'S2', reason: 'new_session', parentSessionId: null });
    const first = manager.prepareTurn(request('first question'));
    await clock.advance(2000);
    held.open();
    await clock.advance(0);
    const second = await manager.prepareTurn(request('second question'));
    expect([await first, second]).toEqual([
      { systemBlock: '', recall: '', found: [] },
      { systemBlock: 'block of S2', recall: 'from S2', found: [] },
    ]);
  });
});

describe('a provider that violates our types', () => {
  it('may answer with anything, and the turn continues', async () => {
    const { deps: parts } = bench();
    const odd: MemoryProvider = JSON.parse('{"name":"odd"}', (field, value: unknown) =>
      field === ''
        ? Object.assign(
            {},
            value,
            Object.fromEntries(
              [
                'initialize',
                'syncTurn',
                'systemPromptBlock',
                'prefetch',
                'recallStatus',
                'onPreCompress',
                'onSessionForgotten',
              ].map((hook) => [hook, () => 7]),
            ),
          )
        : value,
    );
    const manager = memoryOf([odd], parts);
    manager.initialize('S1');
    manager.syncTurn(turn('q1'));
    expect([
      await manager.prepareTurn(request('where is it')),
      await manager.beforeCompression([], new AbortController().signal),
    ]).toEqual([{ systemBlock: '7', recall: '', found: [] }, '']);
    await manager.shutdown(null);
  });
});

describe('before a summary is written', () => {
  it('providers report what it must keep, each within a time limit', async () => {
    const { deps: parts, clock, warned } = bench();
    const manager = memoryOf(
      [
        new RecordingMemory([], { beforeCompressing: 'keep the plan' }),
        throwingMemory(),
        hangingMemory(),
        legacyMemory([]),
      ],
      parts,
    );
    manager.initialize('S1');
    const text = manager.beforeCompression([], new AbortController().signal);
    await clock.advance(0);
    await clock.advance(5000);
    expect([await text, warned.at(-1)]).toEqual([
      'keep the plan',
      'Memory provider hanging: onPreCompress took longer than 5 s; the summary was made without it.',
    ]);
  });
});

describe('a session that is forgotten', () => {
  it('is erased at every provider, including queued writes; what cannot be erased is reported', async () => {
    const { deps: parts, heard, clock } = bench();
    const held = gate();
    const external = legacyMemory([], 'cloud');
    const manager = memoryOf(
      [
        new RecordingMemory(heard, {
          cannotForget: 'Two notes are shared.',
          pause: (hook) => (hook === 'initialize' ? held.opened : Promise.resolve()),
        }),
        external,
        throwingMemory(),
        hangingMemory(),
        legacyMemory([], 'files'),
      ],
      parts,
      external,
    );
    manager.initialize('S1');
    manager.syncTurn(turn('secret plan'));
    const sentences = manager.forget(['S0', 'S1']);
    held.open();
    await clock.advance(0);
    await clock.advance(10_000);
    expect([await sentences, heard]).toEqual([
      [
        'Two notes are shared.',
        'cloud keeps its copy because it can’t delete sessions.',
        'throwing couldn’t delete its copy. See the log for details.',
        'hanging hasn’t confirmed that it deleted its copy.',
      ],
      ['initialize S1', 'forget S0 S1'],
    ]);
  });
});

describe('shutting down', () => {
  it('lets queued work finish, accepts no more, and notifies the provider last', async () => {
    const { deps: parts, heard } = bench();
    const manager = memoryOf([new RecordingMemory(heard)], parts);
    manager.initialize('S1');
    manager.syncTurn(turn('q1'));
    const closing = manager.shutdown(new Promise(() => undefined));
    manager.syncTurn(turn('q2'));
    manager.switchSession({ to: 'S2', reason: 'resume', parentSessionId: null });
    manager.endSession();
    await closing;
    await manager.shutdown(null);
    expect(heard).toEqual(['initialize S1', 'sync S1: q1 -> a', 'shutdown']);
  });

  it('hands over the rest with aborted signals when time is up, even after a call that hangs', async () => {
    const { deps: parts, clock } = bench();
    const kept: string[] = [];
    const provider: MemoryProvider = {
      name: 'durable',
      initialize: () => new Promise(() => undefined),
      syncTurn: async ({ prompt }, signal) => void kept.push(`${prompt} ${signal.aborted ? 'kept for later' : 'sent'}`),
      shutdown: async () => void kept.push('shutdown'),
    };
    const manager = memoryOf([provider, hangingMemory()], parts);
    manager.initialize('S1');
    manager.syncTurn(turn('q1'));
    manager.syncTurn(turn('q2'));
    let grace = (): void => undefined;
    const closing = manager.shutdown(new Promise<void>((resolve) => (grace = resolve)));
    await clock.advance(1000);
    grace();
    await clock.advance(0);
    await clock.advance(800);
    await closing;
    expect([kept, clock.monotonicMs()]).toEqual([['q1 kept for later', 'q2 kept for later', 'shutdown'], 1800]);
  });
});
