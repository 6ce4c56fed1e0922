import { beforeEach, describe, expect, it } from 'vitest';
import type { SessionDb } from '../../../src/store/session/sessionDb';
import { unknownUsage } from '../../../src/transcript/usage';
import { answer, answered, openTurn, sessionDbWorld, type SessionDbWorld } from '../../support/sessionDbWorld';

let world: SessionDbWorld;
beforeEach(async () => {
  world = await sessionDbWorld();
  world.db.createSession({ id: 's1', startedAt: 1 });
});

/** A turn that settled at 9 and cost this much. Null: its price is not known. */
function costing(db: SessionDb, turnUid: string, costUsd: number | null, sessionId = 's1'): void {
  answered(db, turnUid, `answer ${turnUid}`, { sessionId });
  db.addUsage(turnUid, { ...unknownUsage, inputTokens: 10, costUsd });
}

const costOf = (sessionId: string) => world.db.sessionSpending(sessionId).cost;

describe('the cost of a session', () => {
  it('sums its turns, also those that were retried, and counts the turns without a known price', () => {
    costing(world.db, 't1', 0.5);
    answered(world.db, 't2', 'again', { replaces: { turnUid: 't1', reason: 'retried' } });
    world.db.addUsage('t2', { ...unknownUsage, costUsd: 0.25 });
    costing(world.db, 't3', null);
    answered(world.db, 't4', 'nothing was counted');
    openTurn(world.db, { turnUid: 't5' });
    world.db.addUsage('t5', { ...unknownUsage, costUsd: 1 });
    expect(costOf('s1')).toEqual({ usd: 1.75, unpriced: 2 });
  });

  it('covers all segments and the sub-agents that worked for it, and no other session', () => {
    costing(world.db, 't1', 0.5);
    world.db.createSession({ id: 'd1', startedAt: 2, parentSessionId: 's1', parentKind: 'delegate' });
    costing(world.db, 'w1', 0.25, 'd1');
    world.db.createSession({ id: 's2', startedAt: 3, parentSessionId: 's1', parentKind: 'compression' });
    costing(world.db, 't2', 1, 's2');
    world.db.createSession({ id: 'd2', startedAt: 4, parentSessionId: 's2', parentKind: 'delegate' });
    costing(world.db, 'w2', 2, 'd2');
    world.db.createSession({ id: 'other', startedAt: 5 });
    costing(world.db, 'o1', 8, 'other');
    expect([costOf('s1'), costOf('s2'), costOf('d1')]).toEqual([
      { usd: 3.75, unpriced: 0 },
      { usd: 3.75, unpriced: 0 },
      { usd: 0.25, unpriced: 0 },
    ]);
  });

  it('is its own in a branch: the copied turns were paid once', () => {
    costing(world.db, 't1', 0.5);
    world.db.branchSession({ sessionId: 's1', upTo: null, childId: 'b1', now: 10 });
    costing(world.db, 't2', 0.25, 'b1');
    expect([costOf('s1'), costOf('b1'), world.db.spendingSince(0)]).toEqual([
      { usd: 0.5, unpriced: 0 },
      { usd: 0.25, unpriced: 0 },
      { usd: 0.75, unpriced: 0 },
    ]);
  });
});

it('the cost of a day covers all sessions from that time on, and the turns that still run', () => {
  world.db.createSession({ id: 's2', startedAt: 2 });
  costing(world.db, 't1', 0.5);
  costing(world.db, 't2', 0.25, 's2');
  openTurn(world.db, { turnUid: 't3', sessionId: 's2' });
  world.db.putMessages([answer('a3', 'So far', 't3', 's2')]);
  world.db.addUsage('t3', { ...unknownUsage, costUsd: 2 });
  expect([world.db.spendingSince(9), world.db.spendingSince(9.5)]).toEqual([
    { usd: 2.75, unpriced: 0 },
    { usd: 2, unpriced: 0 },
  ]);
});

it('an allowed amount belongs to the conversation, and outlives a compression', () => {
  const before = world.db.sessionSpending('s1').allowedUsd;
  world.db.createSession({ id: 's2', startedAt: 3, parentSessionId: 's1', parentKind: 'compression' });
  world.db.allowSpending('s2', 4.5);
  expect([before, world.db.sessionSpending('s1').allowedUsd, world.db.sessionSpending('s2').allowedUsd]).toEqual([
    null,
    4.5,
    4.5,
  ]);
});
