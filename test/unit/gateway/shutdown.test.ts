import { afterEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/gateway/gateway';
import { reply } from '../../support/modelServer';
import { World } from '../../support/world';

let world: World;
afterEach(() => world.close());

/** A window with one answered prompt. */
async function windowWithSession() {
  world = await World.create();
  world.server.otherwise(reply().says('ok'));
  const panel = world.surface();
  const { sessionId } = await world.ask(panel, 'q1');
  return { panel, sessionId };
}

const outcomeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'done',
    (error: unknown) => (error instanceof GatewayError ? error.causeClass : String(error)),
  );
const turns = () =>
  world
    .query('SELECT state, stop_reason AS reason FROM turns ORDER BY started_at, rowid')
    .map(({ state, reason }) => `${String(state)} ${String(reason)}`);

describe('a window that closes while a prompt is being sent', () => {
  // Everything a prompt waits for on its way to its turn: closing waits for it once it is in its conversation's
  // sequence.
  it.each([
    ['getSession', false],
    ['promptContext', true],
    ['openTurn', true],
  ])('leaves no unsettled turn: %s', async (method, isWaitedFor) => {
    const { sessionId } = await windowWithSession();
    // A window that has not read the session yet has to ask for its conversation first.
    await world.reopen();
    const held = world.holdCall(method);
    const sent = outcomeOf(world.gateway.intake.submit(world.surface().id, { sessionId, uid: 'q2', text: 'q2' }));
    await held.reached;
    let isOver = false;
    const closing = world.gateway.shutdown().then(() => (isOver = true));
    // That it still waits has no event: it would end in less than this.
    await (isWaitedFor ? new Promise((resolve) => setTimeout(resolve, 20)) : closing);
    const early = isOver;
    held.release();
    const receipt = await sent;
    await closing;
    const stored = turns();
    const opened = method === 'openTurn';
    expect({
      isWaitedFor: !early,
      receipt,
      stored,
      running: world.gateway.turns.running(),
      requests: world.server.requests.length,
    }).toEqual({
      isWaitedFor,
      receipt: opened ? 'done' : 'closing',
      stored: ['settled stop', ...(opened ? ['settled windowClosed'] : [])],
      running: [],
      requests: 1,
    });
  });

  it('lets running work in a conversation finish, and starts nothing more', async () => {
    const { panel, sessionId } = await windowWithSession();
    const held = world.holdCall('rewindSession');
    const rewound = outcomeOf(
      world.gateway.switching.switchSession(panel.id, { reason: 'rewind', sessionId, turns: 1 }),
    );
    await held.reached;
    const closing = world.gateway.shutdown();
    const late = [
      world.gateway.switching.switchSession(panel.id, { reason: 'new_session' }),
      world.send(panel, 'q2'),
    ].map(outcomeOf);
    held.release();
    await closing;
    const afterwards = await outcomeOf(world.gateway.actions.trash(sessionId));
    expect({
      rewound: await rewound,
      late: await Promise.all(late),
      afterwards,
      shutdowns: world.memoryLog.filter((line) => line === 'shutdown').length,
    }).toEqual({
      rewound: 'done',
      late: ['closing', 'closing'],
      afterwards: 'closing',
      shutdowns: 1,
    });
  });
});
