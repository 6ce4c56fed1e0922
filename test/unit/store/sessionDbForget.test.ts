import { describe, expect, it } from 'vitest';
import {
  activeUids,
  answer,
  answered,
  complete,
  openTurn,
  refusal,
  runningTurn,
  sentence,
  sessionDbWorld,
  settle,
} from '../../support/sessionDbWorld';
import { leaks, secret, secretive } from './secretiveSession';

describe('forgetting a session', () => {
  it('B180 leaves nothing of it, in no table, no index and no byte of a file', async () => {
    const world = await secretive(undefined, 30);
    const before = leaks(world).length > 0 && world.db.search({ text: secret, limit: 5 }).length === 5;
    const { sessionIds, branches, isComplete } = world.db.forgetSession('s2');
    const tables = [
      'sessions',
      'turns',
      'messages',
      'stream_chunks',
      'message_revisions',
      'queue',
      'drafts',
      'approvals',
      'outbox',
      'search_dirty',
    ];
    const rows = Object.fromEntries(
      tables.map((table) => [table, world.database.get(`SELECT count(*) AS n FROM ${table}`)?.['n']]),
    );
    expect({
      before,
      isComplete,
      sessionIds: [...sessionIds].sort(),
      branches,
      rows,
      leaks: leaks(world),
      hits: world.db.search({ text: secret, limit: 5, kind: 'substring' }),
      meta: [world.db.getMeta('p/cursor/s2'), world.db.getMeta('p/cursor/other')],
      other: [activeUids(world.db, 'other'), world.db.search({ text: 'harmless', limit: 5 }).length],
      problems: world.db.verifyIntegrity(),
    }).toEqual({
      before: true,
      isComplete: true,
      sessionIds: ['helper', 's1', 's2'],
      branches: [],
      rows: {
        sessions: 1,
        turns: 1,
        messages: 2,
        stream_chunks: 0,
        message_revisions: 0,
        queue: 0,
        drafts: 0,
        approvals: 0,
        outbox: 0,
        search_dirty: 0,
      },
      leaks: [],
      hits: [],
      meta: [null, 'kept'],
      other: [['u-to', 'a-to'], 2],
      problems: [],
    });
  });

  it('leaves branches, names them, and finds their content from then on, once', async () => {
    const world = await sessionDbWorld();
    world.db.createSession({ id: 's1', startedAt: 1 });
    answered(world.db, 't1', 'needle');
    for (const childId of ['b1', 'b2']) world.db.branchSession({ sessionId: 's1', upTo: null, childId, now: 60 });
    world.db.branchSession({ sessionId: 'b2', upTo: null, childId: 'b3', now: 61 });
    const hits = () => world.db.search({ text: 'needle', limit: 9 }).map(({ messageUid }) => messageUid);
    const before = hits();
    const { branches } = world.db.forgetSession('s1');
    expect({
      before,
      branches: branches.map(({ sessionId, title }) => [sessionId, title]),
      after: hits(),
      parents: ['b1', 'b3'].map((id) => world.db.getSession(id)?.parentSessionId),
      tree: world.db.branchesOf('b1').length,
      problems: world.db.verifyIntegrity(),
    }).toEqual({
      before: ['a-t1', 'u-t1'],
      branches: [
        ['b1', 'needle? #2'],
        ['b2', 'needle? #3'],
        ['b3', 'needle? #4'],
      ],
      after: ['b1/a-t1', 'b1/u-t1'],
      parents: [null, 'b2'],
      tree: 1,
      problems: [],
    });
  });

  it('and trashing are refused, with a sentence, while a turn is running', async () => {
    const world = await sessionDbWorld();
    runningTurn(world.db);
    expect({
      trash: sentence(() => world.db.trashSession('s1', 5)),
      forget: sentence(() => world.db.forgetSession('s1')),
      unknown: refusal(() => world.db.forgetSession('none')),
      rows: activeUids(world.db),
    }).toEqual({
      trash: 'Hermes is answering in this session. Stop it first.',
      forget: 'Hermes is answering in this session. Stop it first.',
      unknown: 'not-found',
      rows: ['u-t1'],
    });
  });
});

describe('the trash', () => {
  it('removes a conversation from lists and search, all segments, until it is restored', async () => {
    const world = await sessionDbWorld();
    world.db.createSession({ id: 's1', startedAt: 1 });
    answered(world.db, 't1', 'needle');
    world.db.compressSession({ parentId: 's1', childId: 's2', handoff: 'One.', summarisedUpTo: 'a-t1', now: 50 });
    const seen = () => ({
      active: world.db.listSessions({ limit: 9 }).map(({ id }) => id),
      trash: world.db.listSessions({ limit: 9, state: 'trash' }).map(({ id, trashedAt }) => [id, trashedAt]),
      hits: world.db.search({ text: 'needle', limit: 9 }).length,
      named: world.db.findSession('needle?').kind,
    });
    world.db.trashSession('s1', 70);
    world.db.trashSession('s2', 71);
    const trashed = { ...seen(), prompt: refusal(() => openTurn(world.db, { sessionId: 's2', turnUid: 't2' })) };
    world.db.restoreSession('s2');
    expect({ trashed, restored: seen() }).toEqual({
      trashed: { active: [], trash: [['s2', 70]], hits: 0, named: 'none', prompt: 'invalid' },
      restored: { active: ['s2'], trash: [], hits: 2, named: 'one' },
    });
  });

  it('B182 loses what is old enough; conversations that are live, pinned or the origin of a branch stay complete', async () => {
    const world = await sessionDbWorld();
    for (const [index, id] of ['old', 'older', 'fresh', 'pinned', 'living'].entries()) {
      world.db.createSession({ id, startedAt: index });
      answered(world.db, `t-${id}`, id, { sessionId: id });
    }
    world.db.branchSession({ sessionId: 'old', upTo: null, childId: 'branch', now: 5 });
    world.db.setPinned('pinned', true);
    for (const [id, at] of [
      ['old', 100],
      ['older', 50],
      ['fresh', 900],
      ['pinned', 50],
    ] as const)
      world.db.trashSession(id, at);
    const { sessionIds, branches } = world.db.pruneTrash(500);
    expect({
      sessionIds,
      branches: branches.map(({ sessionId }) => sessionId),
      trash: world.db.listSessions({ limit: 9, state: 'trash' }).map(({ id }) => id),
      active: world.db
        .listSessions({ limit: 9 })
        .map(({ id }) => id)
        .sort(),
      branch: activeUids(world.db, 'branch'),
      again: world.db.pruneTrash(500).sessionIds,
      problems: world.db.verifyIntegrity(),
    }).toEqual({
      sessionIds: ['older', 'old'],
      branches: ['branch'],
      trash: ['fresh', 'pinned'],
      active: ['branch', 'living'],
      branch: ['branch/u-t-old', 'branch/a-t-old'],
      again: [],
      problems: [],
    });
  });
});

describe('marks of a conversation', () => {
  it('apply to all its segments', async () => {
    const world = await sessionDbWorld();
    world.db.createSession({ id: 's1', startedAt: 1, private: true });
    answered(world.db, 't1', 'one');
    world.db.compressSession({ parentId: 's1', childId: 's2', handoff: 'One.', summarisedUpTo: 'a-t1', now: 50 });
    world.db.setPinned('s1', true);
    world.db.setArchived('s1', true);
    const lists = (['active', 'archived'] as const).map((state) =>
      world.db.listSessions({ limit: 9, state }).map(({ id, pinned, private: isPrivate }) => [id, pinned, isPrivate]),
    );
    world.db.setArchived('s2', false);
    expect({
      lists,
      again: world.db.listSessions({ limit: 9 }).length,
      unknown: refusal(() => world.db.setPinned('none', true)),
    }).toEqual({ lists: [[], [['s2', true, true]]], again: 1, unknown: 'not-found' });
  });

  it('report that something settled since the user last looked', async () => {
    const world = await sessionDbWorld();
    world.db.createSession({ id: 's1', startedAt: 1 });
    const unread = () => world.db.listSessions({ limit: 1, includeEmpty: true })[0]?.unread;
    const fresh = unread();
    openTurn(world.db, { turnUid: 't1' });
    const running = unread();
    settle(world.db, 't1', complete, [answer('a1', 'one', 't1')]);
    const answeredNow = unread();
    world.db.setSeen('s1', 10);
    const seen = unread();
    world.db.setSeen('s1', 4);
    expect([fresh, running, answeredNow, seen, unread()]).toEqual([false, false, true, false, false]);
  });
});
