import { beforeEach, describe, expect, it } from 'vitest';
import {
  answer,
  answered,
  append,
  chunk,
  complete,
  openTurn,
  refusal,
  runningTurn,
  sessionDbWorld,
  settle,
  stopped,
  type SessionDbWorld,
} from '../../support/sessionDbWorld';
import type { SessionQuery } from '../../../src/store/requests';

let world: SessionDbWorld;
beforeEach(async () => {
  world = await sessionDbWorld();
});

function finishedTurn(sessionId: string, startedAt: number, text: string): void {
  world.db.createSession({ id: sessionId, startedAt });
  answered(world.db, `t-${sessionId}`, 'Yes', { sessionId, asked: text, at: startedAt });
}

describe('sessions', () => {
  it('are created once, however often the call is repeated', () => {
    const input = {
      id: 's1',
      startedAt: 5,
      model: 'Local/a',
      folder: '/here',
      title: ' My\ttitle ',
      titleSource: 'person',
    } as const;
    const first = world.db.createSession(input);
    expect({
      first,
      second: world.db.createSession(input),
      otherOne: refusal(() => world.db.createSession({ id: 's1', startedAt: 6 })),
    }).toEqual({
      first: {
        id: 's1',
        title: 'My title',
        titleSource: 'person',
        parentSessionId: null,
        parentKind: null,
        conversationId: 's1',
        model: 'Local/a',
        folder: '/here',
        startedAt: 5,
        lastActiveAt: 5,
        endedAt: null,
        endReason: null,
        pinned: false,
        archived: false,
        trashedAt: null,
        private: false,
      },
      second: first,
      otherOne: 'invalid',
    });
  });

  it('have a conversation: a continuation shares it, a branch and a delegate have their own', () => {
    world.db.createSession({ id: 's1', startedAt: 1 });
    const child = (id: string, parentSessionId: string, parentKind: 'compression' | 'branch' | 'delegate') =>
      world.db.createSession({ id, startedAt: 2, parentSessionId, parentKind }).conversationId;
    expect({
      second: child('s2', 's1', 'compression'),
      third: child('s3', 's2', 'compression'),
      branch: child('b1', 's3', 'branch'),
      delegate: child('d1', 's3', 'delegate'),
      tips: ['s1', 's2', 's3', 'b1'].map((id) => world.db.conversationTip(id)),
      secondContinuation: refusal(() => child('x', 's1', 'compression')),
      unknownParent: refusal(() => child('x', 'none', 'branch')),
      parentWithoutKind: refusal(() => world.db.createSession({ id: 'x', startedAt: 1, parentSessionId: 's1' })),
      unknownTip: refusal(() => world.db.conversationTip('none')),
    }).toEqual({
      second: 's1',
      third: 's1',
      branch: 'b1',
      delegate: 'd1',
      tips: ['s3', 's3', 's3', 'b1'],
      secondContinuation: 'invalid',
      unknownParent: 'not-found',
      parentWithoutKind: 'invalid',
      unknownTip: 'not-found',
    });
  });
});

describe('titles', () => {
  it('are replaced only by equal or higher authority', () => {
    runningTurn(world.db, { text: 'derived one' });
    const steps = [
      world.db.setTitle('s1', 'from model', 'model'),
      world.db.setTitle('s1', 'derived again', 'derived'),
      world.db.setTitle('s1', 'mine', 'person'),
      world.db.setTitle('s1', 'model again', 'model'),
      world.db.setTitle('s1', 'mine too', 'person'),
    ];
    expect([steps, world.db.getSession('s1')?.title]).toEqual([[true, false, true, false, true], 'mine too']);
  });

  it('are cleaned, and refused when they are empty or too long', () => {
    world.db.createSession({ id: 's1', startedAt: 1 });
    world.db.setTitle('s1', ' a\u202e\u200b\u0007  b\n👨‍👩‍👧 ', 'person');
    expect([
      world.db.getSession('s1')?.title,
      refusal(() => world.db.setTitle('s1', '\u200b \n', 'person')),
      refusal(() => world.db.setTitle('s1', 'x'.repeat(201), 'person')),
      refusal(() => world.db.setTitle('none', 'x', 'person')),
    ]).toEqual(['a b 👨‍👩‍👧', 'invalid', 'invalid', 'not-found']);
  });

  it('derived from a long prompt end at a word, in its first meaningful line', () => {
    runningTurn(world.db, { text: `\n${'explain '.repeat(20)}\nsecond line` });
    const title = world.db.getSession('s1')?.title ?? '';
    expect([title, title.length <= 60]).toEqual([`${'explain '.repeat(7).trimEnd()}…`, true]);
  });
});

describe('the list of sessions', () => {
  it('shows each conversation once, newest activity first, with counts, preview and last turn', () => {
    finishedTurn('old', 10, 'First question');
    finishedTurn('new', 30, 'Second question');
    world.db.createSession({ id: 'empty', startedAt: 90 });
    world.db.createSession({ id: 'delegate', startedAt: 91, parentSessionId: 'new', parentKind: 'delegate' });
    world.db.createSession({ id: 'old-2', startedAt: 50, parentSessionId: 'old', parentKind: 'compression' });
    world.db.putMessages([answer('x', 'handoff', 't-old', 'old-2')]);
    world.db.enqueue({ uid: 'q', sessionId: 'old', text: 'later', createdAt: 1 });
    const shown = (query = {}) =>
      world.db
        .listSessions({ limit: 10, ...query })
        .map(({ id, title, preview, turnCount, messageCount, lastTurn, queuedCount }) => [
          id,
          title,
          preview,
          turnCount,
          messageCount,
          lastTurn?.state ?? null,
          queuedCount,
        ]);
    expect({
      all: shown(),
      withEmpty: shown({ includeEmpty: true }).map(([id]) => id),
      second: shown({ limit: 1, offset: 1 }).map(([id]) => id),
      text: shown({ text: 'QUESTION first' }).map(([id]) => id),
      percent: shown({ text: '%' }),
      archived: shown({ state: 'archived' }),
    }).toEqual({
      all: [
        ['old-2', 'First question', 'First question', 1, 3, 'complete', 1],
        ['new', 'Second question', 'Second question', 1, 2, 'complete', 0],
      ],
      withEmpty: ['empty', 'old-2', 'new'],
      second: ['new'],
      text: ['old-2'],
      percent: [],
      archived: [],
    });
  });

  it('can be limited to pinned sessions, to the others, or to those named by any of their segments', () => {
    finishedTurn('one', 10, 'First question');
    finishedTurn('two', 20, 'Second question');
    finishedTurn('three', 30, 'Third question');
    world.db.createSession({ id: 'one-2', startedAt: 50, parentSessionId: 'one', parentKind: 'compression' });
    world.db.putMessages([answer('x', 'handoff', 't-one', 'one-2')]);
    world.db.setPinned('one-2', true);
    const ids = (query: Partial<SessionQuery>) => world.db.listSessions({ limit: 10, ...query }).map(({ id }) => id);
    expect([
      ids({ pinned: true }),
      ids({ pinned: false }),
      ids({ sessionIds: ['one', 'two', 'unknown'] }),
      ids({ sessionIds: [] }),
      ids({ sessionIds: ['one', 'two'], pinned: false, text: 'question' }),
    ]).toEqual([['one-2'], ['three', 'two'], ['one-2', 'two'], [], ['two']]);
  });

  it('continues page by page after the last entry, also among equal times and when that entry is gone by then', () => {
    for (const [id, startedAt] of [
      ['a', 10],
      ['b', 20],
      ['c', 20],
      ['d', 20],
      ['e', 30],
    ] as const)
      finishedTurn(id, startedAt, 'Question');
    const pages: string[][] = [];
    for (
      let behind: SessionQuery['after'], page;
      (page = world.db.listSessions({ limit: 2, ...(behind === undefined ? {} : { after: behind }) })).length > 0;
      behind = page.at(-1)
    )
      pages.push(page.map(({ id }) => id));
    const last = world.db.listSessions({ limit: 2 })[1];
    world.db.forgetSession('b');
    expect([
      pages,
      last?.id,
      world.db.listSessions({ limit: 9, ...(last === undefined ? {} : { after: last }) }).map(({ id }) => id),
    ]).toEqual([[['e', 'b'], ['c', 'd'], ['a']], 'b', ['c', 'd', 'a']]);
  });

  it('leaves private sessions out on request', () => {
    finishedTurn('open', 10, 'Question');
    world.db.createSession({ id: 'closed', startedAt: 20, private: true });
    world.db.createSession({ id: 'branch', startedAt: 30, parentSessionId: 'closed', parentKind: 'branch' });
    const ids = (query: Partial<SessionQuery>) =>
      world.db.listSessions({ limit: 9, includeEmpty: true, ...query }).map(({ id }) => id);
    expect([ids({ withoutPrivate: true }), ids({})]).toEqual([['open'], ['branch', 'closed', 'open']]);
  });
});

describe('a page of the transcript', () => {
  beforeEach(() => {
    runningTurn(world.db);
    settle(world.db, 't1', stopped);
    openTurn(world.db, { turnUid: 't2' });
    settle(world.db, 't2', complete, [answer('a2', 'two', 't2')]);
    openTurn(world.db, { turnUid: 't3' });
    append(world.db, 't3', chunk('a3', 1, 0, 'thr'));
  });
  const page = (query: object) => {
    const { messages, turns, hasEarlier, later, total } = world.db.readTranscript({
      sessionId: 's1',
      limit: 2,
      ...query,
    });
    return {
      uids: messages.map((message) => message.uid),
      turns: turns.map((turn) => turn.uid),
      hasEarlier,
      later,
      total,
    };
  };

  it('goes back from the newest message and forward from a known one', () => {
    const positions = world.db
      .readTranscript({ sessionId: 's1', limit: 10 })
      .messages.map((message) => message.position);
    expect({
      newest: page({}),
      before: page({ before: positions[3] }),
      first: page({ before: positions[1] }),
      after: page({ after: positions[1] }),
      hidden: page({ limit: 10, includeHidden: true }),
    }).toEqual({
      newest: { uids: ['u-t3', 'a3'], turns: ['t3'], hasEarlier: true, later: 0, total: 5 },
      before: { uids: ['u-t2', 'a2'], turns: ['t2'], hasEarlier: true, later: 2, total: 5 },
      first: { uids: ['u-t1'], turns: ['t1'], hasEarlier: false, later: 4, total: 5 },
      after: { uids: ['a2', 'u-t3'], turns: ['t2', 't3'], hasEarlier: true, later: 1, total: 5 },
      hidden: {
        uids: ['u-t1', 't1/closing', 'u-t2', 'a2', 'u-t3', 'a3'],
        turns: ['t1', 't2', 't3'],
        hasEarlier: false,
        later: 0,
        total: 6,
      },
    });
  });

  it('refuses an unknown session and an empty page', () => {
    expect([
      refusal(() => page({ sessionId: 'none' })),
      refusal(() => page({ limit: 0 })),
      refusal(() => world.db.activeMessages('none')),
      world.db.getMessage('none'),
      world.db.getTurn('none'),
      world.db.openTurnOf('none'),
    ]).toEqual(['not-found', 'invalid', 'not-found', null, null, null]);
  });
});

describe('queue and drafts', () => {
  beforeEach(() => {
    world.db.createSession({ id: 's1', startedAt: 1 });
    for (const uid of ['q1', 'q2', 'q3'])
      world.db.enqueue({ uid, sessionId: 's1', text: `prompt ${uid}`, createdAt: 5 });
  });
  const uids = (prompts: readonly { readonly uid: string }[]) => prompts.map((queued) => queued.uid);

  it('keeps its order through promoting, editing, removing and reopening', async () => {
    const promoted = uids(world.db.promoteQueued('q3'));
    const repeated = uids(world.db.enqueue({ uid: 'q1', sessionId: 's1', text: 'again', createdAt: 6 }));
    world.db.editQueued('q1', 'changed');
    world.db.removeQueued('q2');
    const again = await world.reopened();
    expect({
      promoted,
      repeated,
      now: again.db.queue('s1'),
      one: again.db.queuedPrompt('q1')?.text,
      gone: again.db.queuedPrompt('q2'),
    }).toEqual({
      promoted: ['q3', 'q1', 'q2'],
      repeated: ['q3', 'q1', 'q2'],
      now: [
        { uid: 'q3', sessionId: 's1', text: 'prompt q3', createdAt: 5 },
        { uid: 'q1', sessionId: 's1', text: 'changed', createdAt: 5 },
      ],
      one: 'changed',
      gone: null,
    });
  });

  it('refuses unknown and empty prompts', () => {
    expect([
      refusal(() => world.db.editQueued('none', 'x')),
      refusal(() => world.db.removeQueued('none')),
      refusal(() => world.db.promoteQueued('none')),
      refusal(() => world.db.queue('none')),
      refusal(() => world.db.editQueued('q1', '')),
      refusal(() => world.db.enqueue({ uid: 'q', sessionId: 'none', text: 'x', createdAt: 1 })),
    ]).toEqual(['not-found', 'not-found', 'not-found', 'not-found', 'invalid', 'not-found']);
  });
});

describe('maintenance', () => {
  it.each([
    ["INSERT INTO stream_chunks VALUES ('a1', 1, 0, 'text', 0, 'x', 0)", 'unfoldedText', 'a1'],
    ["UPDATE messages SET parts = '{' WHERE uid = 'a1'", 'damagedRow', 'a1'],
    ['UPDATE sessions SET message_count = 9', 'wrongCount', null],
    ["UPDATE sessions SET conversation_id = 'gone'", 'danglingParent', null],
    ['UPDATE messages SET tool_calls = \'[{"id":"c9"}]\' WHERE uid = \'a1\'', 'unansweredCall', 'a1'],
    ["UPDATE messages SET active = 0 WHERE uid = 'a1'", 'endsWithResult', 't1'],
    ["UPDATE messages SET state = 'streaming' WHERE uid = 'a1'", 'unfoldedText', 'a1'],
    ["UPDATE messages SET turn_uid = 'gone' WHERE uid = 'a1'", 'brokenLink', 'a1'],
    ["UPDATE messages SET absorbed_into = 'gone' WHERE uid = 'a1'", 'brokenLink', 'a1'],
  ])('finds damage: %s', (damage, id, row) => {
    runningTurn(world.db);
    settle(world.db, 't1', complete, [answer('a1', 'one', 't1')]);
    const before = world.db.verifyIntegrity();
    world.database.run(damage);
    expect([before, world.db.verifyIntegrity()]).toEqual([
      [],
      expect.arrayContaining([expect.objectContaining({ id, row })]),
    ]);
  });
});
