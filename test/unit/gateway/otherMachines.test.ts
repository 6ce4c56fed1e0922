import { afterEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/gateway/gateway';
import { reply } from '../../support/modelServer';
import { RecordingMemory } from '../../support/recordingMemory';
import { World, type WorldOptions } from '../../support/world';

let world: World;
const create = async (options: WorldOptions = {}): Promise<World> => (world = await World.create(options));
afterEach(() => world.close());

/** A session with one answered prompt, on a surface. */
async function talked() {
  const panel = world.surface();
  world.server.script(reply().says('Apples are red.'));
  const { sessionId } = await world.ask(panel, 'What are apples?');
  return { panel, sessionId };
}

/** Stores an answered prompt, as a machine does that is not this window. */
async function elsewhere(sessionId: string, prompt: string, answer: string): Promise<void> {
  const row = { sessionId, turnUid: `turn-${prompt}`, visibility: { kind: 'shown' }, carriedFrom: null } as const;
  await world.store.openTurn({
    turnUid: row.turnUid,
    sessionId,
    userMessage: { ...row, uid: `p-${prompt}`, createdAt: 5, role: 'user', parts: [{ kind: 'text', text: prompt }] },
    model: 'Local/test-model',
    startedAt: 5,
  });
  await world.store.settleTurn({
    turnUid: row.turnUid,
    settledAt: 6,
    settlement: { outcome: 'complete', stopReason: 'stop', failure: null },
    messages: [
      {
        ...row,
        uid: `a-${prompt}`,
        createdAt: 6,
        role: 'assistant',
        parts: [{ kind: 'text', text: answer }],
        model: 'Local/test-model',
        state: 'final',
        lastSeq: 0,
        finishReason: 'stop',
        usage: null,
      },
    ],
  });
}

describe('before a turn', () => {
  it('what another machine added is brought in, and the request has it', async () => {
    let isFirst = true;
    await create({
      beforeTurn: async (id) => {
        if (!isFirst) await elsewhere(id, 'What are pears?', 'Pears are green.');
        isFirst = false;
      },
    });
    const { panel } = await talked();
    world.server.script(reply().says('Both are fruit.'));
    await world.ask(panel, 'And both?');
    expect(JSON.stringify(world.server.requests.at(-1)?.body)).toContain('Pears are green.');
  });

  it('a refusal stores nothing and asks no model, for a prompt, a retry and a continued answer', async () => {
    let refuses = false;
    await create({
      beforeTurn: () => (refuses ? Promise.reject(new GatewayError('busy', 'Desk is answering.')) : Promise.resolve()),
    });
    const { panel, sessionId } = await talked();
    const [before, requests] = [await world.lines(sessionId), world.server.requests.length];
    refuses = true;
    const turnUid = (await world.rows(sessionId))[0]?.turnUid ?? '';
    for (const attempt of [
      () => world.send(panel, 'And pears?'),
      () => world.gateway.versions.retry(panel.id, turnUid),
      () => world.gateway.continuation.continueTurn(panel.id, turnUid),
    ])
      await expect(attempt()).rejects.toThrow('Desk is answering.');
    expect([await world.lines(sessionId), world.server.requests.length]).toEqual([before, requests]);
  });
});

describe('rows of another machine', () => {
  it('are read by the surfaces that show their session, and by no other', async () => {
    await create();
    const { panel, sessionId } = await talked();
    const other = world.surface();
    world.server.script(reply().says('Yes.'));
    await world.ask(other, 'Is it raining?');
    const [shown, unconcerned] = [panel.switches.length, other.switches.length];
    await elsewhere(sessionId, 'What are pears?', 'Pears are green.');
    await world.gateway.switching.received(sessionId, null);
    expect({
      panel: panel.switches.slice(shown).map(({ sessionId: id, reason }) => [id === sessionId, reason]),
      other: other.switches.slice(unconcerned),
    }).toEqual({ panel: [[true, 'resume']], other: [] });
  });

  it('that compressed the session take surfaces and memory to its new segment', async () => {
    await create();
    const { panel, sessionId } = await talked();
    const { memoryLog } = world;
    const other = world.surface();
    // Compressed behind the gateway's back: the surface is told only afterwards.
    await world.store.compressSession({
      parentId: sessionId,
      childId: 'segment-2',
      handoff: 'Apples are red.',
      summarisedUpTo: (await world.rows(sessionId)).at(-1)?.uid ?? '',
      now: 9,
    });
    await world.gateway.switching.received(sessionId, null);
    await world.idle();
    expect({
      shown: world.gateway.surfaces.shownSession(panel.id),
      other: world.gateway.surfaces.shownSession(other.id),
      memory: memoryLog.filter((line) => line.includes('segment-2')).length > 0,
    }).toEqual({ shown: 'segment-2', other: null, memory: true });
  });

  it('that put memoryNotes what was added here show its branch', async () => {
    await create();
    const { panel, sessionId } = await talked();
    await world.store.branchSession({ sessionId, upTo: null, childId: 'branch-1', now: 9 });
    await world.gateway.switching.received(sessionId, 'branch-1');
    expect([world.gateway.surfaces.shownSession(panel.id), panel.switches.at(-1)?.reason]).toEqual([
      'branch-1',
      'branch',
    ]);
  });

  it('that are gone leave an empty surface', async () => {
    await create();
    const { panel, sessionId } = await talked();
    await world.store.trashSession(sessionId, 9);
    await world.store.forgetSession(sessionId);
    await world.gateway.switching.received(sessionId, null);
    expect(world.gateway.surfaces.shownSession(panel.id)).toBe(null);
  });
});

describe('sessions that were forgotten on another machine', () => {
  it('are erased by every memory provider, and what one could not erase is said', async () => {
    await create({
      memory: (log) => [
        new RecordingMemory(log),
        new RecordingMemory(log, { name: 'far', cannotForget: 'It is away.' }),
      ],
    });
    expect(await world.gateway.actions.forgetInMemory(['s1', 's2'])).toEqual(['It is away.']);
    expect(world.memoryLog.filter((line) => line.includes('s1 s2')).length).toBe(2);
  });
});
