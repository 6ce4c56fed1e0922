import { beforeEach, describe, expect, it } from 'vitest';
import type { SqlRow } from '../../../src/store/engine/sqlDatabase';
import { rowsOf } from '../../../src/store/session/import/storeImport';
import type { StoreRows } from '../../../src/store/session/import/soundRows';
import type { ImportedTable } from '../../../src/store/session/tables/rights';
import { createSessionDb, type SessionDb } from '../../../src/store/session/sessionDb';
import { closingText } from '../../../src/transcript/closingText';
import {
  anApproval,
  answer,
  answered,
  append,
  call,
  chunk,
  complete,
  lines,
  openTurn,
  outboxEntry,
  result,
  runningTurn,
  sessionDbWorld,
  settle,
  type SessionDbWorld,
} from '../../support/sessionDbWorld';

let here: SessionDbWorld;
let other: SessionDbWorld;
beforeEach(async () => {
  here = await sessionDbWorld();
  other = await sessionDbWorld();
});

/** Rows as a reader of a damaged file gives them: any table may be missing, any row broken. */
const damaged = (tables: Partial<Record<ImportedTable, readonly SqlRow[]>>): StoreRows => ({
  rows: (table) => tables[table] ?? [],
});

describe('merging another store', () => {
  it('keeps versions, branches and marks', () => {
    other.db.createSession({ id: 's1', startedAt: 1, private: true });
    answered(other.db, 't1', 'one');
    answered(other.db, 't2', 'two');
    other.db.branchSession({ sessionId: 's1', upTo: null, childId: 'b1', now: 5 });
    answered(other.db, 't3', 'ONE', { replaces: { turnUid: 't1', reason: 'edited' } });
    other.db.setPinned('s1', true);
    other.db.outboxAdd(outboxEntry('o', 's1'));
    const told = (db: SessionDb) => ({
      list: db
        .listSessions({ limit: 9 })
        .map(({ id, turnCount, pinned, private: isPrivate, branchOf }) => [
          id,
          turnCount,
          pinned,
          isPrivate,
          branchOf?.sessionId,
        ])
        .sort(),
      versions: db.promptVersions('s1'),
      tree: db.branchesOf('b1'),
      hits: db.search({ text: 'two', limit: 9 }).map(({ messageUid }) => messageUid),
      outbox: db.outboxDue('p', 2, 9).length,
      problems: db.verifyIntegrity(),
    });
    const theirs = told(other.db);
    here.db.mergeFrom(rowsOf(other.database));
    expect(told(here.db)).toEqual(theirs);
    here.db.showVersion({ sessionId: 's1', turnUid: 't1', now: 9 });
    expect(here.db.activeMessages('s1').map(({ uid }) => uid)).toEqual(['u-t1', 'a-t1', 'u-t2', 'a-t2']);
  });

  it('leaves out unfinished work there, and accepts a session with an invalid value', async () => {
    other.db.createSession({ id: 's1', startedAt: 1 });
    for (let turn = 0; turn < 40; turn++) answered(other.db, `t${turn}`, 'an answer');
    let time = 0;
    const work = createSessionDb({
      database: other.database,
      now: () => 5,
      fileSizes: () => other.database.sizes(),
      monotonicMs: () => (time += 100),
    }).slices.branchSession({ sessionId: 's1', upTo: null, childId: 'half', now: 5 });
    for (let slice = 0; slice < 2; slice++) work.next();
    const copied = other.database.get("SELECT count(*) AS n FROM messages WHERE session_id = 'half'")?.['n'];
    const rows = rowsOf(other.database);
    here.db.mergeFrom({
      rows: (table) =>
        table === 'sessions'
          ? [...rows.rows(table)].map((row) => (row['id'] === 's1' ? { ...row, pending: 7 } : row))
          : rows.rows(table),
    });
    here.db.scrub();
    expect([
      copied !== 0,
      here.db.listSessions({ limit: 9 }).map(({ id }) => id),
      here.db.statistics().messages,
      here.db.verifyIntegrity(),
    ]).toEqual([true, ['s1'], 80, []]);
  });

  it('brings in only what is missing here, settles what was left running, and does it once', () => {
    runningTurn(here.db, { sessionId: 's0', turnUid: 't0', text: 'Mine' });
    runningTurn(other.db, { text: 'Theirs' });
    settle(other.db, 't1', complete, [answer('a1', 'Answered', 't1')]);
    openTurn(other.db, { turnUid: 't2', text: 'Next' });
    other.db.putMessages([answer('a2', [call('c1')], 't2')]);
    append(other.db, 't2', chunk('a3', 1, 0, 'Half '), chunk('a3', 2, 5, '😀'));
    other.db.enqueue({ uid: 'q1', sessionId: 's1', text: 'later', createdAt: 3 });
    other.db.setDraft('s1', 'half a thought');
    other.db.setTitle('s1', 'Their title', 'person');
    const first = here.db.mergeFrom(rowsOf(other.database));
    const afterFirst = { lines: lines(here.db), statistics: here.db.statistics().messages };
    const second = here.db.mergeFrom(rowsOf(other.database));
    expect({
      first,
      second,
      unchanged: lines(here.db).length === afterFirst.lines.length,
      lines: afterFirst.lines.map((line) => line.replace(/:\(Inter.*/, ':…')),
      turn: here.db.getTurn('t2'),
      mine: here.db.openTurnOf('s0')?.uid,
      queue: here.db.queue('s1').length,
      draft: here.db.draft('s1'),
      list: here.db
        .listSessions({ limit: 9 })
        .map(({ id, title, turnCount, messageCount }) => [id, title, turnCount, messageCount])
        .sort(),
      sound: here.db.verifyIntegrity(),
    }).toMatchObject({
      first: { sessions: 1, turns: 2, messages: 5, extended: 0, skipped: 0 },
      second: { sessions: 0, turns: 0, messages: 0, extended: 0, skipped: 0 },
      unchanged: true,
      lines: [
        'user: Theirs',
        'assistant: Answered',
        'user: Go on',
        'assistant: call:c1',
        'tool: c1=interrupted:…',
        'assistant: Half 😀',
      ].map((line) => line.replace('Go on', 'Next')),
      turn: { state: 'settled', outcome: 'interrupted', stopReason: 'crash' },
      mine: 't0',
      queue: 1,
      draft: 'half a thought',
      list: [
        ['s0', 'Mine', 1, 1],
        ['s1', 'Their title', 2, 6],
      ],
      sound: [],
    });
  });

  it('keeps the longer text of a message that is in both', () => {
    for (const world of [here, other]) {
      runningTurn(world.db);
      settle(world.db, 't1', complete, [answer('a1', world === here ? 'One' : 'One and two', 't1')]);
    }
    const longer = here.db.mergeFrom(rowsOf(other.database));
    const shorter = other.db.mergeFrom(rowsOf(here.database));
    expect({
      longer: longer.extended,
      shorter: shorter.extended,
      here: lines(here.db),
      kept: here.database.all('SELECT content FROM message_revisions'),
    }).toEqual({
      longer: 1,
      shorter: 0,
      here: ['user: What is here?', 'assistant: One and two'],
      kept: [{ content: 'One' }],
    });
  });

  it('keeps two histories of one session side by side, and two continuations of one segment too', () => {
    for (const [world, turnUid] of [
      [here, 't1'],
      [other, 't2'],
    ] as const) {
      runningTurn(world.db, { turnUid, text: turnUid });
      settle(world.db, turnUid);
      world.db.createSession({ id: `next-${turnUid}`, startedAt: 5, parentSessionId: 's1', parentKind: 'compression' });
      openTurn(world.db, { sessionId: `next-${turnUid}`, turnUid: `later-${turnUid}` });
    }
    here.db.mergeFrom(rowsOf(other.database));
    expect({
      lines: lines(here.db),
      mine: here.db.conversationTip('s1'),
      theirs: here.db.getSession('next-t2')?.conversationId,
      sound: here.db.verifyIntegrity(),
    }).toEqual({
      lines: [
        'user: t1',
        `assistant (closing): ${closingText('stop')}`,
        'user: t2',
        `assistant (closing): ${closingText('stop')}`,
        'user: Go on',
      ],
      mine: 'next-t1',
      theirs: 'next-t2',
      sound: [],
    });
  });

  it('keeps a turn that waits for an approval waiting, with the approval', () => {
    runningTurn(other.db);
    other.db.requestApproval(anApproval('ap'));
    here.db.mergeFrom(rowsOf(other.database));
    expect([here.db.openTurnOf('s1'), here.db.pendingApproval('s1')]).toEqual([
      other.db.openTurnOf('s1'),
      other.db.pendingApproval('s1'),
    ]);
  });

  it('ends a turn that waits for an approval if another turn has its place or the approval is missing', async () => {
    runningTurn(other.db);
    other.db.requestApproval(anApproval('ap'));
    here.db.createSession({ id: 's1', startedAt: 1 });
    openTurn(here.db, { turnUid: 't9' });
    here.db.mergeFrom(rowsOf(other.database));
    const third = await sessionDbWorld();
    third.db.mergeFrom({ rows: (table) => (table === 'approvals' ? [] : rowsOf(other.database).rows(table)) });
    expect(
      [here, third].map(({ db }) => [
        db.getTurn('t1')?.state,
        db.approvalsOf('t1').map(({ state }) => state.kind),
        db.pendingApproval('s1'),
        db.verifyIntegrity(),
      ]),
    ).toEqual([
      ['settled', ['expired'], null, []],
      ['settled', [], null, []],
    ]);
  });
});

describe('bringing in salvaged rows', () => {
  it('makes a session for rows that lost theirs, and finishes turns that lost rows', () => {
    runningTurn(other.db);
    settle(other.db, 't1', complete, [
      answer('a1', [{ kind: 'text', text: 'Let me see' }, call('c1')], 't1'),
      result('r1', 'c1', 'ok', 't1'),
      answer('a2', 'Done', 't1'),
    ]);
    const messages = other.database.all("SELECT * FROM messages WHERE uid IN ('u-t1', 'a1')");
    const report = here.db.mergeFrom(damaged({ messages, turns: other.database.all('SELECT * FROM turns') }));
    expect({
      report,
      title: here.db.getSession('s1')?.title,
      lines: lines(here.db).map((line) => line.replace(/:\(Inter.*/, ':…')),
      sound: here.db.verifyIntegrity(),
    }).toEqual({
      report: { sessions: 1, turns: 1, messages: 2, extended: 0, skipped: 0 },
      title: 'Recovered session',
      lines: [
        'user: What is here?',
        'assistant: Let me see call:c1',
        'tool: c1=interrupted:…',
        `assistant (closing): ${closingText('stop')}`,
      ],
      sound: [],
    });
  });

  it('comes to an end where damage made the segments of a session continue each other in a circle', () => {
    other.db.createSession({ id: 's1', startedAt: 1 });
    answered(other.db, 't1', 'First');
    other.db.compressSession({ parentId: 's1', childId: 's2', handoff: 'So far.', summarisedUpTo: 'a-t1', now: 30 });
    const sessions = other.database
      .all('SELECT * FROM sessions')
      .map((row) => (row['id'] === 's1' ? { ...row, parent_session_id: 's2', parent_kind: 'compression' } : row));
    const messages = other.database.all('SELECT * FROM messages');
    here.db.mergeFrom(damaged({ sessions, messages, turns: other.database.all('SELECT * FROM turns') }));
    expect(here.db.readTranscript({ sessionId: 's1', limit: 9 }).messages.length).toBeGreaterThan(0);
  });

  it('keeps a row it cannot read unchanged, and leaves out one that belongs to nothing', () => {
    runningTurn(other.db);
    const [row = {}] = other.database.all('SELECT * FROM messages');
    const report = here.db.mergeFrom(
      damaged({
        sessions: [{ id: null }, { id: 's1', parent_kind: 'nonsense', started_at: 'x' }],
        turns: [{ uid: 't9' }, { uid: 't8', session_id: 's1', state: 'odd' }],
        messages: [
          { ...row, parts: '{', position: -4 },
          { ...row, uid: null, id: 7, position: 'x', turn_uid: null },
          { uid: 'lost' },
        ],
        queue: [{ uid: 'q', session_id: 'none', text: 'x' }],
        message_revisions: [{ message_uid: 'none' }],
        drafts: [{ key: 'k' }],
      }),
    );
    expect({
      report,
      lines: lines(here.db),
      raw: here.database.get("SELECT parts FROM messages WHERE uid = 'u-t1'"),
      salvaged: here.db.getMessage('salvaged/s1/7')?.role,
      turn: here.db.getTurn('t8')?.state,
    }).toEqual({
      report: { sessions: 1, turns: 1, messages: 2, extended: 0, skipped: 8 },
      lines: [
        'user: This message couldn’t be read from the file. Its raw row is kept.\n\nWhat is here?',
        'user: What is here?',
      ],
      raw: { parts: '{' },
      salvaged: 'user',
      turn: 'settled',
    });
  });
});
