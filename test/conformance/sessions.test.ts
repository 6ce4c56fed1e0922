import { describe, expect, it } from 'vitest';
import type { MemoryProvider } from '../../src/memory/memoryProvider';
import { account, sound, storedLines } from '../support/account';
import { gate, resumed, sent, worldPerTest } from '../support/conformance';
import { reply } from '../support/modelServer';
import { RecordingMemory } from '../support/recordingMemory';

const { create } = worldPerTest();

describe('going from session to session', () => {
  it('B91 a new session has no parent and is in the list', async () => {
    const world = await create();
    world.server.script(reply().says('a1'), reply().says('a2'));
    const panel = world.surface();
    await world.ask(panel, 'q1');
    await world.gateway.switchSession(panel.id, { reason: 'new_session' });
    const { sessionId } = await world.ask(panel, 'q2');
    const session = await world.store.getSession(sessionId);
    expect({ parent: session?.parentSessionId, listed: (await world.gateway.listSessions(10)).length }).toEqual({ parent: null, listed: 2 });
  });

  it('B92 the first reason for which a session ended stays', async () => {
    const world = await create();
    world.server.script(reply().says('a1'));
    const { sessionId } = await world.ask(world.surface(), 'q1');
    await world.store.endSession(sessionId, 'compression');
    await world.store.endSession(sessionId, 'closed');
    expect(world.query('SELECT end_reason FROM sessions')[0]?.['end_reason']).toBe('compression');
  });

  it('nothing of one session is sent with another', async () => {
    const world = await create();
    world.server.script(reply().says('a secret answer'), reply().says('a2'));
    const panel = world.surface();
    await world.ask(panel, 'a secret question');
    await world.gateway.switchSession(panel.id, { reason: 'new_session' });
    const { sessionId } = await world.ask(panel, 'q2');
    expect({ sent: sent(world, 1), stored: storedLines(world, sessionId) }).toEqual({ sent: ['user: q2'], stored: ['user: q2', 'assistant: a2'] });
  });

  it('the answer of a turn goes to the session it was asked in, whatever is shown meanwhile', async () => {
    const world = await create();
    const held = gate();
    world.server.script(reply().says('slow ').waitsFor(held.opened).says('answer'), reply().says('other'));
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'q1');
    await panel.until(({ deliveredText }) => deliveredText === 'slow ');
    await world.gateway.switchSession(panel.id, { reason: 'new_session' });
    await world.askBeside(panel, 'q2');
    held.open();
    await world.idle();
    const back = await resumed(world, sessionId);
    const { page } = await world.gateway.snapshot(sessionId, 10);
    expect({ shown: page.messages.length, ...(await account(world, back, sessionId)) }).toEqual({ shown: 2, ...sound, stored: ['user: q1', 'assistant: slow answer'] });
  });

  it('B110 B115 memory hears the end, then the switch, then what belongs to the new session; nobody waits for it', async () => {
    const held = gate();
    const slow = (log: string[]): MemoryProvider => {
      const recording = new RecordingMemory(log);
      return {
        name: 'slow', initialize: (id) => recording.initialize(id), syncTurn: (turn) => recording.syncTurn(turn),
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
    await world.gateway.switchSession(panel.id, { reason: 'new_session' });
    const second = await world.ask(panel, 'q2');
    const answeredBefore = panel.settled.length;
    held.open();
    await world.gateway.shutdown();
    expect({ answeredBefore, log: world.memoryLog.map((line) => line.replaceAll(first.sessionId, 'S1').replaceAll(second.sessionId, 'S2')) }).toEqual({
      answeredBefore: 2, log: ['initialize S1', 'sync S1: q1 -> a1', 'end S1', 'switch S2 new_session reset', 'sync S2: q2 -> a2'],
    });
  });
});
