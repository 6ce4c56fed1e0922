import { afterEach, describe, expect, it } from 'vitest';
import type { SubmitReceipt } from '../../../src/gateway/gateway';
import { reply } from '../../support/modelServer';
import { World, type WorldOptions } from '../../support/world';
import { gate, askUntil, resumed } from '../../support/conformance';

let world: World;
const create = async (options: WorldOptions = {}): Promise<World> => (world = await World.create(options));
afterEach(() => world.close());

const queued = (receipt: SubmitReceipt): readonly string[] =>
  receipt.kind === 'queued' ? receipt.queue.map(({ text }) => text) : [];

describe('prompts sent while an answer streams', () => {
  it('are queued durably, can be changed, moved and removed, and are answered one after the other', async () => {
    const { server } = await create();
    const held = gate();
    server.script(
      reply().says('one ').waitsFor(held.opened).says('done'),
      reply().says('three'),
      reply().says('two, edited'),
    );
    const panel = world.surface();
    await world.send(panel, 'first');
    await panel.until(() => panel.deliveredText === 'one ');
    await world.send(panel, 'second');
    await world.send(panel, 'never');
    const receipt = await world.send(panel, 'third');
    const { sessionId } = receipt;
    const [second, never, third] = await world.store.queue(sessionId);
    await world.gateway.queue.edit(second?.uid ?? '', 'second, edited');
    await world.gateway.queue.remove(never?.uid ?? '');
    await world.gateway.queue.promote(third?.uid ?? '');
    const waiting = (await world.store.queue(sessionId)).map(({ text }) => text);
    held.open();
    await world.settles(panel, 3);
    expect({
      queued: queued(receipt),
      waiting,
      left: await world.store.queue(sessionId),
      lines: await world.lines(sessionId),
    }).toEqual({
      queued: ['second', 'never', 'third'],
      waiting: ['third', 'second, edited'],
      left: [],
      lines: [
        'user: first',
        'assistant: one done',
        'user: third',
        'assistant: three',
        'user: second, edited',
        'assistant: two, edited',
      ],
    });
  });

  it('survive the window, and continue after a completed answer', async () => {
    const { server } = await create();
    const held = gate();
    server.script(reply().waitsFor(held.opened).says('one'), reply().says('two'));
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'first');
    await world.send(panel, 'second');
    // The window dies between the end of the answer and the next prompt.
    const mend = world.breakStore((method) => (method === 'queue' ? new Error('dying') : null));
    held.open();
    await world.settles(panel, 1);
    mend();
    await world.reopen();
    const next = await resumed(world, sessionId);
    await world.gateway.queue.resume();
    await world.settles(next, 1);
    expect(await world.lines(sessionId)).toEqual(['user: first', 'assistant: one', 'user: second', 'assistant: two']);
  });
});

describe('sessions', () => {
  it('are rendered from the store in the middle of an answer, and the events continue exactly from there', async () => {
    const { server } = await create();
    const held = gate();
    server.script(reply().says('one two ').waitsFor(held.opened).says('three'));
    const first = world.surface();
    const { sessionId } = await askUntil(world, first, 'count', 'one two ');
    const second = await resumed(world, sessionId);
    const snapshot = await world.gateway.snapshot(sessionId, 50);
    held.open();
    await world.settles(first, 1);
    const streaming = snapshot.page.messages.at(-1);
    expect({
      drawn: streaming?.role === 'assistant' ? [streaming.state, streaming.parts, streaming.lastSeq > 0] : null,
      turn: snapshot.openTurn?.state,
      activity: snapshot.activity?.kind,
      settledAtBoth: [first.settled.length, second.settled.length],
    }).toEqual({
      drawn: ['streaming', [{ kind: 'text', text: 'one two ' }], true],
      turn: 'running',
      activity: 'answering',
      settledAtBoth: [1, 1],
    });
  });
});
