import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HindsightStandIn, type Fault, type StandInOptions } from '../../../support/hindsight/standIn';
import { fastClock } from '../../../support/hindsight/fastClock';
import { HindsightRun, type HindsightRunOptions } from '../../../support/hindsight/hindsightLife';
import { MemoryStore } from '../../../support/hindsight/memoryStore';
import type { HindsightProvider } from '../../../../src/features/hindsight/core/hindsightProvider';
import { aToolCall } from '../../../support/toolCalls';

const signal = new AbortController().signal;
let server: HindsightStandIn;
let store: MemoryStore;
let lives: HindsightRun[] = [];

beforeEach(async () => {
  server = await HindsightStandIn.start();
  store = new MemoryStore();
  lives = [];
});
afterEach(async () => {
  for (const life of lives) life.die();
  await server.close();
  expect(server.violations).toEqual([]);
});

async function begin(
  server_: StandInOptions = {},
  options: Partial<HindsightRunOptions> = {},
): Promise<{ readonly life: HindsightRun; readonly provider: HindsightProvider }> {
  const clock = options.clock ?? fastClock(50);
  server.options = { now: () => clock.now(), ...server_ };
  let uids = 0;
  const life = new HindsightRun({ store, url: server.url, clock, uid: () => `uid-${++uids}`, ...options });
  lives.push(life);
  const provider = life.createProvider();
  await provider.initialize('s1', signal, { parentSessionId: null });
  return { life, provider };
}

async function complete(provider: HindsightProvider, uid: string, prompt: string, sessionId = 's1'): Promise<void> {
  const said = { prompt, answer: `re: ${prompt}`, startedAt: 1, settledAt: 2 };
  store.turns.push({ uid, sessionId, ...said, state: 'complete', hidden: false });
  await provider.syncTurn({ turnUid: uid, sessionId, ...said });
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 3));
}

const drained = (): Promise<void> => until(() => store.entries.length === 0);
const run = async (provider: HindsightProvider, name: string, input: unknown) => {
  const bound = provider.tools.find((tool) => tool.name === name)?.bind(input);
  return bound?.kind === 'ready' ? bound.run(signal, aToolCall()) : bound;
};
const retains = (): readonly unknown[] =>
  server.requests.filter(({ operation }) => operation === 'retain_memories').map(({ body }) => body);

describe('retained turns', () => {
  it('are in the outbox before retain returns, which reports how many wait and why', async () => {
    const { life, provider } = await begin({ fault: () => 503 });
    await complete(provider, 't1', 'one');
    const kept = store.entries.map(({ kind, sessionId }) => `${kind} ${sessionId}`);
    await until(() => life.retainer.status.failure !== null);
    expect({ kept, status: life.retainer.status }).toEqual({
      kept: ['turn s1'],
      status: {
        pending: 1,
        failure: `Hindsight at ${new URL(server.url).host} is busy (503). New memories are kept here and sent later.`,
      },
    });
  });

  it('stop at a refused key, send no more requests, and continue when the key is corrected', async () => {
    const { life, provider } = await begin({ key: 'right' }, { key: 'wrong' });
    await complete(provider, 't1', 'one');
    await until(() => life.retainer.status.failure !== null);
    const asked = server.requests.length;
    await complete(provider, 't2', 'two');
    await new Promise((resolve) => setTimeout(resolve, 100));
    const after = server.requests.length;
    server.options = { ...server.options, key: 'wrong' };
    life.retainer.resume();
    await drained();
    expect({
      more: after - asked,
      sentence: life.logLines[0],
      held: Object.keys(server.documents('hermes')),
      status: life.retainer.status,
    }).toEqual({
      more: 0,
      sentence:
        `Memory provider hindsight: Hindsight at ${new URL(server.url).host} refused the key (401). ` +
        'Nothing is sent until you fix it. Run Set Up Memory….',
      held: ['s1'],
      status: { pending: 0, failure: null },
    });
  });

  it('that the server refuses because of their content are kept and not sent again; another session continues', async () => {
    let refused = 0;
    const { life, provider } = await begin({
      fault: (operation) => (operation === 'retain_memories' && refused++ === 0 ? 422 : null),
    });
    await complete(provider, 't1', 'one');
    await until(() => life.retainer.status.failure !== null);
    await complete(provider, 't2', 'two', 's2');
    await until(() => store.entries.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect({
      waits: store.entries.map(({ sessionId }) => sessionId),
      held: Object.keys(server.documents('hermes')),
      asked: retains().length,
    }).toEqual({ waits: ['s1'], held: ['s2'], asked: 2 });
  });

  it('repeat the same operation if a response was lost, and nothing is stored twice', async () => {
    const faults: (Fault | null)[] = [null, 'dropAfter'];
    const { provider } = await begin({ fault: () => faults.shift() ?? null });
    await complete(provider, 't1', 'one');
    await drained();
    expect({
      text: server.documents('hermes')['s1']?.match(/User: one/g)?.length,
      operations: server.bank('hermes').operations.size,
    }).toEqual({ text: 1, operations: 1 });
  });

  it('wait, on a server that overwrites, until a write with a lost response is over: it could undo the next one', async () => {
    const delays = [8, 0, 0];
    let lost = 1;
    const { provider } = await begin({
      server: 'overwrites',
      fault: (operation) => (operation === 'retain_memories' && lost-- > 0 ? 'dropAfter' : null),
      processing: () => ({ seconds: delays.shift() ?? 0, fate: 'completes' }),
    });
    await complete(provider, 't1', 'one');
    await until(() => retains().length === 1);
    await complete(provider, 't2', 'two');
    await drained();
    expect(
      Object.values(server.documents('hermes')).map((text) => [text.includes('User: one'), text.includes('User: two')]),
    ).toEqual([[true, true]]);
  });

  it('get a new operation id after a 409 for an operation that belongs to another client', async () => {
    let conflicts = 1;
    const { provider } = await begin({
      fault: (operation) => (operation === 'retain_memories' && conflicts-- > 0 ? 409 : null),
    });
    await complete(provider, 't1', 'one');
    await drained();
    const ids = retains().map((body) => /"operation_id":"([^"]+)"/.exec(JSON.stringify(body))?.[1]);
    expect({ different: ids[0] !== ids[1], count: ids.length, held: Object.keys(server.documents('hermes')) }).toEqual({
      different: true,
      count: 2,
      held: ['s1'],
    });
  });

  it('wait no longer for a server that accepts and never answers, and are sent to it again later', async () => {
    let stalls = 2;
    const { life, provider } = await begin({ fault: () => (stalls-- > 0 ? 'stall' : null) });
    await complete(provider, 't1', 'one');
    await drained();
    expect({
      held: Object.keys(server.documents('hermes')),
      said: life.logLines.some((line) => line.includes('did not answer in time')),
    }).toEqual({ held: ['s1'], said: true });
  });

  it('never send the key to an address that redirects', async () => {
    const { life, provider } = await begin({ fault: () => 307 }, { key: 'k' });
    await complete(provider, 't1', 'one');
    await until(() => life.retainer.status.failure !== null);
    expect(life.retainer.status.failure).toContain('isn’t Hindsight');
  });
});

describe('recall', () => {
  it('is requested after a turn once that has arrived, and used once', async () => {
    const { provider } = await begin(
      { processing: () => ({ seconds: 1, fate: 'completes' }) },
      { clock: fastClock(10) },
    );
    await complete(provider, 't1', 'the bluebird flies');
    await provider.queuePrefetch('bluebird', 's1', signal);
    await until(() => server.requests.some(({ operation }) => operation === 'recall_memories'));
    // What was found has arrived: nobody is told of that.
    await until(() => Object(Reflect.get(provider, 'prepared')).isReady === true);
    const before = server.requests.length;
    const first = await provider.prefetch('anything', 's1', signal);
    const asked = server.requests.length - before;
    const second = await provider.prefetch('nothing like it', 's1', signal);
    expect({ first, asked, status: provider.recallStatus(), second }).toEqual({
      first: '- User: the bluebird flies\n- Assistant: re: the bluebird flies',
      asked: 0,
      status: { label: 'Hindsight', count: 0 },
      second: '',
    });
  });

  it('of another session is dropped with the switch', async () => {
    const { provider } = await begin();
    await complete(provider, 't1', 'the bluebird flies');
    await drained();
    await provider.queuePrefetch('bluebird', 's1', signal);
    await until(() => server.requests.some(({ operation }) => operation === 'recall_memories'));
    await provider.onSessionSwitch('s2', {
      parentSessionId: null,
      previousSessionId: 's1',
      reset: true,
      rewound: false,
      reason: 'new_session',
    });
    expect(await provider.prefetch('unrelated words', 's2', signal)).toBe('');
  });

  it('from an unknown bank, a broken server or a stopped turn is empty', async () => {
    const { provider } = await begin();
    const unknown = await provider.prefetch('what about it', 's1', signal);
    server.options = { ...server.options, fault: () => 500 };
    const broken = await provider.prefetch('what about it', 's1', signal);
    const stopped = await provider.prefetch('what about it', 's1', AbortSignal.abort());
    expect([unknown, broken, stopped]).toEqual(['', '', '']);
  });

  it("cuts its query to the server's limit, in any script", async () => {
    const { provider } = await begin();
    await complete(provider, 't1', 'one');
    await drained();
    for (const query of ['word '.repeat(2000), '記憶'.repeat(2000), '🜁'.repeat(900)])
      await provider.prefetch(query, 's1', signal);
    const answered = server.requests.filter(({ operation }) => operation === 'recall_memories').length;
    expect({ answered, refused: lives[0]?.logLines.filter((line) => line.includes('recall')) }).toEqual({
      answered: 3,
      refused: [],
    });
  });
});

describe('tools', () => {
  it('retain, recall and reflect', async () => {
    const { provider } = await begin();
    const outputs = [
      await run(provider, 'hindsight_recall', { query: 'deploy' }),
      await run(provider, 'hindsight_retain', { content: 'Deploy on Fridays with s3cret', tags: ['habit'] }),
      await run(provider, 'hindsight_recall', { query: 'deploy' }),
      await run(provider, 'hindsight_reflect', { query: 'when to deploy?' }),
      await run(provider, 'hindsight_retain', { content: ' ' }),
    ];
    const [document] = [...server.bank('hermes').documents];
    expect({ outputs, document: [document?.[0], document?.[1].tags] }).toEqual({
      outputs: [
        { outcome: 'done', text: 'No relevant memories found.' },
        { outcome: 'done', text: 'Memory stored successfully.' },
        { outcome: 'done', text: '1. Deploy on Fridays with [secret]' },
        { outcome: 'done', text: 'From 1 memories: Deploy on Fridays with [secret]' },
        { kind: 'invalid', problems: ['content: content is missing'] },
      ],
      document: ['s1-note-uid-1', ['session:s1', 'habit']],
    });
  });

  it('keep a memory that cannot be sent now, and report it', async () => {
    const { provider } = await begin({ fault: () => 503 });
    const output = await run(provider, 'hindsight_retain', { content: 'Deploy on Fridays' });
    server.options = { ...server.options, fault: () => null };
    await drained();
    expect({ output, held: Object.keys(server.documents('hermes')) }).toEqual({
      output: { outcome: 'done', text: 'Memory kept on this machine; it is sent when Hindsight can be reached.' },
      held: ['s1-note-uid-1'],
    });
  });
});

describe.each(['appends', 'overwrites'] as const)('forgetting, on a server that %s', (kind) => {
  it('deletes every document of the session and no other, including a write in progress', async () => {
    const { provider } = await begin({ server: kind, processing: () => ({ seconds: 2, fate: 'completes' }) });
    await complete(provider, 't1', 'one');
    await run(provider, 'hindsight_retain', { content: 'a note' });
    await complete(provider, 't2', 'two', 's2');
    await drained();
    await complete(provider, 't3', 'three');
    await until(() => [...server.bank('hermes').operations.values()].some(({ state }) => state === 'pending'));
    const sentence = await provider.onSessionForgotten(['s1'], signal);
    const left = Object.keys(server.documents('hermes')).map((id) => id.slice(0, 2));
    expect({ sentence, left, meta: [...store.meta.keys()].filter((key) => key.endsWith(' s1')) }).toEqual({
      sentence: null,
      left: ['s2'],
      meta: [],
    });
  });

  it('reports what is left if the server does not answer', async () => {
    const { provider } = await begin({ server: kind });
    await complete(provider, 't1', 'one');
    await drained();
    server.options = { ...server.options, fault: () => 500 };
    expect(await provider.onSessionForgotten(['s1'], signal)).toMatch(
      /^Not erased at .*, bank “hermes”: s1.*\. Hindsight at .* failed \(500\)/,
    );
  });
});

describe('forgetting that failed', () => {
  /** Session s1 is on the server, the store has erased it, and the server fails to. */
  async function leftBehind(): Promise<{
    readonly life: HindsightRun;
    readonly provider: HindsightProvider;
    readonly sentence: string | null;
  }> {
    const { life, provider } = await begin();
    await complete(provider, 't1', 'one');
    await complete(provider, 't2', 'two', 's2');
    await drained();
    store.turns.splice(0, 1);
    server.options = { ...server.options, fault: (operation) => (operation === 'delete_document' ? 503 : null) };
    return { life, provider, sentence: await provider.onSessionForgotten(['s1'], signal) };
  }
  const serverWorks = (): void => void (server.options = { ...server.options, fault: () => null });
  const left = (bank = 'hermes'): readonly string[] => Object.keys(server.documents(bank)).map((id) => id.slice(0, 2));
  const next = (options: Partial<HindsightRunOptions> = {}): HindsightRun => {
    const life = new HindsightRun({ store, url: server.url, clock: fastClock(50), uid: () => 'uid', ...options });
    lives.push(life);
    return life;
  };

  it('is retried until the session is gone, and the failure is reported', async () => {
    const { sentence } = await leftBehind();
    const kept = store.entries.map(({ kind, sessionId }) => `${kind} ${sessionId}`);
    serverWorks();
    await drained();
    expect({ kept, left: left(), meta: [...store.meta.keys()].filter((key) => key.endsWith(' s1')) }).toEqual({
      kept: ['forget s1'],
      left: ['s2'],
      meta: [],
    });
    expect(sentence).toMatch(/Not erased at .* It is tried again until it is gone\.$/);
  });

  it('waits while another bank is in use', async () => {
    const { life } = await leftBehind();
    life.die();
    serverWorks();
    const other = next({ bank: 'other' });
    await other.retainer.idle();
    other.die();
    const meanwhile = left();
    next();
    await drained();
    expect([meanwhile, left()]).toEqual([['s1', 's2'], ['s2']]);
  });
});
