import { deflateSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import type { FileChange, FileContent } from '../../../src/store/fileChanges';
import type { SqlValue } from '../../../src/store/engine/sqlDatabase';
import { readWhole } from '../../../src/store/engine/fileSystem';
import { hashOf } from '../../../src/store/session/tables/fileChangeTable';
import { rowsOf, rowsOfSessions } from '../../../src/store/session/import/storeImport';
import { answered, runningTurn, sessionDbWorld, settle, type SessionDbWorld } from '../../support/sessionDbWorld';

let world: SessionDbWorld;
beforeEach(async () => {
  world = await sessionDbWorld();
  world.db.createSession({ id: 'other', startedAt: 1 });
  runningTurn(world.db);
});

const bytes = (text: string): Uint8Array => Buffer.from(text);
const content = (text: string): FileContent => ({ hash: hashOf(bytes(text)), bytes: bytes(text) });
const change = (uid: string, over: Partial<FileChange> = {}): FileChange => ({
  uid,
  sessionId: 's1',
  turnUid: 't1',
  callId: 'c1',
  path: '/w/a.ts',
  before: content('old').hash,
  after: undefined,
  changedAt: 5,
  reviewed: null,
  ...over,
});
const keptTexts = ({ database }: SessionDbWorld): number =>
  Number(database.get('SELECT count(*) AS n FROM file_contents')?.['n']);
const textOf = ({ db }: SessionDbWorld, hash: string | null | undefined): string | null => {
  const found = typeof hash === 'string' ? db.fileContent(hash) : null;
  return found === null ? null : Buffer.from(found).toString();
};

/** A row whose content inflates to so many bytes. */
const inflating = (size: number, declared = size): { readonly hash: string; readonly values: readonly SqlValue[] } => {
  const whole = Buffer.alloc(size, 'x');
  return { hash: hashOf(whole), values: [hashOf(whole), 'deflate', deflateSync(whole), declared] };
};

describe('a stored content that somebody else wrote', () => {
  it.each([
    ['inflates to a little more than any content', 2 ** 24 + 1, 2 ** 24 + 1],
    ['says that it is small', 2 ** 24 + 1, 3],
    ['inflates to many times as much', 2 ** 26, 2 ** 26],
  ])('is not inflated when it %s', (_what, size, declared) => {
    const { hash, values } = inflating(size, declared);
    world.database.run('INSERT INTO file_contents (hash, encoding, bytes, size) VALUES (?, ?, ?, ?)', values);
    expect([world.db.fileContent(hash) === null, world.db.verifyIntegrity()]).toEqual([
      true,
      expect.arrayContaining([`a file content is not what it was: ${hash}`]),
    ]);
  });

  it('is inflated up to the size that was allowed', () => {
    const { hash, values } = inflating(2 ** 24);
    world.database.run('INSERT INTO file_contents (hash, encoding, bytes, size) VALUES (?, ?, ?, ?)', values);
    expect(world.db.fileContent(hash)?.length).toBe(2 ** 24);
  });
});

describe('file contents around a change', () => {
  it('are on disk when the call returns, and the same after a power cut', async () => {
    const long = content('a line that comes again and again\n'.repeat(2000));
    world.db.recordFileChanges([change('f1'), change('f2', { path: '/w/new.ts', before: null })], [content('old')]);
    world.db.completeFileChanges(
      [
        { uid: 'f1', after: long.hash },
        { uid: 'f2', after: null },
      ],
      [long],
    );
    world.db.markReviewed(['f1'], 'kept', 9);
    const after = await world.reopened();
    const size = Number(
      after.database.get('SELECT length(bytes) AS n FROM file_contents WHERE hash = ?', [long.hash])?.['n'],
    );
    expect({
      changes: after.db.fileChangesOf(['t1', 'none']),
      texts: [textOf(after, content('old').hash), textOf(after, long.hash)?.length],
      isSmall: size < 2000,
      problems: after.db.verifyIntegrity(),
    }).toEqual({
      changes: [change('f1', { after: long.hash, reviewed: { kind: 'kept', at: 9 } })],
      texts: ['old', long.bytes.length],
      isSmall: true,
      problems: [],
    });
  });

  it('are stored once for a repeated write; a change that left the file the same is removed with its contents', () => {
    world.db.recordFileChanges([change('f1')], [content('old')]);
    world.db.recordFileChanges([change('f1', { before: content('other').hash })], [content('other')]);
    const once = { changes: world.db.fileChangesOf(['t1']), kept: keptTexts(world) };
    world.db.completeFileChanges([{ uid: 'f1', after: content('old').hash }], [content('old')]);
    expect({ once, changes: world.db.fileChangesOf(['t1']), kept: keptTexts(world) }).toEqual({
      once: { changes: [change('f1')], kept: 1 },
      changes: [],
      kept: 0,
    });
  });

  it('are not returned when their bytes are no longer those that were kept', () => {
    world.db.recordFileChanges([change('f1')], [content('old')]);
    world.database.run("UPDATE file_contents SET bytes = x'6f6c65', encoding = 'raw'");
    expect([world.db.fileContent(content('old').hash), world.db.verifyIntegrity()]).toEqual([
      null,
      [`a file content is not what it was: ${content('old').hash}`],
    ]);
  });

  it('are listed from a turn on, with later sub-agents and versions, and without earlier changes', () => {
    answered(world.db, 't2', 'two', { sessionId: 'other' });
    const db = world.db;
    settle(db, 't1');
    answered(db, 't3', 'three');
    db.createSession({ id: 'helper', startedAt: 6, parentSessionId: 's1', parentKind: 'delegate' });
    answered(db, 't4', 'helping', { sessionId: 'helper' });
    answered(db, 't5', 'THREE', { replaces: { turnUid: 't3', reason: 'edited' } });
    const at = (uid: string, turnUid: string, sessionId = 's1'): void =>
      db.recordFileChanges([change(uid, { turnUid, sessionId })], []);
    at('f1', 't1');
    at('f2', 't2', 'other');
    at('f3', 't3');
    at('f4', 't4', 'helper');
    at('f5', 't5');
    const from = (turnUid: string): readonly string[] => db.fileChangesFrom(turnUid).map(({ uid }) => uid);
    expect([from('t1'), from('t3'), from('t5'), from('t4'), from('none')]).toEqual([
      ['f1', 'f3', 'f4', 'f5'],
      ['f3', 'f4', 'f5'],
      ['f5'],
      ['f4'],
      [],
    ]);
  });
});

describe('file changes and their session', () => {
  it('forgetting leaves no byte of them, except those that another session holds too', () => {
    const secret = 'xylophonic words of a file';
    const db = world.db;
    settle(db, 't1');
    answered(db, 't2', 'two', { sessionId: 'other' });
    db.recordFileChanges(
      [change('f1', { before: content(secret).hash, after: content('shared').hash, path: '/w/xylophonic.ts' })],
      [content(secret), content('shared')],
    );
    db.recordFileChanges(
      [change('f2', { sessionId: 'other', turnUid: 't2', before: content('shared').hash })],
      [content('shared')],
    );
    db.forgetSession('s1');
    const leaks = world.disk
      .list('/store')
      .filter((name) => Buffer.from(readWhole(world.disk, `/store/${name}`)).includes('xylophonic'));
    expect({
      leaks,
      gone: db.fileChangesOf(['t1']),
      left: db.fileChangesOf(['t2']).length,
      kept: keptTexts(world),
      shared: textOf(world, content('shared').hash),
      problems: db.verifyIntegrity(),
    }).toEqual({ leaks: [], gone: [], left: 1, kept: 1, shared: 'shared', problems: [] });
  });

  it('are brought over with their session, once, without those of other sessions', async () => {
    const here = await sessionDbWorld();
    world.db.recordFileChanges([change('f1', { after: content('new').hash })], [content('old'), content('new')]);
    answered(world.db, 't2', 'two', { sessionId: 'other' });
    world.db.recordFileChanges(
      [change('f2', { sessionId: 'other', turnUid: 't2', before: content('theirs').hash })],
      [content('theirs')],
    );
    for (let time = 0; time < 2; time++)
      here.db.mergeFrom(rowsOfSessions(world.database, { sessionIds: ['s1'], moves: false }));
    const one = {
      changes: here.db.fileChangesOf(['t1', 't2']),
      kept: keptTexts(here),
      text: textOf(here, content('new').hash),
    };
    here.db.mergeFrom(rowsOf(world.database));
    expect({
      one,
      all: here.db.fileChangesOf(['t1', 't2']).length,
      kept: keptTexts(here),
      problems: here.db.verifyIntegrity(),
    }).toEqual({
      one: { changes: [change('f1', { after: content('new').hash })], kept: 2, text: 'new' },
      all: 2,
      kept: 3,
      problems: [],
    });
  });

  it('are taken from a damaged store only where they are intact and belong to a session', async () => {
    const here = await sessionDbWorld();
    here.db.createSession({ id: 's1', startedAt: 1 });
    world.db.recordFileChanges([change('f1', { after: content('new').hash })], [content('old'), content('new')]);
    world.database.run("UPDATE file_contents SET bytes = x'00' WHERE hash = ?", [content('new').hash]);
    const broken = rowsOf(world.database);
    const report = here.db.mergeFrom({
      rows: (table) =>
        table === 'file_changes'
          ? [...broken.rows(table), { uid: 'f9', session_id: 'lost', path: '/w/b', turn_uid: 't9', call_id: 'c' }]
          : broken.rows(table),
    });
    expect({
      skipped: report.skipped,
      texts: [textOf(here, content('old').hash), textOf(here, content('new').hash)],
      changes: here.db.fileChangesOf(['t1', 't9']).length,
      problems: here.db.verifyIntegrity(),
    }).toEqual({ skipped: 2, texts: ['old', null], changes: 1, problems: [] });
  });
});
