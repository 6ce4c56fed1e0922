import { afterEach, describe, expect, it } from 'vitest';
import { reply } from '../../support/modelServer';
import { World, type WorldOptions } from '../../support/world';

let world: World;
const create = async (options: WorldOptions = {}): Promise<World> => (world = await World.create(options));
afterEach(() => world.close());

const listed = async (state: 'active' | 'archived'): Promise<readonly string[]> =>
  (await world.gateway.store.listSessions({ limit: 9, state })).map(
    ({ id, pinned }) => `${id}${pinned ? ' pinned' : ''}`,
  );

describe('a session', () => {
  it('is pinned and archived as a whole, and back, and listeners are notified each time', async () => {
    await create();
    world.server.script(reply().says('a1'));
    const { sessionId } = await world.ask(world.surface(), 'q1');
    const told: string[] = [];
    const listening = world.gateway.surfaces.onDidChangeSessions((ids) => void told.push(...ids));
    await world.gateway.actions.setPinned(sessionId, true);
    const pinned = await listed('active');
    await world.gateway.actions.setArchived(sessionId, true);
    const archived = [await listed('active'), await listed('archived')];
    await world.gateway.actions.setArchived(sessionId, false);
    listening.dispose();
    await world.gateway.actions.setPinned(sessionId, false);
    expect({ pinned, archived, back: await listed('active'), told }).toEqual({
      pinned: [`${sessionId} pinned`],
      archived: [[], [`${sessionId} pinned`]],
      back: [sessionId],
      told: [sessionId, sessionId, sessionId],
    });
  });

  it('reports its turn events wherever it is shown; a listener that throws is logged and affects nothing', async () => {
    await create();
    world.server.script(reply().says('a1'));
    const followed: string[] = [];
    world.gateway.surfaces.onDidTurnEvent(() => {
      throw new Error('broken follower');
    });
    world.gateway.surfaces.onDidTurnEvent(({ sessionId, event }) => void followed.push(`${sessionId} ${event.kind}`));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'q1');
    expect({
      first: followed[0],
      last: followed.at(-1),
      settled: panel.settled.length,
      logged: world.logLines.some((line) => line.includes('broken follower')),
    }).toEqual({
      first: `${sessionId} turnOpened`,
      last: `${sessionId} turnSettled`,
      settled: 1,
      logged: true,
    });
  });

  it('is shown in no surface that shows another session', async () => {
    await create();
    world.server.otherwise(reply().says('ok'));
    const [panel, tab] = [world.surface(), world.surface()];
    const { sessionId: first } = await world.ask(panel, 'q1');
    const { sessionId: second } = await world.ask(tab, 'q2');
    await world.ask(panel, 'q3');
    const shown = (surface: typeof panel): readonly string[] => [
      ...new Set(surface.settled.map(({ turn }) => turn.sessionId)),
    ];
    expect([shown(panel), shown(tab), tab.deliveredText]).toEqual([[first], [second], 'ok']);
  });

  it('reports every switch of every surface, and no switch that changes nothing', async () => {
    await create();
    world.server.otherwise(reply().says('ok'));
    const [panel, tab] = [world.surface(), world.surface()];
    const told: string[] = [];
    world.gateway.surfaces.onDidSwitchSession(
      ({ surfaceId, from, to, reason }) => void told.push(`${surfaceId} ${from} -> ${to} ${reason}`),
    );
    const { sessionId: first } = await world.ask(panel, 'q1');
    await world.gateway.switching.switchSession(tab.id, { reason: 'resume', sessionId: first });
    await world.gateway.switching.switchSession(tab.id, { reason: 'resume', sessionId: first });
    const { sessionId: branch } = await world.gateway.switching.switchSession(panel.id, {
      reason: 'branch',
      sessionId: first,
      from: null,
    });
    await world.gateway.switching.switchSession(tab.id, { reason: 'rewind', sessionId: first, turns: 1 });
    await world.gateway.switching.switchSession(panel.id, { reason: 'reset' });
    expect(told).toEqual([
      `surface-1 null -> ${first} new_session`,
      `surface-2 null -> ${first} resume`,
      `surface-1 ${first} -> ${branch} branch`,
      `surface-2 ${first} -> ${first} rewind`,
      `surface-1 ${branch} -> null reset`,
    ]);
  });

  it('sets the model for new sessions too if none was chosen for them', async () => {
    await create({ defaultModel: null });
    await world.store.createSession({ id: 's1', startedAt: 1 });
    await world.gateway.actions.selectModel('s1', 'Local/first');
    expect(world.savedModels).toEqual(['Local/first']);
  });

  it('answers with the model chosen before the prompt was sent, however long storing the choice takes', async () => {
    await create();
    world.server.otherwise(reply().says('ok'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'q1');
    const held = world.holdCall('setSessionModel');
    const choosing = world.gateway.actions.selectModel(sessionId, 'Local/chosen');
    await held.reached;
    const sending = world.askBeside(panel, 'q2');
    await new Promise((resolve) => setTimeout(resolve, 20));
    held.release();
    await Promise.all([choosing, sending]);
    await world.idle();
    expect(world.server.requests.map(({ body }) => body['model'])).toEqual(['test-model', 'chosen']);
  });

  it('refuses a prompt sent after a model choice that fails: it was meant for another model', async () => {
    await create();
    world.server.otherwise(reply().says('ok'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'q1');
    const mend = world.breakStore((method) => (method === 'setSessionModel' ? new Error('The disk is full.') : null));
    const [choosing, sending] = await Promise.allSettled([
      world.gateway.actions.selectModel(sessionId, 'Local/chosen'),
      world.send(panel, 'q2'),
    ]);
    mend();
    expect([choosing.status, sending.status, world.server.requests.length]).toEqual(['rejected', 'rejected', 1]);
    await world.ask(panel, 'q3');
    expect(world.server.requests.length).toBe(2);
  });
});

describe('a surface', () => {
  it('finally shows the session requested last, however long the first took to find', async () => {
    await create();
    world.server.otherwise(reply().says('ok'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'q1');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    await Promise.all([
      world.gateway.switching.switchSession(panel.id, { reason: 'resume', sessionId }),
      world.gateway.switching.switchSession(panel.id, { reason: 'new_session' }),
    ]);
    expect({ shown: world.gateway.surfaces.shownSession(panel.id), last: panel.switches.at(-1) }).toEqual({
      shown: null,
      last: { sessionId: null, reason: 'new_session' },
    });
  });

  it('that switched while its first prompt was being stored stays where it is; the turn runs in the background', async () => {
    await create();
    world.server.otherwise(reply().says('ok'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'q1');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    const sending = world.send(panel, 'q2');
    await world.gateway.switching.switchSession(panel.id, { reason: 'resume', sessionId });
    const begun = await sending;
    await world.idle();
    expect({ shown: world.gateway.surfaces.shownSession(panel.id), lines: await world.lines(begun.sessionId) }).toEqual(
      {
        shown: sessionId,
        lines: ['user: q2', 'assistant: ok'],
      },
    );
  });
});
