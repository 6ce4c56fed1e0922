import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelStream, StreamEvent } from '../../../../src/models/chatModel';
import { loopbackPolicy, remotePolicy } from '../../../../src/models/http/requestRunner';
import { ManualClock } from '../../../support/manualClock';
import { refuses, reply, startModelServer } from '../../../support/modelServer';
import type { ModelServer } from '../../../support/modelServer';
import { follow, modelAt, request, textOf } from '../asking';

let server: ModelServer;
let clock: ManualClock;
beforeEach(async () => {
  server = await startModelServer();
  clock = new ManualClock();
});
afterEach(() => server.close());

function start(policy = remotePolicy, signal = new AbortController().signal): ModelStream {
  return modelAt({ url: server.url, protocol: 'openai', clock, policy }).stream(request(), signal);
}

const refused: typeof fetch = () =>
  Promise.reject(
    new TypeError('fetch failed', { cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }) }),
  );

async function untilRequests(count: number): Promise<void> {
  await server.request(count - 1);
}

async function untilRetryNotice(stream: ModelStream, count = 1): Promise<void> {
  for (let index = 0, seen = 0; seen < count; index += 1) {
    if (!(await stream.hasEvent(index))) throw new Error('the request ended without a retry');
    const event = stream.events[index];
    if (event?.kind === 'notice' && event.notice.kind === 'retrying') seen += 1;
  }
  await clock.untilWaiting();
}

const retryDelays = (events: readonly StreamEvent[]): readonly number[] =>
  events.flatMap((event) =>
    event.kind === 'notice' && event.notice.kind === 'retrying' ? [event.notice.delayMs] : [],
  );
const waits = (events: readonly StreamEvent[], kind: 'loadingModel' | 'waiting'): readonly number[] =>
  events.flatMap((event) => (event.kind === 'notice' && event.notice.kind === kind ? [event.notice.elapsedMs] : []));

describe('a retry', () => {
  it('waits exactly as long as the service asks, and no less', async () => {
    server.script(refuses(429, { retryAfter: 20 }), reply().says('Now.'));
    const stream = start();
    await untilRetryNotice(stream);
    await clock.advance(19_900);
    expect(server.requests.length).toBe(1);
    await clock.advance(100);
    const { events } = await follow(stream);
    expect([retryDelays(events), textOf(events)]).toEqual([[20_000], 'Now.']);
  });

  it('doubles its own pause if the service names none', async () => {
    server.script(refuses(500), refuses(500), reply().says('Now.'));
    const stream = start();
    await untilRetryNotice(stream);
    await clock.advance(1000);
    await untilRetryNotice(stream, 2);
    await clock.advance(2000);
    expect(retryDelays((await follow(stream)).events)).toEqual([1000, 2000]);
  });

  it('does not happen if the service asks for more than a minute: the sentence says how long', async () => {
    server.script(refuses(429, { retryAfter: 600 }), reply().says('too early'));
    const { terminal } = await follow(start());
    expect(terminal).toMatchObject({
      outcome: 'failed',
      failure: {
        cause: 'rateLimit',
        sentence:
          'Test is limiting requests (429). Test says: Scripted 429. It asks to wait 10 minutes. Your prompt is saved. Wait and retry, or choose another model.',
      },
    });
  });

  it('is cancelled by Stop while it waits', async () => {
    server.script(refuses(429, { retryAfter: 20 }), reply().says('never'));
    const stop = new AbortController();
    const stream = start(remotePolicy, stop.signal);
    await untilRetryNotice(stream);
    stop.abort();
    expect([(await stream.terminal).outcome, server.requests.length, clock.waiting]).toEqual(['aborted', 1, 0]);
  });

  it('does not happen for an account without credit, although its status is 429', async () => {
    server.script(
      refuses(429, { message: 'You exceeded your current quota, please check your plan and billing details.' }),
    );
    const { terminal } = await follow(start());
    expect(terminal).toMatchObject({ outcome: 'failed', failure: { cause: 'quota' } });
  });

  it('does not happen if this machine refuses the connection: the sentence says to start the server', async () => {
    const stream = modelAt({
      url: server.url,
      protocol: 'openai',
      clock,
      policy: loopbackPolicy,
      fetch: refused,
    }).stream(request(), new AbortController().signal);
    const { events, terminal } = await follow(stream);
    expect([retryDelays(events), terminal]).toMatchObject([
      [],
      {
        outcome: 'failed',
        failure: {
          cause: 'network',
          sentence: `Can’t reach Test (${server.url}). The connection was refused. Your prompt is saved. Start the server, check the base URL, or choose another model.`,
        },
      },
    ]);
  });

  it('happens if a service reports overload inside an answer that has not started', async () => {
    server.script(reply().breaksWith('Overloaded'), reply().says('Now.'));
    const stream = start();
    await untilRetryNotice(stream);
    await clock.advance(1000);
    expect(textOf((await follow(stream)).events)).toBe('Now.');
  });
});

describe('waiting for the first byte', () => {
  it('shows each second of a cold load on this machine, and never gives up within ten minutes', async () => {
    let loaded: () => void = () => undefined;
    server.script(
      reply()
        .startsAfter(
          new Promise<void>((resolve) => {
            loaded = resolve;
          }),
        )
        .says('Loaded.'),
    );
    const stream = start(loopbackPolicy);
    await untilRequests(1);
    await clock.advance(599_000);
    loaded();
    const { events, terminal } = await follow(stream);
    const shown = waits(events, 'loadingModel');
    expect([shown.length, shown[0], shown.at(-1), textOf(events), terminal.outcome]).toEqual([
      599,
      1000,
      599_000,
      'Loaded.',
      'complete',
    ]);
  });

  it('fails after two minutes of silence from a remote service, with a sentence', async () => {
    server.script(reply().startsAfter(new Promise(() => undefined)));
    const stream = start(remotePolicy);
    await untilRequests(1);
    await clock.advance(120_000);
    const { events, terminal } = await follow(stream);
    expect([waits(events, 'waiting').length, terminal]).toEqual([
      119,
      {
        outcome: 'failed',
        usage: null,
        requestId: null,
        failure: {
          cause: 'timeout',
          sentence:
            'Test did not begin to answer within 2 minutes. Your prompt is saved. Retry, or choose another model.',
          technical: `Test · test-model · ${server.url}\nno first byte within 120000 ms`,
        },
      },
    ]);
    await server.requests[0]?.ended;
    expect(server.requests[0]?.clientClosed).toBe(true);
  });
});

describe('silence in the middle of an answer', () => {
  it.each([
    { where: 'a remote service', policy: remotePolicy, limit: 120_000 },
    { where: 'this machine', policy: loopbackPolicy, limit: 300_000 },
  ])('interrupts it at its limit on $where and keeps what was delivered', async ({ policy, limit }) => {
    server.script(reply().says('One two').hangs());
    const stream = start(policy);
    await stream.hasEvent(1);
    await clock.advance(limit - 1000);
    await clock.advance(1000);
    const { events, terminal } = await follow(stream);
    expect([
      textOf(events),
      terminal.outcome,
      terminal.outcome === 'interrupted' ? terminal.failure.cause : null,
    ]).toEqual(['One two', 'interrupted', 'timeout']);
    await server.requests[0]?.ended;
    expect([server.requests[0]?.clientClosed, clock.waiting]).toEqual([true, 0]);
  });

  it('does not count while keep-alives arrive', async () => {
    let goOn: () => void = () => undefined;
    let sawComment: () => void = () => undefined;
    const commentSeen = new Promise<void>((resolve) => {
      sawComment = resolve;
    });
    const watched: typeof globalThis.fetch = async (input, init) => {
      const response = await fetch(input, init);
      const watch = new TransformStream<Uint8Array, Uint8Array>({
        transform(bytes, controller) {
          controller.enqueue(bytes);
          if (Buffer.from(bytes).includes(': processing')) setImmediate(sawComment);
        },
      });
      return new Response(response.body?.pipeThrough(watch) ?? null, {
        status: response.status,
        headers: response.headers,
      });
    };
    server.script(
      reply()
        .says('One')
        .waitsFor(
          new Promise<void>((resolve) => {
            goOn = resolve;
          }),
        )
        .comments('processing')
        .hangs(),
    );
    const stream = modelAt({ url: server.url, protocol: 'openai', clock, policy: remotePolicy, fetch: watched }).stream(
      request(),
      new AbortController().signal,
    );
    await stream.hasEvent(0);
    await clock.advance(119_000);
    goOn();
    await commentSeen;
    await clock.advance(119_000);
    const stillOpen = await Promise.race([
      stream.terminal.then(() => false),
      new Promise<boolean>((resolve) => setImmediate(() => resolve(true))),
    ]);
    await clock.advance(1000);
    expect([stillOpen, (await stream.terminal).outcome]).toEqual([true, 'interrupted']);
  });
});
