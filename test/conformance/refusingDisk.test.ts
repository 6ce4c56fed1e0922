import { describe, expect, it } from 'vitest';
import { retriesOfACall } from '../../src/store/ownership/storeCalls';
import { isRead, type MethodName } from '../../src/store/session/sessionStore';
import { StoreError } from '../../src/store/storeError';
import { account, sound, storedTurns } from '../support/account';
import { askUntil, ended, gate, resumed, worldPerTest } from '../support/conformance';
import { reply } from '../support/modelServer';
import { full, type World } from '../support/world';

const { create } = worldPerTest();
const refusals = [
  full,
  new StoreError('readOnly', 'The folder cannot be written to.', 'EROFS: write state.db'),
  new StoreError('unknown', 'The disk reported a problem.', 'EIO: fsync state.db'),
];

/** A turn of which “one ” is shown, on a disk that takes no more when the rest of the answer comes. */
async function stopped(world: World, cause: StoreError) {
  const held = gate();
  world.server.script(reply().says('one ').waitsFor(held.opened).says('two '));
  const panel = world.surface();
  const { sessionId } = await askUntil(world, panel, 'count', 'one ');
  const mend = world.breakStore((method) => (isRead(method as MethodName) ? null : cause));
  held.open();
  await panel.untilSettled(1);
  return { panel, sessionId, turnUid: panel.settled[0]?.turn.uid ?? '', mend };
}

describe('a disk that refuses what a turn writes', () => {
  it.each(refusals)('for a moment: nobody notices, and all of it is stored: %s', async (cause) => {
    const world = await create();
    const left = new Map<string, number>();
    const mend = world.breakStore((method) => {
      if (!['openTurn', 'appendChunks', 'putMessages', 'addUsage', 'settleTurn'].includes(method)) return null;
      left.set(method, (left.get(method) ?? retriesOfACall) - 1);
      return (left.get(method) ?? 0) >= 0 ? cause : null;
    });
    world.server.script(reply().says('Looking. ').calls('list_directory', { path: 'nowhere' }), reply().says('Done.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'look');
    mend();
    expect({ ended: ended(panel), refusals: left.size, ...(await account(world, panel, sessionId)) }).toMatchObject({
      ended: 'complete stop',
      refusals: 5,
      ...sound,
    });
  });

  it.each(refusals)(
    'for good: the turn stops with the reason, shows nothing that is not stored, and continues once the disk works: %s (B22)',
    async (cause) => {
      const world = await create();
      const { panel, sessionId, turnUid, mend } = await stopped(world, cause);
      const during = { ended: ended(panel), shown: panel.deliveredText, stored: await world.lines(sessionId) };
      await expect(world.gateway.continuation.continueTurn(panel.id, turnUid)).rejects.toThrow();
      const requests = world.server.requests.length;
      mend();
      world.server.script(reply().says('two three'));
      const receipt = await world.gateway.continuation.continueTurn(panel.id, turnUid);
      await world.idle();
      expect({
        during,
        requests,
        receipt: receipt.kind,
        turns: storedTurns(world, sessionId),
        ...(await account(world, panel, sessionId)),
      }).toMatchObject({
        during: {
          ended: `failed storeFailed ${cause.causeClass}`,
          shown: 'one ',
          stored: ['user: count', 'assistant: one '],
        },
        requests: 1,
        receipt: 'started',
        turns: ['failed storeFailed', 'complete stop'],
        ...sound,
      });
    },
  );

  it('refuses the next prompt at once, which the composer keeps, and takes it when the disk works', async () => {
    const world = await create();
    const { panel, sessionId, mend } = await stopped(world, full);
    await expect(world.send(panel, 'and?')).rejects.toThrow('The disk is full.');
    mend();
    world.server.script(reply().says('Here.'));
    const receipt = await world.send(panel, 'and?');
    await world.idle();
    expect([receipt.kind, storedTurns(world, sessionId)]).toEqual(['started', ['failed storeFailed', 'complete stop']]);
  });

  it('a stop that could not be stored is settled at the next start', async () => {
    const world = await create();
    const { sessionId, mend } = await stopped(world, full);
    const before = storedTurns(world, sessionId);
    await world.gateway.shutdown();
    mend();
    await world.crash();
    const next = await resumed(world, sessionId);
    world.server.script(reply().says('Here.'));
    await world.ask(next, 'and?');
    expect([before, storedTurns(world, sessionId)]).toEqual([['running'], ['interrupted crash', 'complete stop']]);
  });
});
