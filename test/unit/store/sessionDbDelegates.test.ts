import { beforeEach, describe, expect, it } from 'vitest';
import type { SessionDb } from '../../../src/store/session/sessionDb';
import {
  anApproval,
  answer,
  call,
  openTurn,
  runningTurn,
  sessionDbWorld,
  settle,
  stopped,
  type SessionDbWorld,
} from '../../support/sessionDbWorld';

let world: SessionDbWorld;
beforeEach(async () => {
  world = await sessionDbWorld();
});

/** Turn `t1` of session `s1` has called `c1`, on which session `d1` works in turn `t2`. */
function delegated(db: SessionDb): void {
  runningTurn(db);
  db.putMessages([answer('m1', [call('c1', 'delegate_task')], 't1')]);
  db.createSession({
    id: 'd1',
    startedAt: 3,
    parentSessionId: 's1',
    parentKind: 'delegate',
    delegatedBy: 'c1',
    title: 'Look',
    titleSource: 'derived',
  });
  openTurn(db, { sessionId: 'd1', turnUid: 't2' });
  db.putMessages([answer('m2', [call('c9')], 't2', 'd1')]);
}

const childAsks = { turnUid: 't2', sessionId: 'd1', messageUid: 'm2', callId: 'c9' } as const;
const lastTurn = (db: SessionDb) =>
  db.listSessions({ limit: 5 }).map(({ id, lastTurn: last }) => `${id} ${last?.state}`);

describe('the session of a sub-agent', () => {
  it('is in no list; its parent session waits for the user while it does', () => {
    delegated(world.db);
    const before = lastTurn(world.db);
    world.db.requestApproval(anApproval('ap', childAsks));
    const asked = lastTurn(world.db);
    world.db.decideApproval('ap', { kind: 'allow', scope: 'once' }, 7);
    expect([before, asked, lastTurn(world.db)]).toEqual([['s1 running'], ['s1 waiting'], ['s1 running']]);
  });

  it('shares the rules allowed for its parent session with its other sub-agents, and with no other session', () => {
    delegated(world.db);
    world.db.createSession({
      id: 'd2',
      startedAt: 3,
      parentSessionId: 's1',
      parentKind: 'delegate',
      delegatedBy: 'c2',
    });
    world.db.createSession({ id: 'b1', startedAt: 3, parentSessionId: 's1', parentKind: 'branch' });
    world.db.requestApproval(anApproval('ap', childAsks));
    world.db.decideApproval('ap', { kind: 'allow', scope: 'session', rules: ['run(git push)'] }, 7);
    world.db.requestApproval(anApproval('ap2'));
    world.db.decideApproval('ap2', { kind: 'allow', scope: 'session', rules: ['run(git pull)'] }, 8);
    expect(['s1', 'd1', 'd2', 'b1'].map((id) => world.db.sessionRules(id))).toEqual([
      ['run(git push)', 'run(git pull)'],
      ['run(git push)', 'run(git pull)'],
      ['run(git push)', 'run(git pull)'],
      [],
    ]);
  });

  it('is linked from its call, which is answered after a crash, and no longer waits', async () => {
    delegated(world.db);
    world.db.requestApproval(anApproval('ap', childAsks));
    const { db } = await world.reopened();
    const recovered = db.recoverTurns();
    const results = recovered.flatMap(({ messages }) =>
      messages.flatMap((row) => (row.role === 'tool' ? [row.parts[0]] : [])),
    );
    expect([
      recovered.map(({ turn }) => `${turn.uid} ${turn.stopReason}`),
      results.map(({ callId, outcome, details }) => ({ callId, outcome, details })),
      db.approval('ap')?.state.kind,
      db.verifyIntegrity(),
    ]).toEqual([
      ['t1 crash', 't2 crash'],
      [
        {
          callId: 'c1',
          outcome: 'interrupted',
          details: { kind: 'delegate', sessionId: 'd1', title: 'Look', turns: 1, ms: 997_000 },
        },
        { callId: 'c9', outcome: 'cancelled', details: undefined },
      ],
      'expired',
      [],
    ]);
  });

  it('keeps waiting while its parent turn runs in this process', () => {
    delegated(world.db);
    world.db.requestApproval(anApproval('ap', childAsks));
    expect([world.db.recoverTurns(['t1']), world.db.getTurn('t2')?.state]).toEqual([[], 'waiting']);
  });

  it('is deleted with its parent session, and not with a branch of it', () => {
    delegated(world.db);
    settle(world.db, 't2', stopped);
    settle(world.db, 't1', stopped);
    const branch = world.db.branchSession({ sessionId: 's1', upTo: null, childId: 'b1', now: 20 });
    const forgotten = world.db.forgetSession('s1');
    expect([
      branch.session.id,
      forgotten.sessionIds,
      world.db.getSession('d1'),
      world.db.getSession('b1')?.id,
      world.db.verifyIntegrity(),
    ]).toEqual(['b1', ['s1', 'd1'], null, 'b1', []]);
  });
});
