import { describe, expect, it } from 'vitest';
import type { SyncRound } from '../../../../../src/features/sync/core/syncRound';
import { answered, openTurn, sessionDbWorld, type SessionDbWorld } from '../../../../support/sessionDbWorld';
import { SimulatedNetwork, SimulatedServer } from '../../../../support/simulatedServer';
import { roundOf } from '../../../../support/syncRound';

interface Machine {
  readonly name: string;
  world: SessionDbWorld;
  round: SyncRound;
}

const server = (isProven = true): SimulatedServer => new SimulatedServer({ isProven });

async function machine(of: SimulatedServer, name: string, world?: SessionDbWorld): Promise<Machine> {
  const own = world ?? (await sessionDbWorld());
  own.db.synced.begin();
  while (own.db.synced.noteMore());
  return { name, world: own, round: roundOf(own.db, new SimulatedNetwork(of, () => 'done').wayOf(), name) };
}

/** Two machines that have the session s1, which answered twice, in two segments. */
async function twins(of = server()): Promise<readonly [Machine, Machine]> {
  const [a, b] = [await machine(of, 'a'), await machine(of, 'b')];
  a.world.db.createSession({ id: 's1', startedAt: 1, title: 'Plums' });
  answered(a.world.db, 't1', 'Answer of t1.');
  answered(a.world.db, 't2', 'Answer of t2.');
  a.world.db.setTitle('s1', 'About plums', 'person');
  for (const each of [a, b, a]) await each.round.run();
  return [a, b];
}

/** Keeps a copy of the present store, as a backup does, that can be brought back. */
async function keepCopy({ world }: Machine): Promise<void> {
  const copy = await sessionDbWorld(
    world.disk.powerCut(() => 1),
    world.clock,
  );
  world.others.set('copy', copy.database);
}

const bringBack = ({ world }: Machine, ...sessionIds: readonly string[]) =>
  world.db.copyToThisFolder({
    folder: 'copy',
    sessionIds: sessionIds.length === 0 ? ['s1'] : sessionIds,
    moves: false,
  });

const texts = ({ world }: Machine): readonly string[] =>
  world.database
    .all("SELECT session_id, parts ->> '$[0].text' AS text FROM messages WHERE role = 'assistant' ORDER BY position")
    .map((row) => `${String(row['session_id'])}: ${String(row['text'])}`);
const both = (id: string): readonly string[] => ['t1', 't2'].map((turn) => `${id}: Answer of ${turn}.`);
const sync = async (...machines: readonly Machine[]): Promise<void> => {
  for (const each of [...machines, ...machines]) await each.round.run();
};
const sound = (...machines: readonly Machine[]): readonly unknown[] =>
  machines.flatMap(({ world }) => world.db.verifyIntegrity());

describe.each([
  ['an encrypted history', true],
  ['a history without proofs', false],
])('a session of %s that the user brings back after Forget', (_name, isProven) => {
  it('stays, on all machines, once however often it is brought back', async () => {
    const [a, b] = await twins(server(isProven));
    await keepCopy(a);
    a.world.db.forgetSession('s1');
    await sync(a, b);
    expect(texts(a)).toEqual([]);
    const { newIds, messages } = bringBack(a);
    expect([newIds, messages]).toEqual([{ s1: 's1~again' }, 4]);
    await sync(a, b);
    expect(bringBack(a).messages).toBe(0);
    await sync(a, b, a);
    expect(texts(a)).toEqual(both('s1~again'));
    expect(texts(b).filter((text) => text.startsWith('s1~again'))).toEqual(both('s1~again'));
    expect(b.world.db.getSession('s1~again')?.title).toBe('About plums');
    expect(sound(a, b)).toEqual([]);
  });

  it('stays when the machine learns of the Forget later', async () => {
    const held = server(isProven);
    const [a, b] = await twins(held);
    await keepCopy(a);
    b.world.db.forgetSession('s1');
    await sync(b);
    // A new store of the first machine, which was never synchronized.
    const fresh = await sessionDbWorld();
    fresh.others.set('copy', a.world.others.get('copy') ?? fresh.database);
    fresh.db.copyToThisFolder({ folder: 'copy', sessionIds: ['s1'], moves: false });
    answered(fresh.db, 't3', 'Answer of t3.');
    const c = await machine(held, 'c', fresh);
    await sync(c, b, c);
    expect(texts(c)).toEqual([...both('s1~again'), 's1~again: Answer of t3.']);
    expect(texts(b)).toEqual(texts(c));
    expect(sound(b, c)).toEqual([]);
  });

  it('is forgotten again by a later Forget, and can be brought back again', async () => {
    const [a, b] = await twins(server(isProven));
    await keepCopy(a);
    a.world.db.forgetSession('s1');
    await sync(a);
    bringBack(a);
    await sync(a, b);
    a.world.db.forgetSession('s1~again');
    await sync(a, b);
    expect(texts(a)).toEqual([]);
    bringBack(a);
    await sync(a, b);
    expect(texts(a)).toEqual(both('s1~again~again'));
    expect(texts(b)).toEqual(expect.arrayContaining([...both('s1~again~again')]));
  });
});

describe('a session that is brought back', () => {
  it('stays when a Forget from before comes late, and not if that machine had it', async () => {
    const held = server();
    const [a, b] = await twins(held);
    const d = await machine(held, 'd');
    await sync(d);
    await keepCopy(a);
    const fresh = await sessionDbWorld();
    fresh.others.set('copy', a.world.others.get('copy') ?? fresh.database);
    b.world.db.forgetSession('s1');
    const c = await machine(held, 'c', fresh);
    bringBack(c);
    await sync(c, b, c, d);
    expect(texts(c)).toEqual(both('s1~again'));
    expect(texts(d).filter((text) => text.startsWith('s1~again'))).toEqual(both('s1~again'));
    await sync(b);
    b.world.db.forgetSession('s1~again');
    await sync(b, c);
    const isIn = ({ world }: Machine): boolean => world.db.getSession('s1~again')?.trashedAt === null;
    expect([isIn(b), isIn(c), texts(c)]).toEqual([false, false, []]);
    expect(sound(b, c)).toEqual([]);
  });

  it('is one session when two machines bring it back', async () => {
    const held = server();
    const [a, b] = await twins(held);
    for (const each of [a, b]) await keepCopy(each);
    a.world.db.forgetSession('s1');
    await sync(a, b);
    bringBack(a);
    bringBack(b);
    await sync(a, b, a);
    expect([texts(a), texts(b)]).toEqual([both('s1~again'), both('s1~again')]);
  });

  it('and was not forgotten keeps its ids, and is erased by a Forget that comes after', async () => {
    const [a, b] = await twins();
    await keepCopy(a);
    const restored = await sessionDbWorld();
    restored.others.set('copy', a.world.others.get('copy') ?? restored.database);
    const c = await machine(server(), 'c', restored);
    expect(bringBack(c).newIds).toEqual({});
    expect(texts(c)).toEqual(both('s1'));
    // It was compared with the server since.
    bringBack(a);
    await sync(a);
    b.world.db.forgetSession('s1');
    await sync(b, a);
    expect(texts(a)).toEqual([]);
  });

  it('is erased like before when it was only here from before', async () => {
    const [a, b] = await twins();
    await keepCopy(a);
    bringBack(a);
    b.world.db.forgetSession('s1');
    await sync(b, a);
    expect([texts(a), texts(b)]).toEqual([[], []]);
  });

  it('brings its sub-agents with it, whichever of them the server names first', async () => {
    const held = server();
    const a = await machine(held, 'a');
    for (const id of ['b-parent', 'z-parent']) {
      const child = id === 'b-parent' ? 'c-child' : 'y-child';
      a.world.db.createSession({ id, startedAt: 1 });
      answered(a.world.db, `t-${id}`, `Answer of ${id}.`, { sessionId: id });
      a.world.db.createSession({ id: child, startedAt: 1, parentSessionId: id, parentKind: 'delegate' });
      answered(a.world.db, `t-${child}`, `Answer of ${child}.`, { sessionId: child });
    }
    await sync(a);
    const ids = ['b-parent', 'c-child', 'z-parent', 'y-child'];
    const fresh = await sessionDbWorld();
    await keepCopy(a);
    fresh.others.set('copy', a.world.others.get('copy') ?? fresh.database);
    for (const id of ['b-parent', 'z-parent']) a.world.db.forgetSession(id);
    await sync(a);
    const c = await machine(held, 'c', fresh);
    bringBack(c, ...ids);
    await sync(c, a, c);
    const kept = (each: Machine): unknown =>
      each.world.database.all('SELECT id, parent_session_id AS parent FROM sessions ORDER BY id');
    expect(kept(c)).toEqual([
      { id: 'b-parent~again', parent: null },
      { id: 'c-child~again', parent: 'b-parent~again' },
      { id: 'y-child~again', parent: 'z-parent~again' },
      { id: 'z-parent~again', parent: null },
    ]);
    expect(kept(a)).toEqual(kept(c));
  });

  it('waits with its new ids while a turn is open', async () => {
    const held = server();
    const [a, b] = await twins(held);
    await keepCopy(a);
    b.world.db.forgetSession('s1');
    await sync(b);
    const fresh = await sessionDbWorld();
    fresh.others.set('copy', a.world.others.get('copy') ?? fresh.database);
    const c = await machine(held, 'c', fresh);
    bringBack(c);
    openTurn(c.world.db, { sessionId: 's1', turnUid: 't9' });
    await sync(c);
    expect(texts(c)).toEqual(both('s1'));
  });
});

describe('what a Forget of another machine still has to reach here', () => {
  it('is noted before the rows go, and until it was done', async () => {
    const [a, b] = await twins();
    a.world.db.forgetSession('s1');
    await sync(a);
    await b.round.run();
    expect(texts(b)).toEqual([]);
    // A crash since.
    const after = await b.world.reopened();
    after.db.synced.begin();
    expect(after.db.synced.copies()).toEqual([{ conversationId: 's1', sessionIds: ['s1'] }]);
    after.db.synced.copiesForgotten('s1');
    expect([after.db.synced.copies(), a.world.db.synced.copies()]).toEqual([[], []]);
  });
});

describe('a session that one machine prunes from its trash', () => {
  async function pruned(held = server()): Promise<readonly [Machine, Machine]> {
    const [a, b] = await twins(held);
    a.world.db.trashSession('s1', 5);
    await sync(a, b);
    // Its clock is ahead.
    expect(b.world.db.pruneTrash(1e9).sessionIds).toEqual(['s1']);
    await sync(b, a, b);
    return [a, b];
  }

  it('is gone there, and stays on the server and on the others', async () => {
    const held = server();
    const [a, b] = await pruned(held);
    expect([texts(a), texts(b), held.conversations.get('s1')?.isErased]).toEqual([both('s1'), [], false]);
    // Also after another look at everything, and a change of its title.
    a.world.db.setTitle('s1', 'Pears', 'person');
    b.world.database.run('DELETE FROM sync_read');
    await sync(a, b);
    expect(texts(b)).toEqual([]);
  });

  it('comes again when another machine takes it out of the trash', async () => {
    const [a, b] = await pruned();
    a.world.db.restoreSession('s1');
    await sync(a, b);
    expect([texts(b), b.world.db.getSession('s1')?.trashedAt]).toEqual([both('s1'), null]);
    b.world.db.forgetSession('s1');
    await sync(b, a);
    expect(texts(a)).toEqual([]);
  });

  it('comes again when another machine went on in it', async () => {
    const held = server();
    const [a, b] = await twins(held);
    const c = await machine(held, 'c');
    await sync(c);
    answered(c.world.db, 't3', 'Answer of t3.');
    a.world.db.trashSession('s1', 5);
    await sync(a, b);
    b.world.db.pruneTrash(1e9);
    await sync(b, c, a, b);
    expect(texts(b)).toEqual([...both('s1'), 's1: Answer of t3.']);
    expect(texts(a)).toEqual(texts(b));
  });

  it('is erased everywhere by a Forget, also where it was pruned', async () => {
    const held = server();
    const [a, b] = await pruned(held);
    a.world.db.forgetSession('s1');
    await sync(a, b);
    expect([texts(a), texts(b), held.conversations.get('s1')?.isErased]).toEqual([[], [], true]);
    expect([...(held.conversations.get('s1')?.erasedBy ?? [])].sort()).toEqual(['a', 'b']);
  });

  it('stays in the trash until the server knows that it is there', async () => {
    const [a, b] = await twins();
    b.world.db.trashSession('s1', 5);
    expect(b.world.db.pruneTrash(1e9).sessionIds).toEqual([]);
    await sync(b, a);
    expect(b.world.db.pruneTrash(1e9).sessionIds).toEqual(['s1']);
    await sync(b, a);
    expect([texts(b), texts(a)]).toEqual([[], both('s1')]);
  });

  it('is no Forget after a crash in the middle either', async () => {
    const held = server();
    const [a, b] = await twins(held);
    a.world.db.trashSession('s1', 5);
    await sync(a, b);
    const slices = b.world.db.slices.pruneTrash(1e9);
    slices.next();
    const after = await machine(held, 'b', await b.world.reopened());
    after.world.db.scrub();
    await sync(after, a);
    expect([texts(after), texts(a), held.conversations.get('s1')?.isErased]).toEqual([[], both('s1'), false]);
  });

  /** Erases in slices of one batch each. Called again, it does the rest. */
  function pruningOf({ world }: Machine): () => void {
    let now = world.clock.now;
    Object.defineProperty(world.clock, 'now', { get: () => now++ });
    const slices = world.db.slices.pruneTrash(1e9);
    slices.next();
    expect(world.database.all('SELECT pending FROM sessions')).toEqual([{ pending: 'erased' }]);
    return () => {
      while (slices.next().done !== true);
    };
  }

  it('is no Forget when it comes again while its rows are erased', async () => {
    const held = server();
    const [a, b] = await twins(held);
    a.world.db.trashSession('s1', 5);
    await sync(a, b);
    const finish = pruningOf(b);
    a.world.db.restoreSession('s1');
    await sync(a, b);
    finish();
    await sync(b, a);
    expect([texts(a), texts(b), held.conversations.get('s1')?.isErased]).toEqual([both('s1'), both('s1'), false]);
  });

  it('is erased by a Forget that comes while its rows are erased', async () => {
    const held = server();
    const [a, b] = await twins(held);
    a.world.db.trashSession('s1', 5);
    await sync(a, b);
    const finish = pruningOf(b);
    a.world.db.forgetSession('s1');
    await sync(a, b);
    finish();
    await sync(b);
    expect([texts(b), [...(held.conversations.get('s1')?.erasedBy ?? [])].sort()]).toEqual([[], ['a', 'b']]);
  });

  it('can be brought back by hand, and forgotten then', async () => {
    const held = server();
    const [a, b] = await twins(held);
    await keepCopy(b);
    a.world.db.trashSession('s1', 5);
    await sync(a, b);
    b.world.db.pruneTrash(1e9);
    await sync(b);
    bringBack(b);
    await sync(b, a);
    expect(texts(b)).toEqual(both('s1'));
    b.world.db.forgetSession('s1');
    await sync(b, a);
    expect([texts(b), texts(a)]).toEqual([[], []]);
  });
});
