import { describe, expect, it } from 'vitest';
import type { MemoryProvider } from '../../src/memory/memoryProvider';
import { account, sound } from '../support/account';
import { ended, gate, resumed, seeded, worldPerTest, talked } from '../support/conformance';
import { reply } from '../support/modelServer';
import { RecordingMemory } from '../support/recordingMemory';

const { create } = worldPerTest();

describe('switching between sessions', () => {
  it('a new session has no parent and is in the list (B91)', async () => {
    const world = await create();
    world.server.script(reply().says('a1'), reply().says('a2'));
    const panel = world.surface();
    await world.ask(panel, 'q1');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    const { sessionId } = await world.ask(panel, 'q2');
    const session = await world.store.getSession(sessionId);
    expect({
      parent: session?.parentSessionId,
      listed: (await world.gateway.store.listSessions({ limit: 10 })).length,
    }).toEqual({ parent: null, listed: 2 });
  });

  it('the first reason for the end of a session stays (B92)', async () => {
    const world = await create();
    world.server.script(reply().says('a1'));
    const { sessionId } = await world.ask(world.surface(), 'q1');
    await world.store.endSession(sessionId, 'compression');
    await world.store.endSession(sessionId, 'closed');
    expect(world.query('SELECT end_reason FROM sessions')[0]?.['end_reason']).toBe('compression');
  });

  it("memory receives the end, then the switch, then the new session's content; nothing waits for memory (B110 B115)", async () => {
    const held = gate();
    const slow = (log: string[]): MemoryProvider => {
      const recording = new RecordingMemory(log);
      return {
        name: 'slow',
        initialize: (id) => recording.initialize(id),
        syncTurn: (turn) => recording.syncTurn(turn),
        onSessionEnd: async (id) => {
          await held.opened;
          await recording.onSessionEnd(id);
        },
        onSessionSwitch: (id, change) => recording.onSessionSwitch(id, change),
      };
    };
    const world = await create({ memory: (log) => [slow(log)] });
    world.server.script(reply().says('a1'), reply().says('a2'));
    const panel = world.surface();
    const first = await world.ask(panel, 'q1');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    const second = await world.ask(panel, 'q2');
    const answeredBefore = panel.settled.length;
    held.open();
    await world.gateway.shutdown();
    expect({
      answeredBefore,
      log: world.memoryLog.map((line) =>
        line.replaceAll(first.sessionId, 'FIRST').replaceAll(second.sessionId, 'SECOND'),
      ),
    }).toEqual({
      answeredBefore: 2,
      log: [
        'initialize FIRST',
        'sync FIRST: q1 -> a1',
        'end FIRST',
        'switch SECOND new_session reset',
        'sync SECOND: q2 -> a2',
      ],
    });
  });

  it('every provider is notified of a switch, with the reason, even after one that fails (S101 S102)', async () => {
    const throwing: MemoryProvider = {
      name: 'throwing',
      initialize: () => Promise.resolve(),
      syncTurn: () => Promise.resolve(),
      onSessionSwitch: () => Promise.reject(new Error('broken')),
    };
    const world = await create({ memory: (log) => [throwing, new RecordingMemory(log)] });
    world.server.script(reply().says('a1'), reply().says('a2'));
    const panel = world.surface();
    const first = await world.ask(panel, 'q1');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    await world.ask(panel, 'q2');
    await world.gateway.switching.switchSession(panel.id, { reason: 'resume', sessionId: first.sessionId });
    await world.gateway.shutdown();
    expect({
      last: world.memoryLog.filter((line) => line.startsWith('switch')).at(-1),
      warned: world.logLines.filter((line) => line.includes('throwing')).length,
    }).toEqual({
      last: `switch ${first.sessionId} resume`,
      warned: 2,
    });
  });

  it('to a session that is not stored is refused with a sentence, and the shown session stays (S130)', async () => {
    const world = await create();
    const { panel, sessionId } = await talked(world);
    await expect(
      world.gateway.switching.switchSession(panel.id, { reason: 'resume', sessionId: 'nope' }),
    ).rejects.toThrow('This session no longer exists. Open another one from the list.');
    expect(world.gateway.surfaces.shownSession(panel.id)).toBe(sessionId);
  });

  it('to the shown session changes nothing (S131)', async () => {
    const world = await create();
    const { panel, sessionId } = await talked(world);
    world.server.script(reply().says('a2'));
    await world.gateway.switching.switchSession(panel.id, { reason: 'resume', sessionId });
    await world.ask(panel, 'q2');
    expect({
      log: world.memoryLog.filter((line) => line.startsWith('switch') || line.startsWith('end')),
      ...(await account(world, panel, sessionId)),
    }).toEqual({
      log: [],
      ...sound,
      stored: ['user: q1', 'assistant: a1', 'user: q2', 'assistant: a2'],
    });
  });

  it('works by words of the title, even after any number of other sessions (S140)', async () => {
    const world = await create();
    world.server.otherwise(reply().says('ok'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'build it');
    await world.gateway.actions.rename(sessionId, 'AN-94 Prestige Barrel Build #2');
    for (let other = 0; other < 12; other++) {
      await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
      await world.ask(panel, `filler ${other}`);
    }
    expect((await world.gateway.store.listSessions({ limit: 5, text: 'an-94' })).map(({ id }) => id)).toEqual([
      sessionId,
    ]);
  });
});

describe('the segments of one conversation', () => {
  const segment = { startedAt: 2, model: 'Local/test-model' };

  it.each([
    ['without rows of its own', 'B80 B155 S133', false],
    ['with rows of its own', 'B81', true],
  ] as const)('lead from the first one, %s, to the newest (%s)', async (_which, _code, hasRows) => {
    const world = await create();
    world.server.script(reply().says('ok'));
    const { panel, sessionId } = await seeded(world, (history) =>
      hasRows ? history.user('old').assistant('older answer') : undefined,
    );
    await world.store.createSession({
      ...segment,
      id: 'child',
      parentSessionId: sessionId,
      parentKind: 'compression',
    });
    await world.store.endSession(sessionId, 'compression');
    const { sessionId: shown } = await world.gateway.switching.switchSession(panel.id, { reason: 'resume', sessionId });
    const receipt = await world.ask(panel, 'go on');
    expect({ shown, asked: receipt.sessionId, ended: ended(panel) }).toEqual({
      shown: 'child',
      asked: 'child',
      ended: 'complete stop',
    });
  });

  it('do not include a session that is not a continuation (B82 B83)', async () => {
    const world = await create();
    const { panel, sessionId } = await seeded(world, (history) => history.user('q').assistant('a'));
    await world.store.createSession({ ...segment, id: 'branch', parentSessionId: sessionId, parentKind: 'branch' });
    const { sessionId: before } = await world.gateway.switching.switchSession(panel.id, {
      reason: 'resume',
      sessionId,
    });
    await world.store.createSession({ ...segment, id: 'child', parentSessionId: sessionId, parentKind: 'compression' });
    expect({
      before,
      after: (await world.gateway.switching.switchSession(panel.id, { reason: 'resume', sessionId })).sessionId,
    }).toEqual({ before: sessionId, after: 'child' });
  });

  it('fifty segments are one entry in the list, which leads to the newest (B87)', async () => {
    const world = await create();
    world.server.script(reply().says('ok'));
    let { sessionId } = await seeded(world, (history) => history.user('q').assistant('a'));
    for (let number = 1; number <= 50; number++) {
      const id = `segment-${number}`;
      await world.store.createSession({ ...segment, id, parentSessionId: sessionId, parentKind: 'compression' });
      await world.store.endSession(sessionId, 'compression');
      sessionId = id;
    }
    await world.ask(await resumed(world, 'segment-3'), 'go on');
    expect((await world.gateway.store.listSessions({ limit: 100 })).map(({ id }) => id)).toEqual(['segment-50']);
  });
});
