import { beforeEach, describe, expect, it } from 'vitest';
import type { ApprovalDecision } from '../../../src/transcript/approval';
import {
  anApproval,
  answer,
  answered,
  call,
  lines,
  openTurn,
  refusal,
  result,
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

const once: ApprovalDecision = { kind: 'allow', scope: 'once' };
const deny: ApprovalDecision = { kind: 'deny', reason: 'not now' };
const state = (db = world.db) => ({
  turn: db.getTurn('t1')?.state,
  approvals: db.approvalsOf('t1').map((approval) => approval.state.kind),
  pending: db.pendingApproval('s1')?.id ?? null,
  sound: db.verifyIntegrity(),
});

/** Turn `t1` has called `c1` and `c2`. */
function callingTurn(): void {
  runningTurn(world.db);
  world.db.putMessages([answer('m1', [call('c1'), call('c2')], 't1')]);
}

describe('a question to the user', () => {
  it('makes its turn wait, and survives a power cut, with its content', async () => {
    callingTurn();
    const asked = world.db.requestApproval(anApproval('ap'));
    const found = await world.reopened();
    expect([
      asked.turn.state,
      state(found.db),
      found.db.pendingApproval('s1'),
      found.db.recoverTurns(),
      found.db.listSessions({ limit: 1 })[0]?.lastTurn,
    ]).toEqual([
      'waiting',
      { turn: 'waiting', approvals: ['pending'], pending: 'ap', sound: [] },
      { ...anApproval('ap'), state: { kind: 'pending' } },
      [],
      { state: 'waiting' },
    ]);
  });

  it.each([
    { kind: 'inside', hosts: ['a.example'] },
    { kind: 'outside', reason: 'Docker' },
  ] as const)('about a command keeps how the command would be confined', async (confined) => {
    callingTurn();
    const asked = anApproval('ap');
    if (asked.request.access.kind !== 'run') throw new Error('asks for no command');
    const request = {
      ...asked.request,
      access: { ...asked.request.access, confined },
      reasons: ['unconfined', 'discards'] as const,
      risks: [{ kind: 'rewrites', target: 'origin' }, { kind: 'rights' }] as const,
    };
    world.db.requestApproval({ ...asked, request });
    expect((await world.reopened()).db.pendingApproval('s1')?.request).toEqual(request);
  });

  it('is stored once however often it is asked, and refused for a turn that already waits or has ended', () => {
    callingTurn();
    const first = world.db.requestApproval(anApproval('ap'));
    const again = world.db.requestApproval(anApproval('ap'));
    const second = refusal(() => world.db.requestApproval(anApproval('ap2')));
    settle(world.db, 't1', stopped);
    const late = refusal(() => world.db.requestApproval(anApproval('ap3')));
    expect([again, second, late]).toEqual([first, 'invalid', 'invalid']);
  });

  it('is decided once: the first decision counts, durably, and the turn runs again', async () => {
    callingTurn();
    world.db.requestApproval(anApproval('ap'));
    const first = world.db.decideApproval('ap', once, 7);
    const second = world.db.decideApproval('ap', deny, 8);
    const found = await world.reopened();
    expect([
      first.turn.state,
      second,
      state(found.db),
      refusal(() => found.db.decideApproval('nowhere', once, 9)),
    ]).toEqual(['running', first, { turn: 'running', approvals: ['decided'], pending: null, sound: [] }, 'not-found']);
  });

  it('is decided together with the mode: both survive a power cut, and a later decision changes neither', async () => {
    callingTurn();
    world.db.requestApproval(anApproval('ap'));
    const chooses = (mode: 'auto' | 'plan'): ApprovalDecision => ({ kind: 'allow', scope: 'once', mode });
    world.db.decideApproval('ap', chooses('auto'), 7);
    world.db.decideApproval('ap', chooses('plan'), 8);
    const { db } = await world.reopened();
    const { state: stored } = db.approvalsOf('t1')[0] ?? { state: null };
    expect([stored, db.sessionMode('s1')]).toEqual([
      { kind: 'decided', decision: chooses('auto'), decidedAt: 7 },
      'auto',
    ]);
  });

  it('sets the mode of the session that it is told, and keeps the edits behind it', async () => {
    callingTurn();
    world.db.createSession({ id: 's2', startedAt: 2 });
    const access = { kind: 'edit' as const, paths: [{ path: '/w/a.ts', shown: 'a.ts', isInside: true }] };
    const edit = { callId: 'c2', tool: 'edit_file', access, subject: 'a.ts', preview: '+a' };
    world.db.requestApproval({
      ...anApproval('ap'),
      request: { ...anApproval('ap').request, access, together: [edit] },
    });
    world.db.decideApproval('ap', { kind: 'allow', scope: 'once', mode: 'auto', together: true }, 7, 's2');
    const { db } = await world.reopened();
    expect([db.approval('ap')?.request.together, db.sessionMode('s1'), db.sessionMode('s2')]).toEqual([
      [edit],
      null,
      'auto',
    ]);
  });

  it('expires with its turn: the call and the ones after it are marked as not run', () => {
    callingTurn();
    world.db.requestApproval(anApproval('ap'));
    settle(world.db, 't1', stopped);
    const late = world.db.decideApproval('ap', once, 9);
    expect([state(), late.turn.state, lines(world.db).filter((line) => line.startsWith('tool'))]).toEqual([
      { turn: 'settled', approvals: ['expired'], pending: null, sound: [] },
      'settled',
      [
        'tool: c1=cancelled:(Cancelled: this call was not run.)',
        'tool: c2=cancelled:(Cancelled: this call was not run.)',
      ],
    ]);
  });

  it('was allowed, and the power failed before a result: the call may have run, and so may the one after it', async () => {
    callingTurn();
    world.db.requestApproval(anApproval('ap'));
    world.db.decideApproval('ap', once, 7);
    const { db } = await world.reopened();
    const [recovered] = db.recoverTurns();
    expect([
      db.approvalsOf('t1').map((approval) => approval.state.kind),
      recovered?.turn.stopReason,
      recovered?.messages.flatMap((row) => (row.role === 'tool' ? [row.parts[0].outcome] : [])),
    ]).toEqual([['decided'], 'crash', ['interrupted', 'interrupted']]);
  });
});

describe('permissions given for a session', () => {
  it('apply to its whole conversation, in the order of the decisions, and not to a branch', () => {
    world.db.createSession({ id: 's1', startedAt: 1 });
    answered(world.db, 't0', 'earlier');
    openTurn(world.db, { turnUid: 't1' });
    world.db.putMessages([answer('m1', [call('c1'), call('c2')], 't1')]);
    const decide = (id: string, callId: string, decision: ApprovalDecision, at: number): void => {
      world.db.requestApproval(anApproval(id, { callId }));
      world.db.decideApproval(id, decision, at);
    };
    decide('a1', 'c1', { kind: 'allow', scope: 'session', rules: ['run(npm test)', 'edit(src/**)'] }, 5);
    decide('a2', 'c2', { kind: 'allow', scope: 'workspace', rules: ['run(git push)'] }, 6);
    world.db.putMessages([result('r1', 'c1', 'x', 't1'), result('r2', 'c2', 'x', 't1'), answer('m2', 'Done.', 't1')]);
    settle(world.db, 't1');
    world.db.compressSession({ parentId: 's1', childId: 's2', handoff: 'Before.', summarisedUpTo: 'm2', now: 20 });
    world.db.branchSession({ sessionId: 's2', upTo: null, childId: 'b1', now: 21 });
    expect([world.db.sessionRules('s2'), world.db.sessionRules('b1'), world.db.verifyIntegrity()]).toEqual([
      ['run(npm test)', 'edit(src/**)'],
      [],
      [],
    ]);
  });
});

describe('the mode, the effort and the custom agent of a session', () => {
  it('belong to its conversation: compression carries them over; a branch begins without them but keeps what memory found', () => {
    const { db } = world;
    db.createSession({ id: 's1', startedAt: 1 });
    answered(db, 't1', 'one');
    const of = (id: string) => [db.sessionMode(id), db.sessionEffort(id), db.getSession(id)?.agent ?? null];
    const found = [{ provider: 'builtin', label: 'Memory', count: 3 }];
    const unset = of('s1');
    db.setApiContent('u-t1', 'one (recalled)', { turnUid: 't1', found });
    db.setSessionMode('s1', 'plan');
    db.setSessionEffort('s1', 'high');
    db.setSessionAgent('s1', 'looker');
    db.branchSession({ sessionId: 's1', upTo: null, childId: 'b1', now: 19 });
    db.compressSession({ parentId: 's1', childId: 's2', handoff: 'Before.', summarisedUpTo: 'a-t1', now: 20 });
    const taken = [of('s2'), of('b1')];
    db.setSessionMode('s1', null);
    db.setSessionEffort('s1', null);
    db.setSessionAgent('s1', null);
    expect([unset, taken, of('s2'), db.getTurn('b1/t1')?.recalled]).toEqual([
      [null, null, null],
      [
        ['plan', 'high', 'looker'],
        [null, null, null],
      ],
      [null, null, null],
      found,
    ]);
  });
});
