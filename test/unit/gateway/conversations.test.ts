import { afterEach, describe, expect, it } from 'vitest';
import type { SubmitReceipt } from '../../../src/gateway/gateway';
import { reply } from '../../support/modelServer';
import { World, type WorldOptions } from '../../support/world';
import { gate } from '../../support/conformance';

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
    await world.gateway.editQueued(second?.uid ?? '', 'second, edited');
    await world.gateway.removeQueued(never?.uid ?? '');
    await world.gateway.promoteQueued(third?.uid ?? '');
    const waiting = (await world.store.queue(sessionId)).map(({ text }) => text);
    held.open();
    await panel.untilSettled(3);
    await world.idle();
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
    await panel.untilSettled(1);
    await world.idle();
    mend();
    await world.reopen();
    const next = world.surface();
    await world.gateway.switchSession(next.id, { reason: 'resume', sessionId });
    await world.gateway.resumeQueues();
    await next.untilSettled(1);
    await world.idle();
    expect(await world.lines(sessionId)).toEqual(['user: first', 'assistant: one', 'user: second', 'assistant: two']);
  });
});

describe('sessions', () => {
  it('are rendered from the store in the middle of an answer, and the events continue exactly from there', async () => {
    const { server } = await create();
    const held = gate();
    server.script(reply().says('one two ').waitsFor(held.opened).says('three'));
    const first = world.surface();
    const { sessionId } = await world.send(first, 'count');
    await first.until(() => first.deliveredText === 'one two ');
    const second = world.surface();
    await world.gateway.switchSession(second.id, { reason: 'resume', sessionId });
    const snapshot = await world.gateway.snapshot(sessionId, 50);
    held.open();
    await first.untilSettled(1);
    await world.idle();
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
