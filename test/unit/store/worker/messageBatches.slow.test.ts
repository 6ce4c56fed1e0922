import { expect, it } from 'vitest';
import { MessageBatches } from '../../../../src/store/worker/messageBatches';

it('handles messages in the same turn, after the last message that has arrived', () => {
  const world = arrivals(['b', 'c']);
  world.receive('a');
  expect({ did: world.did, later: world.later.length }).toEqual({ did: ['got a', 'got b', 'got c', 'work'], later: 0 });
});

it('leaves later work to a later turn, so that a message can come before it', () => {
  const world = arrivals([], ['work', 'more work']);
  world.receive('a');
  const atOnce = [...world.did];
  world.receive('b');
  for (const callback of world.later) callback();
  expect({ atOnce, did: world.did.slice(atOnce.length) }).toEqual({
    atOnce: ['got a', 'work'],
    did: ['got b', 'more work'],
  });
});

/** A port behind whose first message these have arrived; the first piece of work asks for the next one. */
function arrivals(waiting: string[], works: string[] = ['work']) {
  const did: string[] = [];
  const later: (() => void)[] = [];
  const received = new MessageBatches<string>(
    () => waiting.shift(),
    (callback) => later.push(callback),
  );
  let asked = false;
  const work = (): void => {
    const name = works.shift();
    if (name === undefined) return;
    did.push(name);
    if (works.length > 0) received.soon(work);
  };
  const take = (message: string): void => {
    did.push(`got ${message}`);
    if (!asked) received.soon(work);
    asked = true;
  };
  return { did, later, receive: (message: string) => received.receive(message, take) };
}
