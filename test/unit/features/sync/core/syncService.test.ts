import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SyncService, type SyncServiceDeps } from '../../../../../src/features/sync/core/syncService';
import { ManualClock } from '../../../../support/manualClock';
import {
  answered,
  lines,
  openTurn,
  refusal,
  sessionDbWorld,
  settle,
  type SessionDbWorld,
} from '../../../../support/sessionDbWorld';
import { SimulatedNetwork, SimulatedServer } from '../../../../support/simulatedServer';

interface Machine {
  readonly world: SessionDbWorld;
  readonly network: SimulatedNetwork;
  readonly service: SyncService;
  readonly received: string[];
  readonly log: string[];
  readonly running: Set<string>;
}

let clock: ManualClock;
let server: SimulatedServer;
let calls: string[];
const machines: Machine[] = [];
beforeEach(() => {
  clock = new ManualClock();
  server = new SimulatedServer({ isProven: true });
  calls = [];
});
afterEach(() => {
  for (const { service, world } of machines.splice(0)) {
    service.dispose();
    world.database.abandon();
  }
});

/** Lets what has begun come to its pause, then moves time on. */
async function pass(ms: number): Promise<void> {
  await clock.advance(0);
  await clock.advance(ms);
}

async function machine(name: string, change: Partial<SyncServiceDeps> = {}): Promise<Machine> {
  const world = await sessionDbWorld();
  world.db.synced.begin();
  const network = new SimulatedNetwork(server, () => 'done');
  const way = network.wayOf();
  const [received, log, running] = [[] as string[], [] as string[], new Set<string>()];
  const say = (text: string): void => void log.push(text);
  const service = new SyncService({
    store: world.db.synced,
    server: {
      ...way,
      news: (...args) => {
        calls.push(`${name} news`);
        return way.news(...args);
      },
    },
    origin: name,
    machine: `The ${name}`,
    newId: () => `branch-of-${name}`,
    clock,
    log: { trace: say, info: say, warn: say, error: say },
    describe: (error) => ({ sentence: String(error), isTemporary: true }),
    running: () => running,
    onReceived: (id, branchId) => Promise.resolve(void received.push(`${id} ${branchId}`)),
    ...change,
  });
  const all = { world, network, service, received, log, running };
  machines.push(all);
  return all;
}

/** Two machines with the same answered prompt. */
async function pair(): Promise<readonly [Machine, Machine]> {
  const [a, b] = [await machine('laptop'), await machine('desk')];
  a.world.db.createSession({ id: 's1', startedAt: 1, title: 'Fruit' });
  answered(a.world.db, 't1', 'Apples.');
  a.service.start();
  b.service.start();
  await pass(5000);
  return [a, b];
}

describe('two machines', () => {
  it('have what the other stored within about a second, and say up to when', async () => {
    const [a, b] = await pair();
    expect(lines(b.world.db)).toEqual(lines(a.world.db));
    expect(b.received).toEqual(['s1 null']);
    answered(b.world.db, 't2', 'Pears.');
    b.service.nudge();
    await pass(1500);
    expect(lines(a.world.db)).toEqual(lines(b.world.db));
    expect([a.service.state, b.service.state.waiting]).toEqual([
      { upTo: expect.closeTo(clock.now(), -1), waiting: 0, waitingSince: null, removed: 0, refused: [], failure: null },
      0,
    ]);
  });

  it('exchange the others when the server has four conversations that cannot be stored', async () => {
    const bad = ['x1', 'x2', 'x3', 'x4'];
    const [a, b] = [await machine('laptop'), await machine('desk')];
    const add = ({ world: { db } }: Machine, id: string): void => {
      db.createSession({ id, startedAt: 1 });
      answered(db, `t-${id}`, `Of ${id}.`, { sessionId: id });
    };
    for (const id of [...bad, 'y']) add(a, id);
    add(b, 'z');
    a.service.start();
    await pass(5000);
    for (const id of bad)
      server.conversations.get(id)?.documents.set(`turn/t-${id}`, { version: 1, body: '{"turns":[{"uid":"other"}]}' });
    b.service.start();
    await pass(5000);
    a.service.nudge();
    await pass(5000);
    expect(lines(b.world.db, 'y')).toEqual(lines(a.world.db, 'y'));
    expect(refusal(() => lines(b.world.db, 'x1'))).toBe('not-found');
    const { refused, failure } = b.service.state;
    expect([refused.map(({ conversationId }) => conversationId), failure]).toEqual([bad, null]);
    expect(refused.every(({ sentence }) => sentence.includes('damage the transcript'))).toBe(true);
    expect(lines(a.world.db, 'z')).toEqual(lines(b.world.db, 'z'));
  });

  it('ask the server less and less while nothing happens, and often again after a change', async () => {
    const [a] = await pair();
    const asked = async (ms: number): Promise<number> => {
      const before = calls.length;
      await pass(ms);
      return calls.slice(before).filter((call) => call === 'laptop news').length;
    };
    await asked(6 * 60_000);
    const [idle, long] = [await asked(10 * 60_000), await asked(3 * 60 * 60_000).then(() => asked(60 * 60_000))];
    a.service.nudge();
    const active = await asked(30_000);
    expect({ idle: idle <= 20, long: long <= 12, active: active >= 25 }).toEqual({
      idle: true,
      long: true,
      active: true,
    });
  });

  it('that both continued have one branch, and the one that made it is told', async () => {
    const [a, b] = await pair();
    b.network.isCut = true;
    answered(a.world.db, 't2', 'Pears.');
    answered(b.world.db, 't3', 'Plums.');
    a.service.nudge();
    b.service.nudge();
    await pass(3000);
    b.network.isCut = false;
    await pass(10 * 60_000);
    expect(b.received.at(-1)).toBe('s1 branch-of-desk');
    expect([lines(a.world.db), lines(a.world.db, 'branch-of-desk')]).toEqual([
      lines(b.world.db),
      lines(b.world.db, 'branch-of-desk'),
    ]);
  });
});

describe('a forgotten conversation', () => {
  it('is erased on the server and on each machine, also with what was added there meanwhile', async () => {
    const [a, b] = await pair();
    b.network.isCut = true;
    answered(b.world.db, 't3', 'Plums.');
    a.world.db.forgetSession('s1');
    a.service.nudge();
    await pass(3000);
    const left = [...(server.conversations.get('s1')?.documents.keys() ?? [])];
    expect([left, a.world.db.synced.forgotten()]).toEqual([['erased'], []]);
    b.network.isCut = false;
    await b.service.exchangeNow();
    expect([b.world.db.getSession('s1'), b.received.at(-1), b.service.state.waiting]).toEqual([null, 's1 null', 0]);
    expect(b.world.db.verifyIntegrity()).toEqual([]);
  });
});

describe('a server that is gone', () => {
  it('is asked again with growing pauses; what waits is counted; all is well when it is back', async () => {
    const [a] = await pair();
    a.network.isCut = true;
    answered(a.world.db, 't2', 'Pears.');
    a.service.nudge();
    await pass(1000);
    expect(a.service.state).toMatchObject({ waiting: 1, failure: { sentence: 'Error: no connection' } });
    expect(a.service.state.waitingSince).not.toBeNull();
    const before = clock.waiting;
    await pass(60 * 60_000);
    expect([a.log.filter((line) => line.startsWith('Sync:')).length, clock.waiting]).toEqual([1, before]);
    a.network.isCut = false;
    await pass(5 * 60_000);
    expect(a.service.state).toMatchObject({ waiting: 0, failure: null });
  });

  it('delays no turn for longer than its patience', async () => {
    const [a] = await pair();
    const slow = await machine('slow', {
      store: a.world.db.synced,
      server: { ...a.network.wayOf(), lease: () => new Promise(() => undefined) },
    });
    const start = slow.service.beforeTurn('s1');
    await clock.untilWaiting(3);
    await pass(1500);
    expect(await start).toEqual({ kind: 'free' });
  });
});

describe('before a turn', () => {
  it('what the other machine added is here, and the lease keeps the other from a turn of its own', async () => {
    const [a, b] = await pair();
    answered(b.world.db, 't2', 'Pears.');
    await b.service.exchangeNow();
    expect(await a.service.beforeTurn('s1')).toEqual({ kind: 'free' });
    expect(lines(a.world.db)).toEqual(lines(b.world.db));
    expect(await b.service.beforeTurn('s1')).toEqual({ kind: 'leased', machine: 'The laptop' });
  });

  it('the user learns that what was added here became a branch', async () => {
    const [a, b] = await pair();
    b.network.isCut = true;
    answered(b.world.db, 't3', 'Plums.');
    answered(a.world.db, 't2', 'Pears.');
    await a.service.exchangeNow();
    b.network.isCut = false;
    expect(await b.service.beforeTurn('s1')).toEqual({ kind: 'divided' });
  });

  it('the same number is another version after a loss of the server', async () => {
    const [a, b] = await pair();
    const before = structuredClone(server.conversations);
    b.network.isCut = true;
    answered(a.world.db, 't2', 'Pears.');
    await a.service.exchangeNow();
    server.conversations = before;
    a.network.isCut = true;
    b.network.isCut = false;
    answered(b.world.db, 't3', 'Plums.');
    await b.service.exchangeNow();
    a.network.isCut = false;
    expect(await a.service.beforeTurn('s1')).toEqual({ kind: 'divided' });
    expect(lines(a.world.db)).toEqual(lines(b.world.db));
  });

  it('the server is tried again however long it could not be reached', async () => {
    const [a, b] = await pair();
    b.network.isCut = true;
    answered(b.world.db, 't2', 'Pears.');
    for (let minute = 0; minute < 30; minute++) await pass(60_000);
    expect(b.service.state.failure).not.toBeNull();
    b.network.isCut = false;
    answered(a.world.db, 't3', 'Plums.');
    await a.service.exchangeNow();
    expect((await b.service.beforeTurn('s1')).kind).toBe('divided');
    await pass(1000);
    expect(b.service.state.failure).toBeNull();
  });

  it('the lease is renewed while the turn runs, and given back once its answer is sent', async () => {
    const [a, b] = await pair();
    await a.service.beforeTurn('s1');
    openTurn(a.world.db, { sessionId: 's1', turnUid: 't2' });
    a.running.add('s1');
    for (let second = 0; second < 120; second++) {
      server.clock++;
      await pass(1000);
    }
    expect((await b.service.beforeTurn('s1')).kind).toBe('leased');
    settle(a.world.db, 't2');
    a.running.delete('s1');
    a.service.runningChanged();
    await pass(3000);
    expect(await b.service.beforeTurn('s1')).toEqual({ kind: 'free' });
    expect(lines(b.world.db)).toEqual(lines(a.world.db));
  });

  it('the lease of a window that was killed keeps the next one from sending nothing', async () => {
    const [a, b] = await pair();
    await a.service.beforeTurn('s1');
    a.service.dispose();
    answered(a.world.db, 't2', 'Pears.');
    const next = await machine('laptop', { store: a.world.db.synced });
    await next.service.exchangeNow();
    expect([next.service.state.waiting, await b.service.beforeTurn('s1')]).toEqual([0, { kind: 'free' }]);
    expect(lines(b.world.db)).toEqual(lines(a.world.db));
  });

  it('the lease is asked for again when this store connected while it was on its way, and it is no copy', async () => {
    const [a, b] = await pair();
    let [twins, isConnected] = [0, false];
    const way = b.network.wayOf();
    const { synced } = b.world.db;
    const again = await machine('desk', {
      store: synced,
      server: {
        ...way,
        lease: async (...args) => {
          if (!isConnected) {
            isConnected = true;
            const incarnation = synced.connecting('desk', 'new');
            await way.connect('desk', 'The desk', incarnation);
            synced.connected('desk', incarnation.now);
          }
          return way.lease(...args);
        },
      },
      onTwin: () => twins++,
    });
    expect([await again.service.beforeTurn('s1'), twins]).toEqual([{ kind: 'free' }, 0]);
    expect(await a.service.beforeTurn('s1')).toEqual({ kind: 'leased', machine: 'The desk' });
  });

  it('the lease of a session that a newer build continued is given back, though its marks wait', async () => {
    const [a, b] = await pair();
    await a.service.beforeTurn('s1');
    a.world.database.run("INSERT INTO sync_newer (conversation_id, store) VALUES ('s1', 1000000)");
    a.world.db.setPinned('s1', true);
    await pass(20_000);
    expect(await b.service.beforeTurn('s1')).toEqual({ kind: 'free' });
    // Known without the server, too.
    const offline = await machine('laptop', { store: a.world.db.synced });
    offline.network.isCut = true;
    offline.service.start();
    await pass(1000);
    expect(offline.service.state.refused.map(({ conversationId }) => conversationId)).toEqual(['s1']);
  });
});

describe('the account of the server', () => {
  it('is the same as here after an exchange, counts what waits, and names what is other there', async () => {
    const [a, b] = await pair();
    answered(a.world.db, 't2', 'Pears.');
    const same = await a.service.account('s1');
    const stored = server.conversations.get('s1')?.documents.get('turn/t2');
    server.conversations.get('s1')?.documents.set('turn/t2', {
      version: stored?.version ?? 0,
      body: (stored?.body ?? '').replaceAll('Pears', 'Plums'),
    });
    const changed = await a.service.account('s1');
    server.conversations.get('s1')?.documents.delete('turn/t1');
    expect([same, changed, (await a.service.account('s1'))?.different]).toEqual([
      { same: 2, waiting: 0, different: [], unread: null },
      { same: 1, waiting: 0, different: ['turn/t2'], unread: null },
      ['turn/t1', 'turn/t2'],
    ]);
    expect(b.received.length).toBeGreaterThan(0);
  });
});

describe('a session', () => {
  it('names the machine that continued it last, until this one does', async () => {
    const [a, b] = await pair();
    const machineOf = ({ world }: Machine): string | undefined => world.db.listSessions({ limit: 5 })[0]?.machine;
    const first = [machineOf(a), machineOf(b)];
    answered(b.world.db, 't2', 'Pears.');
    await b.service.exchangeNow();
    await a.service.exchangeNow();
    expect([first, [machineOf(a), machineOf(b)]]).toEqual([
      [undefined, 'The laptop'],
      ['The desk', undefined],
    ]);
    const found = (text: string): number => a.world.db.listSessions({ limit: 5, text }).length;
    expect([found('desk'), found('laptop')]).toEqual([1, 0]);
  });
});
