import { afterEach, describe, expect, it } from 'vitest';
import type { SubmitReceipt } from '../../../src/gateway/gateway';
import type { MemoryProvider } from '../../../src/memory/memoryProvider';
import { refuses, reply } from '../../support/modelServer';
import { RecordingMemory } from '../../support/recordingMemory';
import { World, type WorldOptions } from '../../support/world';

let world: World;
const create = async (options: WorldOptions = {}): Promise<World> => (world = await World.create(options));
afterEach(() => world.close());

/** An answer that goes on when the test says so. */
function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

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

  it('wait for the user after a stop or a failure, and continue when the user asks', async () => {
    const { server } = await create();
    server.script(reply().says('one ').hangs(), reply().says('two'));
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'first');
    await panel.until(() => panel.deliveredText === 'one ');
    await world.send(panel, 'second');
    await world.gateway.stop(sessionId);
    await world.idle();
    const afterStop = (await world.store.queue(sessionId)).map(({ text }) => text);
    await world.gateway.promoteQueued((await world.store.queue(sessionId))[0]?.uid ?? '');
    await panel.untilSettled(2);
    await world.idle();
    expect({ afterStop, lines: await world.lines(sessionId) }).toEqual({
      afterStop: ['second'],
      lines: ['user: first', 'assistant: one ', 'user: second', 'assistant: two'],
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

  it('are stored once however often they are submitted', async () => {
    const { server } = await create();
    const held = gate();
    server.script(reply().waitsFor(held.opened).says('one'), reply().says('two'));
    const panel = world.surface();
    const first = { sessionId: null, uid: 'p1', text: 'first' };
    const { sessionId } = await world.gateway.submit(panel.id, first);
    await world.gateway.submit(panel.id, first);
    const second = { sessionId, uid: 'p2', text: 'second' };
    await Promise.all([
      world.gateway.submit(panel.id, second),
      world.gateway.submit(panel.id, second).catch(() => undefined),
    ]);
    held.open();
    await panel.untilSettled(2);
    await world.idle();
    expect({
      lines: await world.lines(sessionId),
      sessions: (await world.gateway.listSessions({ limit: 10 })).length,
    }).toEqual({
      lines: ['user: first', 'assistant: one', 'user: second', 'assistant: two'],
      sessions: 1,
    });
  });

  it('never start two turns in one conversation, whichever surface sends them', async () => {
    const { server } = await create();
    server.otherwise(reply().says('answer'));
    const [left, right] = [world.surface(), world.surface()];
    const { sessionId } = await world.ask(left, 'zero');
    await world.gateway.switchSession(right.id, { reason: 'resume', sessionId });
    const receipts = await Promise.all([world.send(left, 'a'), world.send(right, 'b'), world.send(left, 'c')]);
    await left.untilSettled(4);
    await world.idle();
    expect({
      kinds: receipts.map(({ kind }) => kind).sort(),
      lines: (await world.lines(sessionId)).map((line) => line.split(':')[0]),
      refused: server.requests.filter((request) => request.rejection !== null).length,
      rightSaw: right.settled.length,
    }).toEqual({
      kinds: ['queued', 'queued', 'started'],
      lines: ['user', 'assistant', 'user', 'assistant', 'user', 'assistant', 'user', 'assistant'],
      refused: 0,
      rightSaw: 3,
    });
  });
});

describe('sessions', () => {
  it('continue answering in the background while another one is shown, each answer stored in its own session', async () => {
    const { server } = await create();
    const held = gate();
    server.script(reply().says('slow ').waitsFor(held.opened).says('answer'), reply().says('quick answer'));
    const panel = world.surface();
    const slow = await world.send(panel, 'slow question');
    await panel.until(() => panel.deliveredText === 'slow ');
    await world.gateway.switchSession(panel.id, { reason: 'new_session' });
    const quick = await world.askBeside(panel, 'quick question');
    const shown = panel.deliveredText;
    held.open();
    await world.idle();
    expect({ shown, slow: await world.lines(slow.sessionId), quick: await world.lines(quick.sessionId) }).toEqual({
      shown: 'slow quick answer',
      slow: ['user: slow question', 'assistant: slow answer'],
      quick: ['user: quick question', 'assistant: quick answer'],
    });
  });

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

  it('that do not exist are refused with a sentence', async () => {
    await create();
    const panel = world.surface();
    await expect(world.gateway.switchSession(panel.id, { reason: 'resume', sessionId: 'nope' })).rejects.toThrow(
      'This session no longer exists. Open another one from the list.',
    );
    await expect(world.gateway.retry(panel.id, 'nope')).rejects.toThrow(
      'This turn no longer exists, so it can’t be sent again.',
    );
  });
});

describe('memory', () => {
  it('is notified of every completed turn and every switch, in order, with the right session', async () => {
    const { server } = await create();
    server.script(reply().says('a1'), refuses(400, { message: 'no' }), reply().says('a2'), reply().says('a3'));
    const panel = world.surface();
    const first = await world.ask(panel, 'q1');
    await world.ask(panel, 'failing');
    await world.gateway.switchSession(panel.id, { reason: 'new_session' });
    const second = await world.askBeside(panel, 'q2');
    await world.gateway.switchSession(panel.id, { reason: 'resume', sessionId: first.sessionId });
    await world.ask(panel, 'q3');
    await world.gateway.shutdown();
    expect(
      world.memoryLog.map((entry) => entry.replaceAll(first.sessionId, 'S1').replaceAll(second.sessionId, 'S2')),
    ).toEqual([
      'initialize S1',
      'sync S1: q1 -> a1',
      'end S1',
      'switch S2 new_session reset',
      'sync S2: q2 -> a2',
      'switch S1 resume',
      'sync S1: q3 -> a3',
      'shutdown',
    ]);
  });

  it('stays with a turn that runs in the background, while the surface gets a new agent', async () => {
    const { server } = await create();
    const held = gate();
    server.script(reply().waitsFor(held.opened).says('slow'), reply().says('quick'));
    const panel = world.surface();
    const slow = await world.send(panel, 'q1');
    await world.gateway.switchSession(panel.id, { reason: 'new_session' });
    const quick = await world.askBeside(panel, 'q2');
    held.open();
    await world.idle();
    await world.gateway.shutdown();
    const log = world.memoryLog.map((entry) =>
      entry.replaceAll(slow.sessionId, 'SLOW').replaceAll(quick.sessionId, 'QUICK'),
    );
    expect([...log].sort()).toEqual([
      'end SLOW',
      'initialize QUICK',
      'initialize SLOW',
      'shutdown',
      'shutdown',
      'sync QUICK: q2 -> quick',
      'sync SLOW: q1 -> slow',
    ]);
    expect(log.indexOf('end SLOW')).toBeGreaterThan(log.indexOf('sync SLOW: q1 -> slow'));
  });

  it('that fails or hangs does not affect the turn or the other providers', async () => {
    const throwing: MemoryProvider = {
      name: 'throwing',
      initialize: () => Promise.reject(new Error('broken')),
      syncTurn: () => Promise.reject(new Error('broken')),
    };
    const hanging: MemoryProvider = {
      name: 'hanging',
      initialize: () => new Promise(() => undefined),
      syncTurn: () => new Promise(() => undefined),
    };
    const { server } = await create({ memory: (log) => [throwing, hanging, new RecordingMemory(log)] });
    server.script(reply().says('a1'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'q1');
    await new Promise((resolve) => setImmediate(resolve));
    expect({ memory: world.memoryLog, warned: world.logLines }).toEqual({
      memory: [`initialize ${sessionId}`, `sync ${sessionId}: q1 -> a1`],
      warned: [
        'warn Memory provider throwing: initialize failed: broken',
        'warn Memory provider throwing: syncTurn failed: broken',
      ],
    });
  });
});
