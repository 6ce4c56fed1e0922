import { MessageChannel } from 'node:worker_threads';
import { afterEach, expect, it } from 'vitest';
import { CalledThread } from '../../../src/base/threads/calledThread';
import { Calls, plainErrors } from '../../../src/base/threads/calls';
import { portChannel, type MessagePort, type Thread } from '../../../src/base/threads/channel';
import {
  acceptCalls,
  serveCalls,
  type ArrivedCall,
  type CallContext,
  type ThreadMethods,
} from '../../../src/base/threads/served';
import { promisedOperations } from '../../../src/store/session/sessionStore';
import { portTo, StoreOverPorts } from '../../../src/store/worker/storePort';

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

it('passes results, errors and progress back, in the order of the calls', async () => {
  const calls = served({
    echo: (_call: CallContext, text: string) => text,
    fail: () => {
      throw new Error('It broke.');
    },
    count: ({ onProgress }: CallContext) => onProgress(1),
  });
  const seen: unknown[] = [];
  const note = (value: unknown): void => void seen.push(value);
  await Promise.all([
    calls.call('echo', ['a']).then(note),
    calls.call('fail', []).catch((error: unknown) => note(String(error))),
    calls.call('count', [], { onProgress: note }).then(() => note('counted')),
    calls.call('echo', ['b']).then(note),
    calls.call('echo', [() => 'no data']).catch(() => note('refused')),
  ]);
  // Progress is passed on when it arrives; a promise settles a moment later.
  expect(seen).toEqual(['refused', 1, 'a', 'Error: It broke.', 'counted', 'b']);
});

it('joins the entries that arrived early with the last ones', async () => {
  const calls = accepted((call) => {
    call.progress(undefined, [1, 2]);
    call.progress(undefined, [3]);
    call.done([4]);
  });
  expect(await calls.call('list', [])).toEqual([1, 2, 3, 4]);
});

it('aborts work that waits, and work that never does', async () => {
  const begun: (() => void)[] = [];
  const calls = served({
    wait: ({ signal }: CallContext) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        begun.shift()?.();
      }),
    work: ({ throwIfAborted }: CallContext) => {
      begun.shift()?.();
      throwIfAborted();
    },
  });
  const abort = async (name: string): Promise<unknown> => {
    const aborter = new AbortController();
    begun.push(() => aborter.abort('enough'));
    return calls.call(name, [], { signal: aborter.signal }).catch((reason: unknown) => reason);
  };
  expect([await abort('wait'), await abort('work')]).toEqual(['enough', 'enough']);
});

it('receives messages that have arrived together in one turn', async () => {
  const did: string[] = [];
  const calls = accepted((call) => {
    did.push(call.name);
    queueMicrotask(() => did.push(`after ${call.name}`));
    call.done(undefined);
  });
  await Promise.all([calls.call('a', []), calls.call('b', [])]);
  expect(did).toEqual(['a', 'b', 'after a', 'after b']);
});

it('rejects the calls of a thread that died, and starts another with the next call', async () => {
  let die: (technical: string) => void = () => undefined;
  let started = 0;
  const start = (): Thread => {
    const number = ++started;
    const { near, far } = channels();
    serveCalls(far, plainErrors, { number: () => number, hang: () => new Promise(() => undefined) });
    return {
      ...near,
      onExit: (listener) => {
        die = listener;
      },
      terminate: async () => undefined,
      keepProcess: () => undefined,
    };
  };
  const thread = new CalledThread({
    start,
    errors: plainErrors,
    ended: (technical) => new Error(`ended: ${technical}`),
  });
  const hanging = thread.call('hang', []).catch((error: unknown) => String(error));
  die('killed');
  expect([await hanging, await thread.call('number', []), started]).toEqual(['Error: ended: killed', 2, 2]);
});

it('reaches a store over a new port when the old one closed', async () => {
  let asked = 0;
  const given: MessagePort[] = [];
  const over: StoreOverPorts = new StoreOverPorts(() => {
    asked++;
    const { port } = portTo(promisedOperations(async (method) => `${method} ${asked}` as never));
    given.push(port);
    over.use(port, null);
  });
  const first = await over.operations.getMeta('a');
  const second = await over.operations.getMeta('a');
  const closed = new Promise((resolve) => given[0]?.once('close', resolve));
  given[0]?.close();
  await closed;
  const third = await over.operations.getMeta('a');
  given[1]?.close();
  expect({ first, second, third, asked }).toEqual({
    first: 'getMeta 1',
    second: 'getMeta 1',
    third: 'getMeta 2',
    asked: 2,
  });
});

function channels() {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  return { near: portChannel(port1), far: portChannel(port2) };
}

function served(methods: ThreadMethods): Calls {
  const { near, far } = channels();
  serveCalls(far, plainErrors, methods);
  return new Calls(near, plainErrors);
}

function accepted(take: (call: ArrivedCall) => void): Calls {
  const { near, far } = channels();
  acceptCalls(far, plainErrors, take);
  return new Calls(near, plainErrors);
}
