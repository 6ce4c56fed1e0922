import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SyncServer } from '../../../../../src/features/sync/core/syncServer';
import {
  answered,
  lines,
  openTurn,
  sessionDbWorld,
  settle,
  type SessionDbWorld,
} from '../../../../support/sessionDbWorld';
import { SimulatedNetwork, SimulatedServer } from '../../../../support/simulatedServer';
import { roundOf } from '../../../../support/syncRound';

let server: SimulatedServer;
const worlds: SessionDbWorld[] = [];
beforeEach(() => {
  server = new SimulatedServer();
});
afterEach(() => {
  for (const { database } of worlds.splice(0)) database.abandon();
});

async function machine(sessions: readonly string[] = []): Promise<SessionDbWorld> {
  const world = await sessionDbWorld();
  worlds.push(world);
  world.db.synced.begin();
  for (const sessionId of sessions) {
    world.db.createSession({ id: sessionId, startedAt: 1 });
    answered(world.db, `t-${sessionId}`, `Words of ${sessionId}.`, { sessionId });
  }
  return world;
}

/** Exchanges as this machine. `change`: calls of the server that do something else, too. */
async function exchange(
  { db }: SessionDbWorld,
  origin: string,
  change: (way: SyncServer) => Partial<SyncServer> = () => ({}),
): Promise<void> {
  const way = new SimulatedNetwork(server, () => 'done').wayOf();
  await roundOf(db, { ...way, ...change(way) }, origin).run();
}

/** The same server, which does something when the first conversation was sent, before it says so. */
const afterFirst =
  (work: () => void) =>
  (way: SyncServer): Partial<SyncServer> => {
    let isFirst = true;
    return {
      send: async (...args) => {
        const answer = await way.send(...args);
        if (isFirst) work();
        isFirst = false;
        return answer;
      },
    };
  };

let others = 0;

/** What another machine, a new one each time, has of a session after everything was exchanged. */
async function elsewhere(sessionId: string): Promise<readonly unknown[]> {
  const other = await machine();
  await exchange(other, `other ${++others}`);
  return other.db.getSession(sessionId) === null ? [] : lines(other.db, sessionId);
}

describe('a conversation that was read while another one was sent', () => {
  it('is read once when nothing changed', async () => {
    const { db, ...world } = await machine(['s1', 's2', 's3']);
    const read: string[] = [];
    const bodies = db.synced.bodies.bind(db.synced);
    db.synced.bodies = (conversationId, documents) => (read.push(conversationId), bodies(conversationId, documents));
    await exchange({ db, ...world }, 'laptop');
    expect(read).toEqual(['s1', 's2', 's3']);
    expect(await elsewhere('s3')).toEqual(lines(db, 's3'));
  });

  it('is sent as it is by then when it changed since', async () => {
    const { db, ...world } = await machine(['s1', 's2']);
    const change = afterFirst(() => answered(db, 'more', 'More.', { sessionId: 's2' }));
    await exchange({ db, ...world }, 'laptop', change);
    expect(db.synced.status().conversations).toBe(0);
    expect(await elsewhere('s2')).toEqual(lines(db, 's2'));
  });

  it('is not sent when a turn began in it since', async () => {
    const { db, ...world } = await machine(['s1', 's2']);
    const change = afterFirst(() => openTurn(db, { turnUid: 'more', sessionId: 's2' }));
    await exchange({ db, ...world }, 'laptop', change);
    expect(await elsewhere('s2')).toEqual([]);
    settle(db, 'more');
    await exchange({ db, ...world }, 'laptop');
    expect(await elsewhere('s2')).toEqual(lines(db, 's2'));
  });

  it('is never sent when the user forgot it since', async () => {
    const { db, ...world } = await machine(['s1', 's2']);
    await exchange(
      { db, ...world },
      'laptop',
      afterFirst(() => db.forgetSession('s2')),
    );
    expect([...server.conversations.keys()]).toEqual(['s1']);
  });
});

describe('a conversation that was fetched while another one was written', () => {
  it('is fetched once when nothing changed, and again when it changed here since', async () => {
    const [laptop, desk] = [await machine(['s1', 's2', 's3']), await machine()];
    await exchange(laptop, 'laptop');
    await exchange(desk, 'desk');
    for (const sessionId of ['s1', 's2', 's3']) answered(laptop.db, `more-${sessionId}`, 'More.', { sessionId });
    await exchange(laptop, 'laptop');
    const receive = desk.db.synced.receive.bind(desk.db.synced);
    desk.db.synced.receive = (input) => {
      const outcome = receive(input);
      if (input.conversationId === 's1') desk.db.setTitle('s2', 'Plums', 'person');
      return outcome;
    };
    const fetched: string[] = [];
    await exchange(desk, 'desk', (way) => ({
      fetch: (connection, query) => (fetched.push(query.conversationId), way.fetch(connection, query)),
    }));
    expect(fetched).toEqual(['s1', 's2', 's2', 's3']);
    expect(desk.db.getSession('s2')?.title).toBe('Plums');
    expect(['s2', 's3'].map((id) => lines(desk.db, id))).toEqual(['s2', 's3'].map((id) => lines(laptop.db, id)));
  });
});
