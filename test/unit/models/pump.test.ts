import { describe, expect, it } from 'vitest';
import type { StreamEvent, Terminal } from '../../../src/models/chatModel';
import { EventPump } from '../../../src/models/http/pump';
import { remotePolicy, runRequest } from '../../../src/models/http/requestRunner';
import type { Transport } from '../../../src/models/transport';
import { ManualClock } from '../../support/manualClock';
import { follow, request, textOf } from './asking';

const text = (value: string): StreamEvent => ({ kind: 'text', text: value });
const aborted: Terminal = { outcome: 'aborted', usage: null, requestId: null };
const complete: Terminal = {
  outcome: 'complete',
  finish: { unified: 'stop', raw: 'stop' },
  toolCalls: [],
  empty: 'no',
  usage: null,
  requestId: null,
};

describe('the pump', () => {
  it('lets readers follow at their own pace, both early and late ones', async () => {
    const pump = new EventPump();
    const early = follow(pump.stream);
    for (const word of ['a', 'b', 'c']) {
      pump.append(text(word));
      await Promise.resolve();
    }
    pump.end(complete);
    const late = follow(pump.stream);
    expect([await early, await late]).toEqual([
      { events: ['a', 'b', 'c'].map(text), terminal: complete },
      { events: ['a', 'b', 'c'].map(text), terminal: complete },
    ]);
  });

  it('accepts nothing after its terminal, and only one terminal', async () => {
    const pump = new EventPump();
    pump.append(text('a'));
    pump.end(aborted);
    const taken = pump.append(text('late'));
    pump.end(complete);
    expect([taken, pump.closed, await follow(pump.stream)]).toEqual([
      false,
      true,
      { events: [text('a')], terminal: aborted },
    ]);
  });

  it('answers every reader that waits for an event that never arrives', async () => {
    const pump = new EventPump();
    const waiting = Promise.all([pump.stream.hasEvent(0), pump.stream.hasEvent(5)]);
    pump.end(aborted);
    expect(await waiting).toEqual([false, false]);
  });
});

function run(
  transport: Transport,
  clock: ManualClock,
  signal = new AbortController().signal,
): ReturnType<typeof runRequest> {
  return runRequest(request(), signal, {
    loadTransports: () => Promise.resolve({ createTransport: () => transport }),
    settings: {
      protocol: 'openai',
      baseUrl: 'https://h.example/v1',
      key: null,
      modelId: 'm',
      fetch: () => Promise.reject(new Error('no network')),
    },
    policy: remotePolicy,
    clock,
    provider: 'Rude',
  });
}

describe('a transport that misbehaves', () => {
  it('cannot delay Stop, and adds nothing after it', async () => {
    const stop = new AbortController();
    let late: () => void = () => undefined;
    const stream = run(
      {
        send(_request, { emit }) {
          emit({ kind: 'text', text: 'One' });
          late = () => emit({ kind: 'text', text: ' late' });
          return new Promise(() => undefined);
        },
      },
      new ManualClock(),
      stop.signal,
    );
    await stream.hasEvent(0);
    stop.abort();
    const terminal = await stream.terminal;
    late();
    expect([terminal, textOf(stream.events)]).toEqual([aborted, 'One']);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('thrown');
      },
    ],
    ['rejects', () => Promise.reject(new Error('rejected'))],
  ] as const)('ends in one failure when it %s', async (_how, send) => {
    const clock = new ManualClock();
    const { terminal } = await follow(run({ send }, clock));
    expect(clock.waiting).toBe(0);
    expect(terminal).toMatchObject({
      outcome: 'failed',
      failure: {
        cause: 'unknown',
        sentence:
          'The request to Rude could not be made. Your prompt is saved. Retry, or choose another model. Choose Copy Details for the reason.',
      },
    });
  });

  it('ends in one failure when the transports cannot be loaded', async () => {
    const stream = runRequest(request(), new AbortController().signal, {
      loadTransports: () => Promise.reject(new Error('providers.js is missing')),
      settings: {
        protocol: 'openai',
        baseUrl: 'https://h.example/v1',
        key: null,
        modelId: 'm',
        fetch: globalThis.fetch,
      },
      policy: remotePolicy,
      clock: new ManualClock(),
      provider: 'Rude',
    });
    expect(await stream.terminal).toMatchObject({
      outcome: 'failed',
      failure: { cause: 'unknown', technical: expect.stringContaining('providers.js is missing') },
    });
  });
});
