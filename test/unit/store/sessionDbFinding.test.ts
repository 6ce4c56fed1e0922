import { describe, expect, it } from 'vitest';
import { answered, outboxEntry, sessionDbWorld, type SessionDbWorld } from '../../support/sessionDbWorld';

async function sessions(...ids: readonly string[]): Promise<SessionDbWorld> {
  const world = await sessionDbWorld();
  for (const [index, id] of ids.entries()) {
    world.db.createSession({ id, startedAt: index });
    answered(world.db, `t-${id}`, id, { sessionId: id });
  }
  return world;
}

describe('a session named by the user', () => {
  it('is found by its id, by the beginning of one, and by its title whatever the case', async () => {
    const world = await sessions('20260101_aa', '20260102_bb', '20260103_cc');
    world.db.setTitle('20260101_aa', 'Über Parser', 'person');
    world.db.setTitle('20260102_bb', '20260103', 'person');
    world.db.setTitle('20260103_cc', 'über parser', 'person');
    world.db.compressSession({
      parentId: '20260101_aa',
      childId: '20260104_dd',
      handoff: 'One.',
      summarisedUpTo: 'a-t-20260101_aa',
      now: 50,
    });
    const found = (text: string) => {
      const result = world.db.findSession(text);
      return result.kind === 'one'
        ? result.sessionId
        : result.kind === 'several'
          ? result.sessions.map(({ id }) => id).sort()
          : 'none';
    };
    expect({
      id: found(' 20260102_bb '),
      segment: found('20260101_aa'),
      beginning: found('20260101'),
      idBeforeTitle: found('20260103'),
      several: found('2026010'),
      title: found('ÜBER PARSER'),
      none: found('nothing'),
      empty: found(' '),
    }).toEqual({
      id: '20260102_bb',
      segment: '20260104_dd',
      beginning: '20260104_dd',
      idBeforeTitle: '20260103_cc',
      several: ['20260102_bb', '20260103_cc', '20260104_dd'],
      title: ['20260103_cc', '20260104_dd'],
      none: 'none',
      empty: 'none',
    });
  });

  it('B155 without rows resolves to the one that continued it', async () => {
    const world = await sessions('other');
    const { db } = world;
    for (const [id, parentSessionId, parentKind] of [
      ['e1', null, null],
      ['e2', 'e1', 'compression'],
      ['e3', 'e2', 'branch'],
      ['f1', null, null],
      ['f2', 'f1', 'branch'],
      ['f3', 'f1', 'branch'],
      ['g1', null, null],
      ['g2', 'g1', 'delegate'],
    ] as const)
      db.createSession({ id, startedAt: 3, parentSessionId, parentKind });
    for (const id of ['e3', 'f2', 'f3', 'g2']) answered(db, `t-${id}`, id, { sessionId: id });
    expect(['e1', 'e2', 'f1', 'g1', 'g2'].map((id) => db.resolveSessionId(id))).toEqual(['e3', 'e3', 'f1', 'g1', 'g2']);
  });
});

describe('the list', () => {
  it('marks a damaged row as damaged and continues', async () => {
    const world = await sessions('s1', 's2');
    world.database.run("UPDATE sessions SET started_at = 'soon', title = x'00' WHERE id = 's1'");
    world.database.run("UPDATE sessions SET last_activity_at = 'late' WHERE id = 's2'");
    world.database.run("UPDATE messages SET parts = '{half' WHERE uid = 'a-t-s1'");
    expect({
      list: world.db
        .listSessions({ limit: 9 })
        .map(({ id, problem }) => [id, problem])
        .sort(),
      messages: world.db
        .readTranscript({ sessionId: 's1', limit: 9 })
        .messages.map(({ parts: [part] }) => part?.kind === 'text' && part.text),
    }).toEqual({
      list: [
        ['s1', 'This session couldn’t be fully read from the file. Its messages are kept.'],
        ['s2', 'This session couldn’t be fully read from the file. Its messages are kept.'],
      ],
      messages: ['s1?', 'This message couldn’t be read from the file. Its raw row is kept.\n\ns1'],
    });
  });
});

describe('search over sessions', () => {
  it('finds a copy in a branch as its original, unless the branch is requested or the original cannot be opened', async () => {
    const world = await sessions('s1');
    for (const childId of ['b1', 'b2']) world.db.branchSession({ sessionId: 's1', upTo: null, childId, now: 60 });
    answered(world.db, 't9', 'own needle', { sessionId: 'b1' });
    const found = (query: { sessionId?: string; sessionIds?: readonly string[] } = {}) =>
      world.db
        .search({ text: 's1', limit: 9, ...query })
        .map(({ messageUid, conversationId }) => `${messageUid} ${conversationId}`);
    const all = found();
    const named = [found({ sessionId: 'b1' }), found({ sessionIds: ['b1', 'b2'] }).length, found({ sessionIds: [] })];
    world.db.rewindSession({ sessionId: 's1', to: 'u-t-s1', now: 61 });
    const rewound = found();
    world.db.trashSession('b1', 62);
    expect({ all, named, rewound, trashed: found() }).toEqual({
      all: ['a-t-s1 s1', 'u-t-s1 s1'],
      named: [['b1/a-t-s1 b1', 'b1/u-t-s1 b1'], 4, []],
      rewound: ['b1/a-t-s1 b1', 'b1/u-t-s1 b1'],
      trashed: ['b2/a-t-s1 b2', 'b2/u-t-s1 b2'],
    });
  });

  it('continues page by page, by words and by scanning', async () => {
    const world = await sessions(...Array.from({ length: 7 }, (_, index) => `needle${index}`));
    world.db.indexBatch(5);
    const pages = (kind: 'words' | 'substring', text: string) =>
      [0, 5, 10, 15].map((offset) =>
        world.db.search({ text, kind, limit: 5, offset }).map(({ messageUid }) => messageUid),
      );
    const words = pages('words', 'needle');
    expect({
      lengths: words.map((page) => page.length),
      unique: new Set(words.flat()).size,
      scanned: pages('substring', 'eedle'),
      same: pages('substring', 'needle'),
    }).toEqual({
      lengths: [5, 5, 4, 0],
      unique: 14,
      scanned: words,
      same: words,
    });
  });

  it('by words does not scan for what the index lacks; text inside words is found on request', async () => {
    const world = await sessions('needle');
    world.db.indexBatch(50);
    const count = (kind?: 'words' | 'substring') =>
      world.db.search({ text: 'eedle', limit: 5, ...(kind === undefined ? {} : { kind }) }).length;
    expect([count('words'), count('substring'), count()]).toEqual([0, 2, 2]);
  });
});

describe('the outbox', () => {
  it('returns due entries in the order of adding, each once, and holds those behind a failed one of their session', async () => {
    const world = await sessionDbWorld();
    for (const one of [
      outboxEntry('z', 's1', 10),
      outboxEntry('y', 's2', 10),
      outboxEntry('x', 's1', 10),
      outboxEntry('w', 's2', 99),
      outboxEntry('v', 's2', 10),
      outboxEntry('u', 's1', 10, 'q'),
      outboxEntry('z', 's9', 10),
    ])
      world.db.outboxAdd(one);
    const due = (now: number) => world.db.outboxDue('p', now, 9).map(({ uid }) => uid);
    const early = due(9);
    const first = due(10);
    world.db.outboxFailed('z', 'offline', 50);
    world.db.outboxDone('y');
    world.db.outboxDone('y');
    const behind = due(20);
    const found = await world.reopened();
    expect({
      early,
      first,
      behind,
      later: found.db.outboxDue('p', 50, 1),
      all: found.db.outboxDue('p', 99, 9).map(({ uid }) => uid),
      counts: found.db.outboxCounts(),
      gone: found.db.outboxFailed('y', 'late', 1),
    }).toEqual({
      early: [],
      first: ['z', 'y', 'x'],
      behind: [],
      later: [{ ...outboxEntry('z', 's1', 50), attempts: 1, lastError: 'offline' }],
      all: ['z', 'x', 'w', 'v'],
      counts: [
        { provider: 'p', waiting: 4, failed: 1, oldestAt: 1, lastError: 'offline' },
        { provider: 'q', waiting: 1, failed: 0, oldestAt: 1, lastError: null },
      ],
      gone: undefined,
    });
  });

  it('keeps its order when the file is rewritten', async () => {
    const world = await sessions('gone');
    for (const uid of ['b', 'c', 'a']) world.db.outboxAdd(outboxEntry(uid, 's1', 10));
    world.db.forgetSession('gone');
    world.db.outboxAdd(outboxEntry('0', 's1', 10));
    expect(world.db.outboxDue('p', 10, 9).map(({ uid }) => uid)).toEqual(['b', 'c', 'a', '0']);
  });
});
