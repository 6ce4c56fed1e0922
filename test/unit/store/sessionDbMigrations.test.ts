import { describe, expect, it } from 'vitest';
import { SimulatedDisk } from '../../../src/store/engine/simulatedDisk';
import type { SqlJsDatabase } from '../../../src/store/engine/sqlJsDatabase';
import { openDatabase } from '../../../src/store/open/openDatabase';
import { migrate, migrations, schemaVersion, type Migration } from '../../../src/store/schema/migrations';
import { refusal } from '../../support/sessionDbWorld';
import { testSqlite } from '../../support/sqlite';

const first: Migration = { version: 1, rewritesData: false, apply: (database) => database.execute('CREATE TABLE notes (text TEXT)') };
const second: Migration = { version: 2, rewritesData: true, apply: (database) => database.execute("ALTER TABLE notes ADD COLUMN mood TEXT; UPDATE notes SET mood = 'calm'") };
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
  return openDatabase({ sqlite, fileSystem: disk, folder: '/store', schemaVersion: 99, assertOwned: () => undefined, now: () => 1 }).database;
}
const version = (database: SqlJsDatabase) => database.get('PRAGMA user_version')?.['user_version'];

describe('migrations', () => {
  it('bring an empty file to the newest version, and do nothing a second time', async () => {
    const database = await open();
    const copies: number[] = [];
    const steps = { keepCopy: (from: number) => copies.push(from) };
    expect({ applied: migrate(database, steps), again: migrate(database, steps), version: version(database), copies })
      .toEqual({ applied: migrations.map((step) => step.version), again: [], version: schemaVersion, copies: [] });
  });

  it('run in order from where the file stands, after a copy was kept of what is going to be rewritten', async () => {
    const database = await open();
    const copies: number[] = [];
    migrate(database, { keepCopy: (from) => copies.push(from), steps: [first] });
    database.run("INSERT INTO notes VALUES ('kept')");
    const applied = migrate(database, { keepCopy: (from) => copies.push(from), steps: [second, first] });
    expect({ applied, copies, rows: database.all('SELECT * FROM notes') }).toEqual({ applied: [2], copies: [1], rows: [{ text: 'kept', mood: 'calm' }] });
  });

  it('do not begin when the copy cannot be kept', async () => {
    const database = await open();
    migrate(database, { keepCopy: () => undefined, steps: [first] });
    const attempt = () => migrate(database, { keepCopy: () => { throw new Error('disk full'); }, steps: [first, second] });
    expect(attempt).toThrow('disk full');
    expect(version(database)).toBe(1);
  });

  it('leave a whole version behind when one fails half-way', async () => {
    const database = await open();
    migrate(database, { keepCopy: () => undefined, steps: [first] });
    database.run("INSERT INTO notes VALUES ('kept')");
    expect(() => migrate(database, { keepCopy: () => undefined, steps: [first, second, failing] })).toThrow('the process died here');
    expect({ version: version(database), rows: database.all('SELECT * FROM notes') }).toEqual({ version: 2, rows: [{ text: 'kept', mood: 'calm' }] });
  });

  it('refuse the file of a later program and leave it as it is', async () => {
    const database = await open();
    migrate(database, { keepCopy: () => undefined, steps: [first, second] });
    expect([refusal(() => migrate(database, { keepCopy: () => undefined, steps: [first] })), version(database)]).toEqual(['newer', 2]);
  });
});
