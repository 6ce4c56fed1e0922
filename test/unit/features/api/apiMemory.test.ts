import { describe, expect, it } from 'vitest';
import { ExtensionApi } from '../../../../src/features/api/core/extensionApi';
import type { MemoryProvider, MemoryProviderFactory } from '../../../../src/features/api/core/hermes';
import type { MemoryManager } from '../../../../src/memory/memoryManager';
import { MemoryProviders } from '../../../../src/memory/memoryProviders';
import { ToolRegistry } from '../../../../src/tools/toolRegistry';
import type { Message } from '../../../../src/transcript/message';
import { toDisposable } from '../../../../src/base/disposable';
import { ManualClock } from '../../../support/manualClock';
import { RecordingLog } from '../../host/recordingLog';
import { aToolCall } from '../../../support/toolCalls';

/** The API over the choice among providers, with `chosen` in the settings. */
function service(chosen = 'notes') {
  const log = new RecordingLog();
  const memory = new MemoryProviders(() => chosen, log);
  const never = () => toDisposable(() => undefined);
  const refuse = (): Promise<never> => Promise.reject(new Error('not asked here'));
  const api = new ExtensionApi({
    gateway: { surfaces: { onDidChangeSessions: never, onDidSwitchSession: never, onDidTurnEvent: never } },
    store: { getSession: refuse, listSessions: refuse, conversationTip: refuse, readTranscript: refuse },
    log,
    memory,
    chosenMemory: () => chosen,
  });
  const agent = (isPrivate = false): MemoryManager =>
    memory.createMemory({ isPrivate }, { clock: new ManualClock(), log, coreTools: ['read_file'] });
  const { registerMemoryProvider: register } = api.exports.getApi(1);
  const untyped: (factory: never) => unknown = register;
  return { api, log, agent, register, untyped: (factory: unknown) => untyped(factory as never) };
}

const least = { initialize: () => undefined, syncTurn: () => undefined };
const made = (provider: Partial<MemoryProvider>, name = 'notes'): MemoryProviderFactory => ({
  name,
  create: () => ({ ...least, ...provider }),
});

/** A provider with every hook, each of which writes down what it was given. */
function noting(heard: string[]): MemoryProvider {
  const note =
    (hook: string) =>
    (...given: readonly unknown[]): void =>
      void heard.push(`${hook} ${JSON.stringify(given.filter((each) => !(each instanceof AbortSignal)))}`);
  return {
    initialize: note('initialize'),
    syncTurn: note('syncTurn'),
    onTurnStart: note('onTurnStart'),
    onSessionEnd: note('onSessionEnd'),
    onSessionSwitch: note('onSessionSwitch'),
    onMemoryWrite: note('onMemoryWrite'),
    onDelegation: note('onDelegation'),
    queuePrefetch: note('queuePrefetch'),
    shutdown: note('shutdown'),
    onSessionForgotten: (...given) => (note('onSessionForgotten')(...given), 'One note stays in a backup.'),
    onPreCompress: (...given) => (note('onPreCompress')(...given), 'Keep the names.'),
  };
}

describe('a memory provider of another extension', () => {
  it("receives every event in the provider's own words, in order", async () => {
    const heard: string[] = [];
    const { register, agent } = service();
    register({ name: 'notes', create: () => noting(heard) });
    const memory = agent();
    memory.initialize('s1', 's0');
    memory.turnStarting({ turnUid: 't1', prompt: 'How does it parse?', model: 'm' });
    memory.syncTurn({
      turnUid: 't1',
      outcome: 'complete',
      prompt: 'How does it parse?',
      answer: 'By hand.',
      startedAt: 1,
      settledAt: 2,
    });
    memory.mirrorWrite({ action: 'add', target: 'user', content: 'likes tests', previous: null });
    memory.delegated({ childSessionId: 's9', task: 'look', result: 'found' });
    const base = {
      sessionId: 's1',
      turnUid: 't1',
      createdAt: 1,
      carriedFrom: null,
      parts: [{ kind: 'text', text: 'hello', metadata: { secret: 'x' } }],
      role: 'user',
    } as const;
    const messages: readonly Message[] = [
      { ...base, uid: 'u1', position: 1, visibility: { kind: 'shown' } },
      { ...base, uid: 'u2', position: 2, visibility: { kind: 'closing' } },
    ];
    const kept = await memory.beforeCompression(messages, new AbortController().signal);
    memory.switchSession({ to: 's2', reason: 'new_session', parentSessionId: null });
    const forgotten = await memory.forget(['s1']);
    await memory.shutdown(null);
    expect({ kept, forgotten, heard }).toEqual({
      kept: 'Keep the names.',
      forgotten: ['One note stays in a backup.'],
      heard: [
        'initialize ["s1",{"parentSessionId":"s0"}]',
        'onTurnStart [{"prompt":"How does it parse?","model":"m","sessionId":"s1","number":1,"turnId":"t1"}]',
        'syncTurn [{"prompt":"How does it parse?","answer":"By hand.","startedAt":1,"settledAt":2,' +
          '"sessionId":"s1","turnId":"t1"}]',
        'queuePrefetch ["How does it parse?","s1"]',
        'onMemoryWrite [{"action":"add","target":"user","content":"likes tests","previous":null}]',
        'onDelegation [{"childSessionId":"s9","task":"look","result":"found","sessionId":"s1"}]',
        'onPreCompress [[{"id":"u1","sessionId":"s1","turnId":"t1","position":1,"createdAt":1,' +
          '"role":"user","parts":[{"kind":"text","text":"hello"}]}]]',
        'onSessionEnd ["s1"]',
        'onSessionSwitch ["s2",{"parentSessionId":null,"previousSessionId":"s1","reset":true,' +
          '"rewound":false,"reason":"new_session"}]',
        'onSessionForgotten [["s1"]]',
        'shutdown []',
      ],
    });
  });

  it('works with only two hooks; the log says that it keeps what it was sent', async () => {
    const { register, agent } = service();
    register(made({}));
    const memory = agent();
    memory.initialize('s1');
    const prepared = await memory.prepareTurn({
      prompt: 'How does it parse?',
      signal: new AbortController().signal,
      skip: new AbortController().signal,
      onSlow: () => undefined,
    });
    expect([memory.providerNames, prepared, await memory.forget(['s1'])]).toEqual([
      ['notes'],
      { systemBlock: '', recall: '', found: [] },
      ['notes keeps its copy because it can’t delete sessions.'],
    ]);
  });

  it('recalls, whatever the shape of its answers', async () => {
    const { register, agent, log } = service();
    const odd: (value: unknown) => () => never = (value) => () => value as never;
    const asked = {
      prompt: 'How does it parse?',
      signal: new AbortController().signal,
      skip: new AbortController().signal,
      onSlow: () => undefined,
    };
    const prepared: unknown[] = [];
    for (const provider of [
      {
        prefetch: () => '- by hand',
        recallStatus: () => ({ label: 'notes', count: 1 }),
        systemPromptBlock: () => 'You have notes.',
      },
      { prefetch: odd(undefined), systemPromptBlock: odd(undefined) },
      { prefetch: odd({ text: 'no' }), recallStatus: odd('many') },
      { prefetch: () => '- by hand', recallStatus: odd({ label: 7 }) },
    ]) {
      const registration = register(made(provider));
      const memory = agent();
      memory.initialize('s1');
      prepared.push(await memory.prepareTurn(asked));
      registration.dispose();
    }
    expect([prepared, log.lines.filter((line) => line.startsWith('warn'))]).toEqual([
      [
        {
          systemBlock: 'You have notes.',
          recall: '- by hand',
          found: [{ provider: 'notes', label: 'notes', count: 1 }],
        },
        { systemBlock: '', recall: '', found: [] },
        { systemBlock: '', recall: '', found: [] },
        { systemBlock: '', recall: '- by hand', found: [] },
      ],
      [],
    ]);
  });

  it('lends tools: text comes back as done; anything else, or a rejection, as failed', async () => {
    const { register, agent } = service();
    const tool = (name: string, run: (input: { readonly [key: string]: unknown }) => unknown) => ({
      name,
      description: 'Finds notes.',
      parameters: { properties: { query: { type: 'string' } } },
      readOnly: true,
      run: run as () => string,
    });
    register(
      made({
        tools: [
          tool('find', ({ query }) => `found ${String(query)}`),
          tool('odd', () => 7),
          tool('broken', () => Promise.reject(new Error('no notes'))),
        ],
      }),
    );
    const memory = agent();
    memory.initialize('s1');
    const registry = new ToolRegistry(memory.tools);
    const call = (name: string) =>
      registry.run({ callId: 'c', name, arguments: '{"query":"names"}' }, new AbortController().signal, aToolCall());
    expect([
      registry.specifications()[0]?.parameters,
      await call('find'),
      await call('odd'),
      await call('broken'),
    ]).toEqual([
      { type: 'object', properties: { query: { type: 'string' } } },
      { outcome: 'done', text: 'found names' },
      { outcome: 'failed', text: 'odd came back with number in place of text.' },
      { outcome: 'failed', text: 'no notes' },
    ]);
  });

  it('that is invalid is logged and left out', () => {
    const { untyped, agent, log } = service();
    const broken: readonly (() => unknown)[] = [
      () => null,
      () => ({ initialize: () => undefined }),
      () => ({ ...least, prefetch: 'soon' }),
      () => ({ ...least, tools: [{ name: 'has spaces' }] }),
      () => {
        throw new Error('no disk');
      },
    ];
    const names = broken.map((create) => {
      const registration = untyped({ name: 'notes', create }) as { dispose(): void };
      const { providerNames } = agent();
      registration.dispose();
      return providerNames;
    });
    expect([names, log.lines.filter((line) => line.startsWith('warn')).map((line) => line.slice(0, 70))]).toEqual([
      [[], [], [], [], []],
      [
        'warn: Memory provider notes could not be made: what it made is no provi',
        'warn: Memory provider notes could not be made: what it made is no provi',
        'warn: Memory provider notes could not be made: what it made is no provi',
        'warn: Memory provider notes: isAvailable failed: one of its tools is no',
        'warn: Memory provider notes could not be made: no disk',
      ].map((line) => line.slice(0, 70)),
    ]);
  });
});

describe('registering a memory provider', () => {
  it('reports whether it is the chosen provider, and gives it to no private session', () => {
    const { register, agent, log } = service();
    const [notes, other] = [register(made({})), register(made({}, 'other'))];
    expect({
      chosen: [notes.isChosen, other.isChosen],
      agents: [agent().providerNames, agent(true).providerNames],
      log: log.lines,
    }).toEqual({
      chosen: [true, false],
      agents: [['notes'], []],
      log: [
        'info: Memory provider notes was registered by another extension. It is used from the next prompt on.',
        'info: Memory provider other was registered by another extension. It is used when ' +
          'hermes.memory.provider is "other"; now it is "notes".',
      ],
    });
  });

  it('is refused for a name that is taken or reserved, and for an invalid factory', () => {
    const { register, untyped } = service();
    register(made({}));
    expect(() => register(made({}))).toThrow('A memory provider named "notes" is registered already.');
    for (const name of ['none', 'builtin', 'hindsight'])
      expect(() => register(made({}, name))).toThrow(`cannot be named "${name}"`);
    for (const factory of [
      null,
      {},
      { name: 'x' },
      { name: '', create: () => least },
      { name: 'two words', create: () => least },
    ])
      expect(() => untyped(factory)).toThrow(/^This cannot be registered as a memory provider: /);
  });

  it('ends when its registration is disposed or Hermes stops; the name is free again', () => {
    const { register, agent, api } = service();
    register(made({})).dispose();
    const without = agent().providerNames;
    register(made({}));
    const again = agent();
    api.dispose();
    expect([without, again.providerNames, again.isCurrent, agent().providerNames]).toEqual([[], ['notes'], false, []]);
  });

  it('gives each provider a log under its own name, without keys', () => {
    const { register, agent, log } = service();
    register({
      name: 'notes',
      create: (context) => (context.log.warn('no answer for sk-proj-abc123def456ghi7'), least),
    });
    agent();
    expect(log.lines.at(-1)).toBe('warn: Memory provider notes: no answer for [key]');
  });
});
