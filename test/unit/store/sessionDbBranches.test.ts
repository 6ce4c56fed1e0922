import { unknownUsage } from '../../../src/transcript/usage';
import { describe, expect, it } from 'vitest';
import type { SimulatedDisk } from '../../support/simulatedDisk';
import {
  activeUids,
  afterEveryFailure,
  answer,
  answered,
  append,
  call,
  chunk,
  complete,
  lines,
  openTurn,
  refusal,
  result,
  sentence,
  sessionDbWorld,
  settle,
  type SessionDbWorld,
} from '../../support/sessionDbWorld';

/** Three answered turns; the second one looked something up. */
async function three(disk?: SimulatedDisk): Promise<SessionDbWorld> {
  const world = await sessionDbWorld(disk);
  world.db.createSession({ id: 's1', startedAt: 1, model: 'Local/a', folder: '/work', private: true });
  answered(world.db, 't1', 'one');
  openTurn(world.db, { turnUid: 't2', text: 'two?' });
  world.db.putMessages([
    answer('c2', [call('k'), call('l')], 't2'),
    result('r2', 'k', 'found', 't2'),
    result('q2', 'l', 'found too', 't2'),
  ]);
  settle(world.db, 't2', complete, [answer('a-t2', 'two', 't2')]);
  answered(world.db, 't3', 'three');
  return world;
}

const branch = ({ db }: SessionDbWorld, upTo: string | null, input: { sessionId?: string; childId?: string } = {}) =>
  db.branchSession({ sessionId: 's1', upTo, childId: 'b1', now: 60, ...input });
const own = (world: SessionDbWorld, sessionId = 'b1') =>
  activeUids(world.db, sessionId).map((uid) => uid.replace(`${sessionId}/`, ''));

describe('a branch', () => {
  it('of everything is a separate conversation with copies of rows and turns; the original stays unchanged', async () => {
    const world = await three();
    const before = { lines: lines(world.db), session: world.db.getSession('s1') };
    const { session, copied, draft } = branch(world, null);
    const page = world.db.readTranscript({ sessionId: 'b1', limit: 50 });
    expect({
      session,
      copied,
      draft,
      rows: own(world),
      lines: lines(world.db, 'b1'),
      turns: page.turns.map(({ uid, sessionId, userMessageUid, state }) => [uid, sessionId, userMessageUid, state]),
      original: { lines: lines(world.db), session: world.db.getSession('s1') },
      problems: world.db.verifyIntegrity(),
    }).toEqual({
      session: {
        id: 'b1',
        title: 'one? #2',
        titleSource: 'derived',
        parentSessionId: 's1',
        parentKind: 'branch',
        conversationId: 'b1',
        model: 'Local/a',
        folder: '/work',
        startedAt: 60,
        lastActiveAt: 60,
        endedAt: null,
        endReason: null,
        pinned: false,
        archived: false,
        trashedAt: null,
        private: true,
      },
      copied: 9,
      draft: null,
      rows: ['u-t1', 'a-t1', 'u-t2', 'c2', 'r2', 'q2', 'a-t2', 'u-t3', 'a-t3'],
      lines: before.lines,
      turns: [
        ['b1/t1', 'b1', 'b1/u-t1', 'settled'],
        ['b1/t2', 'b1', 'b1/u-t2', 'settled'],
        ['b1/t3', 'b1', 'b1/u-t3', 'settled'],
      ],
      original: before,
      problems: [],
    });
  });

  it('from any message includes the answer with its whole group, and returns a prompt as a draft', async () => {
    const world = await three();
    const from = (upTo: string) => {
      const childId = `from-${upTo}`;
      const { copied, draft } = branch(world, upTo, { childId });
      return [copied, draft, own(world, childId).at(-1) ?? null];
    };
    expect({
      call: from('c2'),
      firstResult: from('r2'),
      lastResult: from('q2'),
      answer: from('a-t2'),
      lastAnswer: from('a-t3'),
      prompt: from('u-t2'),
      firstPrompt: from('u-t1'),
      problems: world.db.verifyIntegrity(),
    }).toEqual({
      call: [6, null, 't2/closing'],
      firstResult: [6, null, 't2/closing'],
      lastResult: [6, null, 't2/closing'],
      answer: [7, null, 'a-t2'],
      lastAnswer: [9, null, 'a-t3'],
      prompt: [2, 'two?', 'a-t1'],
      firstPrompt: [0, 'one?', null],
      problems: [],
    });
  });

  it('that cuts a turn off says so, and does not count the cost of the rest', async () => {
    const world = await three();
    world.db.addUsage('t1', { ...unknownUsage, inputTokens: 5, outputTokens: 6 });
    world.db.addUsage('t2', { ...unknownUsage, inputTokens: 7, outputTokens: 8 });
    branch(world, 'c2');
    expect([world.db.getTurn('b1/t1'), world.db.getTurn('b1/t2'), world.db.getTurn('t2')]).toMatchObject([
      { outcome: 'complete', stopReason: 'stop', settledAt: 9, usage: { inputTokens: 5 } },
      { outcome: 'interrupted', stopReason: 'user', settledAt: 60, usage: null },
      { outcome: 'complete', usage: { inputTokens: 7 } },
    ]);
  });

  it('leaves out what is hidden, and what an open turn has written', async () => {
    const world = await three();
    answered(world.db, 't4', 'three again', { replaces: { turnUid: 't3', reason: 'retried' } });
    openTurn(world.db, { turnUid: 't5', text: 'five?' });
    append(world.db, 't5', chunk('a5', 1, 0, 'fi'));
    const busy = refusal(() => branch(world, 'a5'));
    branch(world, null);
    expect({
      busy,
      hidden: refusal(() => branch(world, 'a-t3', { childId: 'b2' })),
      rows: own(world).slice(-3),
      versions: world.db.promptVersions('b1'),
    }).toEqual({
      busy: 'conversation-busy',
      hidden: 'invalid',
      rows: ['a-t2', 'u-t4', 'a-t4'],
      versions: [],
    });
  });

  it('is refused, with a sentence, where there is nothing to branch from', async () => {
    const world = await sessionDbWorld();
    world.db.createSession({ id: 's1', startedAt: 1 });
    const empty = sentence(() => branch(world, null));
    openTurn(world.db, { turnUid: 't1', text: 'one?' });
    const unanswered = sentence(() => branch(world, null));
    settle(world.db, 't1', complete, [answer('a-t1', 'one', 't1')]);
    world.db.trashSession('s1', 5);
    expect({
      empty,
      unanswered,
      unknown: refusal(() => branch(world, null, { sessionId: 'none' })),
      trashed: sentence(() => branch(world, null)),
      sessions: world.db.statistics().sessions,
    }).toEqual({
      empty: 'This session has no answer yet to branch from.',
      unanswered: 'This session has no answer yet to branch from.',
      unknown: 'not-found',
      trashed: 'This session is in the trash. Restore it before you branch from it.',
      sessions: 1,
    });
  });

  it('requested twice happens once', async () => {
    const world = await three();
    const first = branch(world, 'u-t3');
    expect({ again: branch(world, 'u-t3'), taken: refusal(() => branch(world, null, { childId: 's1' })) }).toEqual({
      again: first,
      taken: 'invalid',
    });
  });

  it('of a compressed conversation begins with the handoff, or uses the earlier segment when that is named', async () => {
    const world = await three();
    world.db.compressSession({
      parentId: 's1',
      childId: 's2',
      handoff: 'One and two.',
      summarisedUpTo: 'a-t2',
      now: 50,
    });
    answered(world.db, 't4', 'four', { sessionId: 's2' });
    branch(world, null, { sessionId: 's2' });
    branch(world, 'a-t3', { sessionId: 's2', childId: 'carried' });
    branch(world, 'a-t2', { sessionId: 's2', childId: 'early' });
    expect({
      tip: own(world),
      carried: own(world, 'carried'),
      early: own(world, 'early'),
      parents: ['b1', 'early'].map((id) => world.db.getSession(id)?.parentSessionId),
      shown: world.db
        .readTranscript({ sessionId: 'b1', limit: 9 })
        .messages.map(({ uid, visibility }) => [uid, visibility.kind]),
      prompt: world.db.getTurn('b1/t3')?.userMessageUid,
      problems: world.db.verifyIntegrity(),
    }).toEqual({
      tip: ['handoff', 's2/u-t3', 's2/a-t3', 'u-t4', 'a-t4'],
      carried: ['handoff', 's2/u-t3', 's2/a-t3'],
      early: ['u-t1', 'a-t1', 'u-t2', 'c2', 'r2', 'q2', 'a-t2'],
      parents: ['s2', 's1'],
      shown: [
        ['b1/handoff', 'handoff'],
        ['b1/s2/u-t3', 'shown'],
        ['b1/s2/a-t3', 'shown'],
        ['b1/u-t4', 'shown'],
        ['b1/a-t4', 'shown'],
      ],
      prompt: 'b1/s2/u-t3',
      problems: [],
    });
  });

  it('B98 exists completely or not at all when the power fails, at every write of it', async () => {
    const outcomes = await afterEveryFailure(
      three,
      (world) => branch(world, 'c2'),
      ({ db }) => {
        const rows = db.getSession('b1') === null ? 'none' : activeUids(db, 'b1').length;
        return `${rows} ${db.statistics().messages} ${db.getTurn('b1/t2')?.state ?? '-'}`;
      },
    );
    expect(outcomes).toEqual(['7 16 settled', 'none 9 -']);
  });

  it('B90 stays in the list when its origin is opened again and ended', async () => {
    const world = await three();
    branch(world, 'a-t1');
    answered(world.db, 't9', 'four');
    world.db.endSession('s1', 'closed');
    expect(world.db.listSessions({ limit: 9 }).map(({ id, branchOf }) => [id, branchOf?.sessionId ?? null])).toEqual([
      ['b1', 's1'],
      ['s1', null],
    ]);
  });
});

describe('titles in a tree of branches', () => {
  it('get the next free number; a number that the user wrote stays', async () => {
    const world = await three();
    world.db.setTitle('s1', 'Issue #12', 'person');
    const sessions = [
      branch(world, null),
      branch(world, null, { childId: 'b2' }),
      branch(world, null, { sessionId: 'b2', childId: 'b3' }),
    ].map(({ session }) => session);
    expect(sessions.map(({ title, titleSource }) => [title, titleSource])).toEqual([
      ['Issue #12 #2', 'person'],
      ['Issue #12 #3', 'person'],
      ['Issue #12 #4', 'person'],
    ]);
  });

  it('are refused when another session has it, whatever its case; automatic titles get a number', async () => {
    const world = await three();
    branch(world, null);
    world.db.createSession({ id: 'apart', startedAt: 3 });
    world.db.setTitle('s1', 'Retries', 'person');
    const automatic = world.db.setTitle('b1', 'Retries', 'model');
    expect({
      taken: sentence(() => world.db.setTitle('b1', 'RETRIES', 'person')),
      automatic,
      title: world.db.getSession('b1')?.title,
      own: world.db.setTitle('s1', 'Retries', 'person'),
      apart: world.db.setTitle('apart', 'Retries', 'person'),
    }).toEqual({
      taken: 'Another branch of this session is called “RETRIES” already. Choose another title.',
      automatic: true,
      title: 'Retries #2',
      own: true,
      apart: true,
    });
  });
});

describe('the tree of branches', () => {
  it('names every conversation from the root down, with the message it was branched from', async () => {
    const world = await three();
    branch(world, 'a-t1');
    branch(world, 'u-t2', { childId: 'b2' });
    branch(world, 'b1/a-t1', { sessionId: 'b1', childId: 'b3' });
    world.db.compressSession({ parentId: 's1', childId: 's2', handoff: 'One.', summarisedUpTo: 'a-t1', now: 50 });
    const tree = ['s1', 's2', 'b3'].map((id) => world.db.branchesOf(id));
    expect({
      same: tree.map((each) => each.length),
      tree: tree[2]?.map((one) => [
        one.conversationId,
        one.tipId,
        one.title,
        one.parentConversationId,
        one.branchedFrom,
        one.turnCount,
      ]),
    }).toEqual({
      same: [4, 4, 4],
      tree: [
        ['s1', 's2', 'one?', null, null, 3],
        ['b1', 'b1', 'one? #2', 's1', 'a-t1', 1],
        ['b3', 'b3', 'one? #4', 'b1', 'b1/a-t1', 1],
        ['b2', 'b2', 'one? #3', 's1', 'u-t2', 1],
      ],
    });
  });
});
