import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/store/storeError';
import { account, sound, storedLines } from '../support/account';
import { askUntil, gate, resumed, worldPerTest } from '../support/conformance';
import { reply } from '../support/modelServer';

const { create } = worldPerTest();

describe('no row is stored twice', () => {
  it('whatever ends a turn, and however often it ends (B30 S50)', async () => {
    const world = await create();
    world.server.script(reply().says('one two ').hangs());
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'count', 'one two ');
    await Promise.all([
      world.gateway.turns.stop(sessionId),
      world.gateway.turns.stop(sessionId),
      world.gateway.shutdown(),
    ]);
    await world.gateway.turns.stop(sessionId);
    await world.reopen();
    await world.store.recoverTurns();
    expect({ settled: panel.settled.length, ...(await account(world, panel, sessionId)) }).toEqual({
      settled: 1,
      ...sound,
      stored: ['user: count', 'assistant: one two '],
    });
  });

  it('when closing the turn fails and is retried (B30 S52)', async () => {
    const world = await create();
    world.server.script(reply().says('all of it'));
    const panel = world.surface();
    let tries = 0;
    world.breakStore((method) =>
      method === 'settleTurn' && ++tries < 3 ? new StoreError('locked', 'Busy.', 'locked') : null,
    );
    const { sessionId } = await world.send(panel, 'go');
    await panel.until(({ settled }) => settled.some(({ messages }) => messages.length > 0));
    expect({ tries, ...(await account(world, panel, sessionId)) }).toEqual({
      tries: 3,
      ...sound,
      stored: ['user: go', 'assistant: all of it'],
    });
  });

  it('when a prompt is submitted again under its identity, while it is queued and while it runs (B31 B32)', async () => {
    const world = await create();
    const held = gate();
    world.server.script(reply().waitsFor(held.opened).says('one'), reply().says('two'));
    const panel = world.surface();
    const first = { sessionId: null, uid: 'p1', text: 'first' };
    const { sessionId } = await world.gateway.intake.submit(panel.id, first);
    await world.gateway.intake.submit(panel.id, first);
    const second = { sessionId, uid: 'p2', text: 'second' };
    await world.gateway.intake.submit(panel.id, second);
    await world.gateway.intake.submit(panel.id, second);
    held.open();
    await panel.untilSettled(2);
    await world.gateway.intake.submit(panel.id, second);
    expect(await account(world, panel, sessionId)).toEqual({
      ...sound,
      stored: ['user: first', 'assistant: one', 'user: second', 'assistant: two'],
    });
  });

  it('but equal prompts and answers with different identities are all stored (B06 B33)', async () => {
    const world = await create();
    world.server.otherwise(reply().says('ok'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'ok');
    await world.ask(panel, 'ok');
    expect(await account(world, panel, sessionId)).toEqual({
      ...sound,
      stored: ['user: ok', 'assistant: ok', 'user: ok', 'assistant: ok'],
    });
  });

  it('when a session is opened again and continued (B35 S72)', async () => {
    const world = await create();
    world.server.script(reply().says('a1'), reply().says('a2'));
    const { sessionId } = await world.ask(world.surface(), 'q1');
    await world.reopen();
    await world.ask(await resumed(world, sessionId), 'q2');
    expect(storedLines(world, sessionId)).toEqual(['user: q1', 'assistant: a1', 'user: q2', 'assistant: a2']);
  });
});
