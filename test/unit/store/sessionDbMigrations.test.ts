import { describe, expect, it } from 'vitest';
import { SimulatedDisk } from '../../support/simulatedDisk';
import type { SqlJsDatabase } from '../../../src/store/engine/sqlJsDatabase';
import { openDatabase } from '../../../src/store/open/openDatabase';
import { migrate, migrations, schemaVersion, type Migration } from '../../../src/store/schema/migrations';
import { createSessionDb } from '../../../src/store/session/sessionDb';
import { refusal } from '../../support/sessionDbWorld';
import { testSqlite } from '../../support/sqlite';

const first: Migration = {
  version: 1,
  rewritesData: false,
  apply: (database) => database.execute('CREATE TABLE notes (text TEXT)'),
};
const second: Migration = {
  version: 2,
  rewritesData: true,
  apply: (database) => database.execute("ALTER TABLE notes ADD COLUMN mood TEXT; UPDATE notes SET mood = 'calm'"),
};
const failing: Migration = {
  version: 3,
  rewritesData: false,
  apply: (database) => {
    database.execute("DELETE FROM notes; INSERT INTO notes (text) VALUES ('half done')");
    throw new Error('the process died here');
  },
};

async function open(disk = new SimulatedDisk()): Promise<SqlJsDatabase> {
  const sqlite = await testSqlite();
  return openDatabase({
    sqlite,
    fileSystem: disk,
    folder: '/store',
    schemaVersion: 99,
    now: () => 1,
  }).database;
}
const version = (database: SqlJsDatabase) => database.get('PRAGMA user_version')?.['user_version'];

describe('migrations', () => {
  it('bring an empty file to the newest version, and do nothing a second time', async () => {
    const database = await open();
    const copies: number[] = [];
    const steps = { keepCopy: (from: number) => copies.push(from) };
    expect({
      applied: migrate(database, steps),
      again: migrate(database, steps),
      version: version(database),
      copies,
    }).toEqual({ applied: migrations.map((step) => step.version), again: [], version: schemaVersion, copies: [] });
  });

  it('run in order from the version of the file, after keeping a copy of the data to be rewritten', async () => {
    const database = await open();
    const copies: number[] = [];
    migrate(database, { keepCopy: (from) => copies.push(from), steps: [first] });
    database.run("INSERT INTO notes VALUES ('kept')");
    const applied = migrate(database, { keepCopy: (from) => copies.push(from), steps: [second, first] });
    expect({ applied, copies, rows: database.all('SELECT * FROM notes') }).toEqual({
      applied: [2],
      copies: [1],
      rows: [{ text: 'kept', mood: 'calm' }],
    });
  });

  it('do not begin when the copy cannot be kept', async () => {
    const database = await open();
    migrate(database, { steps: [first] });
    const attempt = () =>
      migrate(database, {
        keepCopy: () => {
          throw new Error('disk full');
        },
        steps: [first, second],
      });
    expect(attempt).toThrow('disk full');
    expect(version(database)).toBe(1);
  });

  it('leave a complete version when one fails halfway', async () => {
    const database = await open();
    migrate(database, { steps: [first] });
    database.run("INSERT INTO notes VALUES ('kept')");
    expect(() => migrate(database, { steps: [first, second, failing] })).toThrow('the process died here');
    expect({ version: version(database), rows: database.all('SELECT * FROM notes') }).toEqual({
      version: 2,
      rows: [{ text: 'kept', mood: 'calm' }],
    });
  });

  it('bring a version 1 file up to date for branches, versions and the outbox, and keep its rows', async () => {
    const database = await open();
    migrate(database, { steps: migrations.filter((step) => step.version === 1) });
    database.execute(`
      INSERT INTO sessions (id, conversation_id, started_at, last_activity_at) VALUES ('s1', 's1', 1, 30);
      INSERT INTO turns (uid, session_id, conversation_id, user_message_uid, model, state, outcome, stop_reason, started_at, settled_at, supersedes) VALUES
        ('t1', 's1', 's1', 'u1', 'm', 'settled', 'complete', 'stop', 1, 2, NULL), ('t2', 's1', 's1', 'u2', 'm', 'settled', 'complete', 'stop', 3, 4, 't1');
      INSERT INTO messages (uid, session_id, turn_uid, position, role, content, parts, timestamp, active, hidden_reason) VALUES
        ('u1', 's1', 't1', 1024, 'user', 'one', '[{"kind":"text","text":"one"}]', 1, 0, 'retried'),
        ('a1', 's1', 't1', 2048, 'assistant', 'first', '[{"kind":"text","text":"first"}]', 1, 0, 'retried'),
        ('u2', 's1', 't2', 3072, 'user', 'one', '[{"kind":"text","text":"one"}]', 3, 1, NULL),
        ('a2', 's1', 't2', 4096, 'assistant', 'second', '[{"kind":"text","text":"second"}]', 3, 1, NULL);
      INSERT INTO outbox (uid, provider, session_id, kind, payload, created_at, next_attempt_at) VALUES ('z', 'p', 's1', 'k', '1', 1, 1), ('a', 'p', 's1', 'k', '2', 1, 1);
    `);
    migrate(database);
    const db = createSessionDb({ database, now: () => 50, fileSizes: () => ({ fileBytes: 0, logBytes: 0 }) });
    const versions = db.promptVersions('s1');
    db.showVersion({ sessionId: 's1', turnUid: 't1', now: 40 });
    expect({
      versions,
      active: db.activeMessages('s1').map(({ uid }) => uid),
      list: db
        .listSessions({ limit: 1 })
        .map(({ id, unread, private: isPrivate, problem }) => [id, unread, isPrivate, problem]),
      outbox: db.outboxDue('p', 9, 9).map(({ uid }) => uid),
      problems: db.verifyIntegrity(),
    }).toEqual({
      versions: [{ turnUid: 't2', versions: ['t1', 't2'] }],
      active: ['u1', 'a1'],
      list: [['s1', false, false, null]],
      outbox: ['z', 'a'],
      problems: [],
    });
  });

  it('refuse the file of a later program and leave it unchanged', async () => {
    const database = await open();
    migrate(database, { steps: [first, second] });
    expect([refusal(() => migrate(database, { steps: [first] })), version(database)]).toEqual(['newer', 2]);
  });
});
