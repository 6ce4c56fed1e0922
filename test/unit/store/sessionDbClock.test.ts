import { beforeEach, describe, expect, it } from 'vitest';
import { rowsOf } from '../../../src/store/session/import/storeImport';
import { answer, complete, prompt, sessionDbWorld, type SessionDbWorld } from '../../support/sessionDbWorld';

const day = 86_400;
const today = 1_780_000_000;
const ahead = 4_070_908_800;

let world: SessionDbWorld;
let turns = 0;
beforeEach(async () => {
  world = await sessionDbWorld(undefined, { now: today });
});

function begin(id: string, at = today): void {
  world.clock.now = at;
  world.db.createSession({ id, startedAt: at });
}

function ask(sessionId: string, at: number): void {
  const turnUid = `t${++turns}`;
  world.clock.now = at;
  world.db.openTurn({
    turnUid,
    sessionId,
    userMessage: prompt(`u-${turnUid}`, 'And?', turnUid, sessionId),
    model: 'Local/test',
    startedAt: at,
  });
  world.clock.now = at + 1;
  world.db.settleTurn({
    turnUid,
    settledAt: at + 1,
    settlement: complete,
    messages: [answer(`a-${turnUid}`, 'So.', turnUid, sessionId)],
  });
}

const list = () => world.db.listSessions({ limit: 9 });
const order = () => list().map(({ id }) => id);
const unread = (id: string) => list().find((one) => one.id === id)?.unread;

describe('a clock that was ahead', () => {
  beforeEach(() => {
    begin('plain', today - 2 * day);
    begin('odd', today - 2 * day);
    begin('older', today - 3 * day);
    ask('older', today - 3 * day);
    ask('plain', today - 2 * day);
    ask('odd', ahead);
  });

  it('leaves a session at the top only until something happens in another one', () => {
    const first = order();
    ask('plain', today);
    const second = order();
    ask('odd', today + 10);
    expect({ first, second, third: order(), times: list().map(({ lastActiveAt }) => lastActiveAt - today) }).toEqual({
      first: ['odd', 'plain', 'older'],
      second: ['plain', 'odd', 'older'],
      third: ['odd', 'plain', 'older'],
      times: [11, 1, expect.any(Number)],
    });
  });

  it('keeps the order of those that were used then', () => {
    ask('older', ahead + 10);
    begin('fourth', today - day);
    ask('fourth', today - day);
    begin('new', today);
    ask('new', today);
    expect([order(), list().every(({ lastActiveAt }) => lastActiveAt <= today + 1)]).toEqual([
      ['new', 'fourth', 'older', 'odd', 'plain'],
      true,
    ]);
  });

  it('marks nothing unread that was seen, and everything that is answered later', () => {
    const before = unread('odd');
    world.db.setSeen('odd', today + 5);
    const seen = unread('odd');
    ask('odd', today + 10);
    const answered = unread('odd');
    world.db.setSeen('odd', today + 20);
    expect({ before, seen, answered, seenAgain: unread('odd') }).toEqual({
      before: true,
      seen: false,
      answered: true,
      seenAgain: false,
    });
  });

  it('marks nothing unread forever that was brought in from another store', async () => {
    const here = await sessionDbWorld(undefined, { now: today });
    here.db.mergeFrom(rowsOf(world.database));
    here.db.setSeen('odd', today);
    expect(here.db.listSessions({ limit: 9 }).find(({ id }) => id === 'odd')?.unread).toBe(false);
  });
});

describe('a clock that is behind', () => {
  beforeEach(() => {
    for (const [index, id] of ['first', 'second', 'third'].entries()) {
      begin(id, today - (9 - index) * day);
      ask(id, today - (9 - index) * day);
    }
  });

  it('puts a session that is used at the top, and leaves the times of the others unchanged', () => {
    const before = list().map(({ id, lastActiveAt }) => [id, lastActiveAt]);
    ask('first', 1000);
    const used = order();
    ask('second', 2000);
    expect({
      used,
      then: order(),
      untouched: list()
        .filter(({ id }) => id === 'third')
        .map(({ id, lastActiveAt }) => [id, lastActiveAt]),
    }).toEqual({
      used: ['first', 'third', 'second'],
      then: ['second', 'first', 'third'],
      untouched: before.filter(([id]) => id === 'third'),
    });
    ask('third', today);
    expect([order(), list()[0]?.lastActiveAt]).toEqual([['third', 'second', 'first'], today + 1]);
  });
});

describe('pending work for memory', () => {
  it('does not wait for a time that a clock which was ahead set far in the future', () => {
    for (const [uid, sessionId, at] of [
      ['o1', 's1', ahead],
      ['o2', 's1', today],
      ['o3', 's2', today + 60],
    ] as const) {
      world.db.outboxAdd({ uid, provider: 'p', sessionId, kind: 'k', payload: '1', createdAt: at, nextAttemptAt: at });
    }
    expect(world.db.outboxDue('p', today + 1, 9).map(({ uid }) => uid)).toEqual(['o1', 'o2']);
  });
});
