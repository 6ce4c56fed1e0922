import { afterEach, describe, expect, it } from 'vitest';
import { askingTools } from '../../support/askingTools';
import { reply } from '../../support/modelServer';
import { World, type WorldOptions } from '../../support/world';

let world: World;
afterEach(() => world.close());

async function opened(options: WorldOptions = {}) {
  world = await World.create(options);
  return world.surface();
}

/** What the service was asked for, request by request; null where nothing was said. */
const asked = (): readonly unknown[] => world.server.requests.map(({ body }) => body['reasoning_effort'] ?? null);

describe('the effort of a session', () => {
  it('is the setting until the user chooses one, reaches the model with the next request, and affects no other session', async () => {
    const panel = await opened({ effort: 'low' });
    world.server.otherwise(reply().says('ok'));
    const { sessionId } = await world.ask(panel, 'one');
    await world.gateway.efforts.setEffort(panel.id, sessionId, 'high');
    await world.ask(panel, 'two');
    await world.gateway.efforts.setEffort(panel.id, sessionId, 'default');
    await world.ask(panel, 'three');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    const other = await world.ask(panel, 'four');
    expect({
      asked: asked(),
      known: [
        await world.gateway.efforts.effort(panel.id, sessionId),
        await world.gateway.efforts.effort(panel.id, other.sessionId),
      ],
      told: panel.sessionEvents.flatMap((event) => (event.kind === 'effortChanged' ? [event.effort] : [])),
    }).toEqual({ asked: ['low', 'high', null, 'low'], known: ['default', 'low'], told: ['high', 'default'] });
  });

  it('chosen in the empty state of one surface applies to the session that starts there, and to no other', async () => {
    const panel = await opened();
    const other = world.surface();
    world.server.otherwise(reply().says('ok'));
    await world.gateway.efforts.setEffort(panel.id, null, 'medium');
    const before = [
      await world.gateway.efforts.effort(panel.id, null),
      await world.gateway.efforts.effort(other.id, null),
    ];
    const { sessionId } = await world.ask(panel, 'one');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    await world.ask(panel, 'two');
    expect([before, await world.store.sessionEffort(sessionId), asked()]).toEqual([
      ['medium', 'default'],
      'medium',
      ['medium', null],
    ]);
  });

  it('changes in a running turn with its next request', async () => {
    const asks = askingTools(
      () => void world.gateway.efforts.setEffort(panel.id, world.gateway.surfaces.shownSession(panel.id), 'low'),
    );
    const panel = await opened({ tools: asks.tools });
    world.server.script(reply().calls('look', { name: 'a.ts' }), reply().says('Done.'));
    await world.ask(panel, 'go');
    expect(asked()).toEqual([null, 'low']);
  });

  it('of a session that does not exist is refused', async () => {
    const panel = await opened();
    await expect(world.gateway.efforts.setEffort(panel.id, 'nowhere', 'high')).rejects.toThrow(
      'This session no longer exists.',
    );
  });
});
