import { describe, expect, it } from 'vitest';
import type { ServerDocument } from '../../../../src/store/syncing';
import type { SessionDb } from '../../../../src/store/session/sessionDb';
import {
  activeUids,
  anApproval,
  answer,
  answered,
  lines,
  openTurn,
  refusal,
  runningTurn,
  sessionDbWorld,
  type SessionDbWorld,
  settle,
} from '../../../support/sessionDbWorld';

/** Begins to note changes, and notes everything. */
function begin(db: SessionDb): void {
  db.synced.begin();
  while (db.synced.noteMore());
}

async function synced(): Promise<SessionDbWorld> {
  const world = await sessionDbWorld();
  world.db.createSession({ id: 's1', startedAt: 1, title: 'The parser' });
  answered(world.db, 't1', 'It is here.');
  begin(world.db);
  return world;
}

/** Hands everything that is to be sent to the server, which is taken to have it as this version. Returns it. */
function sent(db: SessionDb, conversationId: string, version: number): readonly ServerDocument[] {
  const outgoing = db.synced.outgoing(conversationId);
  if (outgoing === null) return [];
  db.synced.beginSending(conversationId, outgoing.documents, `tail ${version}`);
  db.synced.sent(conversationId, version);
  const bodies = db.synced.bodies(
    conversationId,
    outgoing.documents.map(({ document }) => document),
  );
  return (bodies ?? []).map(({ document, body }) => ({ document, body, version }));
}

const receive = (db: SessionDb, version: number, documents: readonly ServerDocument[], branchId = 'b1') =>
  db.synced.receive({
    conversationId: 's1',
    version,
    base: db.synced.version('s1'),
    chain: [{ version, tail: `tail ${version}` }],
    documents,
    branchId,
    isProven: false,
    machine: 'desktop',
  });

/** Two stores that hold the same session. */
async function twins(): Promise<readonly [SessionDbWorld, SessionDbWorld]> {
  const one = await synced();
  const other = await sessionDbWorld();
  begin(other.db);
  receive(other.db, 1, sent(one.db, 's1', 1));
  return [one, other];
}

describe('a synchronized store', () => {
  it('makes the triggers of an earlier build new, and leaves its own as they are', async () => {
    const { db, database } = await synced();
    const schema = (): unknown => database.all('SELECT name, sql FROM sqlite_schema ORDER BY name');
    const changes = (): unknown => database.get('PRAGMA schema_version');
    const [ours, unchanged] = [schema(), changes()];
    db.synced.begin();
    expect(changes()).toEqual(unchanged);
    database.execute(`DROP TRIGGER sync_turns_insert; DROP TRIGGER sync_messages_update; DROP TABLE sync_receiving;
      CREATE TRIGGER sync_messages_update AFTER UPDATE ON messages BEGIN DELETE FROM sync_changes; END;
      CREATE TRIGGER sync_earlier AFTER DELETE ON turns BEGIN DELETE FROM sync_changes; END;`);
    db.synced.begin();
    expect(schema()).toEqual(ours);
    answered(db, 't2', 'It was there.');
    expect(sent(db, 's1', 1).map(({ document }) => document)).toContain('turn/t2');
  });

  it('notes what it stores after a document from the server was refused', async () => {
    const [one, other] = await twins();
    answered(one.db, 't2', 'It was there.');
    const news = sent(one.db, 's1', 2).map((each) =>
      each.document === 'turn/t2' ? { ...each, body: each.body?.replace('"settled"', '"running"') ?? null } : each,
    );
    expect(refusal(() => receive(other.db, 2, news))).toBe('invalid');
    answered(other.db, 't3', 'It is nowhere.');
    expect(sent(other.db, 's1', 2).map(({ document }) => document)).toContain('turn/t3');
  });

  it('keeps what the server noted when it connects twice at once', async () => {
    const { synced: store } = (await synced()).db;
    const { now } = store.connecting('a', 'one');
    store.connecting('a', 'other');
    for (let answers = 0; answers < 2; answers++) store.connected('a', now);
    const [one, next] = ['000000001.one', '000000002.next'];
    expect([now, store.connecting('a', 'next')]).toEqual([one, { before: one, now: next }]);
  });

  it('notes what it held piece by piece, and sends no conversation that is not noted', async () => {
    const { db } = await sessionDbWorld();
    for (const id of ['s1', 's2']) {
      db.createSession({ id, startedAt: 1 });
      answered(db, `t-${id}`, 'Words.', { sessionId: id });
    }
    db.synced.begin();
    // A change of a conversation that is not noted yet.
    answered(db, 'later', 'More.', { sessionId: 's2' });
    expect([db.synced.pending(), db.synced.outgoing('s2'), db.synced.status().conversations]).toEqual([[], null, 0]);
    while (db.synced.noteMore());
    expect([db.synced.pending().length, db.synced.outgoing('s2')?.documents.length]).toEqual([2, 4]);
  });

  it('sends everything that it held, but no private session and none with an open turn', async () => {
    const { db } = await synced();
    db.createSession({ id: 's2', startedAt: 1, private: true });
    answered(db, 't2', 'A secret.', { sessionId: 's2' });
    db.createSession({ id: 's3', startedAt: 1 });
    openTurn(db, { sessionId: 's3', turnUid: 't3' });
    expect(db.synced.pending()).toEqual(['s1']);
    expect(db.synced.outgoing('s3')).toBeNull();
    settle(db, 't3');
    expect(db.synced.pending()).toEqual(['s1', 's3']);
  });

  it('holds the same rows on another machine, and has nothing to send back', async () => {
    const [one, other] = await twins();
    expect(lines(other.db)).toEqual(lines(one.db));
    expect([other.db.synced.pending(), one.db.synced.pending(), other.db.getSession('s1')?.title]).toEqual([
      [],
      [],
      'The parser',
    ]);
    expect(other.db.search({ text: 'here', limit: 5 }).map(({ messageUid }) => messageUid)).toEqual(['a-t1', 'u-t1']);
  });

  it('takes over no right of the agent: neither a rule that was allowed there, nor the mode', async () => {
    const one = await sessionDbWorld();
    runningTurn(one.db);
    one.db.requestApproval(anApproval('ap'));
    one.db.decideApproval('ap', { kind: 'allow', scope: 'session', rules: ['run(git push)'] }, 5);
    settle(one.db, 't1', undefined, [answer('m1', 'Done.', 't1')]);
    one.db.setSessionMode('s1', 'auto');
    begin(one.db);
    const other = await sessionDbWorld();
    begin(other.db);
    receive(other.db, 1, sent(one.db, 's1', 1));
    expect([one.db.sessionRules('s1'), one.db.sessionMode('s1')]).toEqual([['run(git push)'], 'auto']);
    expect([other.db.sessionRules('s1'), other.db.sessionMode('s1')]).toEqual([[], null]);
    expect(other.db.approvalsOf('t1').map(({ state }) => state)).toEqual([
      { kind: 'decided', decidedAt: 5, decision: { kind: 'allow', scope: 'once' } },
    ]);
  });

  it('still has to send what changed while its changes were on their way', async () => {
    const { db } = await synced();
    const outgoing = db.synced.outgoing('s1');
    db.synced.beginSending('s1', outgoing?.documents ?? [], 'tail 1');
    db.setTitle('s1', 'The lexer', 'person');
    db.synced.sent('s1', 1);
    expect([db.synced.changed('s1'), db.synced.version('s1')]).toEqual([['marks/s1'], 1]);
  });

  it('keeps a new title here and a new turn from there', async () => {
    const [one, other] = await twins();
    answered(one.db, 't2', 'And there.');
    other.db.setTitle('s1', 'The lexer', 'person');
    const news = sent(one.db, 's1', 2);
    const outcome = receive(other.db, 2, [...news, { document: 'marks/s1', version: 1, body: null }]);
    expect([outcome, other.db.getSession('s1')?.title, activeUids(other.db)]).toEqual([
      'received',
      'The lexer',
      ['u-t1', 'a-t1', 'u-t2', 'a-t2'],
    ]);
    expect(other.db.synced.changed('s1')).toEqual(['marks/s1']);
  });

  it('keeps a new title here, a pin from there, and the newer of two titles', async () => {
    const [one, other] = await twins();
    one.db.setPinned('s1', true);
    other.db.setTitle('s1', 'The lexer', 'person');
    expect(receive(other.db, 2, sent(one.db, 's1', 2))).toBe('received');
    const back = sent(other.db, 's1', 3);
    one.db.setTitle('s1', 'The scanner', 'person');
    expect(receive(one.db, 3, back)).toBe('received');
    receive(other.db, 4, sent(one.db, 's1', 4));
    const marks = [one, other].map(({ db }) => [db.getSession('s1')?.title, db.getSession('s1')?.pinned]);
    expect([marks, one.db.synced.changed('s1'), other.db.synced.changed('s1')]).toEqual([
      [
        ['The scanner', true],
        ['The scanner', true],
      ],
      [],
      [],
    ]);
  });

  it('makes a branch of what only it has, hidden versions and queued prompts included, when both continued', async () => {
    const [one, other] = await twins();
    answered(one.db, 't2', 'From the laptop.');
    answered(other.db, 't3', 'First try.');
    answered(other.db, 't4', 'Second try.', { replaces: { turnUid: 't3', reason: 'retried' } });
    other.db.enqueue({ uid: 'q1', sessionId: 's1', text: 'And then?', createdAt: 3 });
    const news = sent(one.db, 's1', 2);
    const named = new Set(news.map(({ document }) => document));
    const outcome = receive(other.db, 2, [
      ...news,
      ...other.db.synced
        .changed('s1')
        .filter((document) => !named.has(document))
        .map((document) => ({ document, version: 0, body: null })),
    ]);
    expect(outcome).toEqual({ branchId: 'b1' });
    expect(lines(other.db)).toEqual(lines(one.db));
    expect(lines(other.db, 'b1')).toEqual([
      'user: It is here.?',
      'assistant: It is here.',
      'user: Second try.?',
      'assistant: Second try.',
      'user (retried): First try.?',
      'assistant (retried): First try.',
    ]);
    expect([other.db.queue('b1').map(({ text }) => text), other.db.queue('s1')]).toEqual([['And then?'], []]);
    expect([other.db.getSession('b1')?.title, other.db.synced.pending(), other.db.verifyIntegrity()]).toEqual([
      'The parser (desktop)',
      ['b1'],
      [],
    ]);
  });

  it('waits with what comes while a turn is open, and asks again for what changed meanwhile', async () => {
    const [one, other] = await twins();
    answered(one.db, 't2', 'And there.');
    const news = sent(one.db, 's1', 2);
    openTurn(other.db, { turnUid: 't3' });
    expect(receive(other.db, 2, news)).toBe('busy');
    settle(other.db, 't3');
    expect(receive(other.db, 2, news)).toBe('again');
    expect(other.db.synced.version('s1')).toBe(1);
  });

  it.each([
    ['no JSON', (body: string) => body.slice(1)],
    ['a row of another turn', (body: string) => body.replaceAll('"turn_uid":"t2"', '"turn_uid":"t1"')],
    ['a row of another session', (body: string) => body.replaceAll('"session_id":"s1"', '"session_id":"s9"')],
    ['a value that no column takes', (body: string) => body.replaceAll('"role":"user"', '"role":["user"]')],
    ['a turn that still runs', (body: string) => body.replaceAll('"state":"settled"', '"state":"running"')],
    ['a message that is still written', (body: string) => body.replaceAll('"state":"final"', '"state":"streaming"')],
  ])('refuses %s, and keeps what it has', async (_what, damage) => {
    const [one, other] = await twins();
    answered(one.db, 't2', 'And there.');
    other.db.createSession({ id: 's9', startedAt: 1 });
    const before = lines(other.db);
    const news = sent(one.db, 's1', 2).map((document) =>
      document.document === 'turn/t2' ? { ...document, body: damage(document.body ?? '') } : document,
    );
    expect(refusal(() => receive(other.db, 2, news))).toBe('invalid');
    expect([lines(other.db), other.db.synced.version('s1')]).toEqual([before, 1]);
  });
});
