import { describe, expect, it } from 'vitest';
import { account, sound, storedLines } from '../support/account';
import { askUntil, ended, gate, resumed, sent, worldPerTest, talked } from '../support/conformance';
import { reply } from '../support/modelServer';

const { create } = worldPerTest();

describe('one conversation has one running turn', () => {
  it('two surfaces on one session that send at the same moment: one waits, and rows never interleave (B60)', async () => {
    const world = await create();
    world.server.script(reply().says('zero'));
    const left = world.surface();
    const { sessionId } = await world.ask(left, 'zero');
    const right = await resumed(world, sessionId);
    const round = [reply().calls('list_directory', { path: 'nowhere' }), reply().says('done')];
    world.server.script(...round, ...round);
    const receipts = await Promise.all([world.send(left, 'from left'), world.send(right, 'from right')]);
    await left.untilSettled(3);
    const { stored, ...rest } = await account(world, left, sessionId);
    expect({
      kinds: receipts.map(({ kind }) => kind).sort(),
      rightSaw: right.settled.length,
      roles: stored.map((line) => line.split(':')[0]),
      ...rest,
    }).toEqual({
      kinds: ['queued', 'started'],
      rightSaw: 2,
      roles: ['user', 'assistant', 'user', 'assistant', 'tool', 'assistant', 'user', 'assistant', 'tool', 'assistant'],
      ...sound,
    });
  });

  it('a queued prompt is sent with everything from the turn before it (B61)', async () => {
    const world = await create();
    const held = gate();
    world.server.script(
      reply().calls('list_directory', { path: 'nowhere' }),
      reply().waitsFor(held.opened).says('X is done.'),
      reply().says('Y is done.'),
    );
    const panel = world.surface();
    await world.send(panel, 'X');
    await world.server.request(1);
    await world.send(panel, 'Y');
    held.open();
    await panel.untilSettled(2);
    const asked = sent(world, 2);
    expect({
      lines: asked.map((line) => line.split(':')[0]?.split(' ')[0]),
      result: asked.some((line) => line.includes('There is no file or folder at nowhere.')),
    }).toEqual({
      lines: ['user', 'assistant', 'tool', 'assistant', 'user'],
      result: true,
    });
  });

  it('rows that another writer added to the session are in the next request of a kept agent (B64)', async () => {
    const world = await create();
    const { panel, sessionId } = await talked(world);
    world.server.script(reply().says('a2'));
    const row = { sessionId, turnUid: null, createdAt: 2, visibility: { kind: 'shown' as const }, carriedFrom: null };
    await world.store.putMessages([
      { ...row, uid: 'foreign-1', role: 'user', parts: [{ kind: 'text', text: 'asked elsewhere' }] },
      {
        ...row,
        uid: 'foreign-2',
        role: 'assistant',
        parts: [{ kind: 'text', text: 'answered elsewhere' }],
        state: 'final',
        lastSeq: 0,
        model: null,
        finishReason: null,
        usage: null,
      },
    ]);
    await world.ask(panel, 'q2');
    expect({ sent: sent(world, 1), ...(await account(world, panel, sessionId)) }).toEqual({
      sent: ['user: q1', 'assistant: a1', 'user: asked elsewhere', 'assistant: answered elsewhere', 'user: q2'],
      ...sound,
      stored: [
        'user: q1',
        'assistant: a1',
        'user: asked elsewhere',
        'assistant: answered elsewhere',
        'user: q2',
        'assistant: a2',
      ],
    });
  });

  it('four prompts sent while an answer streams are all answered, in order, once it is complete (B72 B73)', async () => {
    const world = await create();
    const held = gate();
    world.server.script(
      reply().says('zero ').waitsFor(held.opened).says('done'),
      ...['one', 'two', 'three', 'four'].map((text) => reply().says(text)),
    );
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'm0', 'zero ');
    for (const text of ['m1', 'm2', 'm3', 'm4']) await world.send(panel, text);
    held.open();
    await panel.untilSettled(5);
    expect(await account(world, panel, sessionId)).toEqual({
      ...sound,
      stored: [
        'user: m0',
        'assistant: zero done',
        'user: m1',
        'assistant: one',
        'user: m2',
        'assistant: two',
        'user: m3',
        'assistant: three',
        'user: m4',
        'assistant: four',
      ],
    });
  });

  it('queued prompts survive the process and are answered after it, in order (B72)', async () => {
    const world = await create();
    world.server.script(reply().says('half ').hangs(), reply().says('one'), reply().says('two'));
    const { sessionId } = await askUntil(world, world.surface(), 'm0', 'half ');
    const [first] = [
      await world.store.enqueue({ uid: 'm1', sessionId, text: 'm1', createdAt: 1 }),
      await world.store.enqueue({ uid: 'm2', sessionId, text: 'm2', createdAt: 2 }),
    ];
    await world.crash();
    const panel = await resumed(world, sessionId);
    const waiting = (await world.store.queue(sessionId)).map(({ text }) => text);
    await world.gateway.queue.promote(first[0]?.uid ?? '');
    await world.settles(panel, 2);
    expect({ waiting, stored: storedLines(world, sessionId) }).toEqual({
      waiting: ['m1', 'm2'],
      stored: ['user: m0', 'assistant: half ', 'user: m1', 'assistant: one', 'user: m2', 'assistant: two'],
    });
  });

  it('a queued prompt does not cut off the turn it waits for (B74)', async () => {
    const world = await create();
    const held = gate();
    world.server.script(
      reply().says('I look.').calls('list_directory', { path: 'nowhere' }),
      reply().says('Nothing ').waitsFor(held.opened).says('there.'),
      reply().says('ok'),
    );
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'look', 'I look.Nothing ');
    await world.send(panel, 'and then?');
    held.open();
    await world.settles(panel, 2);
    expect({
      first: panel.settled[0]?.turn.outcome,
      stored: storedLines(world, sessionId).filter((line) => line.startsWith('assistant')),
    }).toEqual({
      first: 'complete',
      stored: ['assistant: I look. [list_directory {"path":"nowhere"}]', 'assistant: Nothing there.', 'assistant: ok'],
    });
  });

  it('a late stop affects neither the turn that ended nor the next one', async () => {
    const world = await create();
    world.server.script(reply().says('one'), reply().says('two'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'first');
    await world.gateway.turns.stop(sessionId);
    await world.ask(panel, 'second');
    expect({ ended: ended(panel), ...(await account(world, panel, sessionId)) }).toEqual({
      ended: 'complete stop',
      ...sound,
      stored: ['user: first', 'assistant: one', 'user: second', 'assistant: two'],
    });
  });

  it('a prompt that interrupts stops the turn at once, which keeps what it showed, and is answered next (B75)', async () => {
    const world = await create();
    world.server.script(reply().says('half ').hangs(), reply().says('now'));
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'first', 'half ');
    await world.gateway.intake.submit(panel.id, { sessionId, uid: 'urgent', text: 'urgent', busy: 'interrupt' });
    await panel.untilSettled(2);
    expect({
      reasons: panel.settled.map(({ turn }) => turn.stopReason),
      ...(await account(world, panel, sessionId)),
    }).toEqual({
      reasons: ['newPrompt', 'stop'],
      ...sound,
      stored: ['user: first', 'assistant: half ', 'user: urgent', 'assistant: now'],
    });
  });
});
