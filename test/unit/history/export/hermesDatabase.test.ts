import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exportCourse } from '../../../../src/history/export/exportCourse';
import { hermesDatabase } from '../../../../src/history/export/hermes/hermesDatabase';
import { RecordReading } from '../../../../src/history/export/readable/recordReading';
import { SecretMask } from '../../../../src/history/export/secretMask';
import { hermesMessage } from '../../../../src/history/sources/hermes/hermesMessage';
import { openForeignDatabase } from '../../../../src/store/library/foreignDatabase';
import { answer, call, complete, openTurn, result, sessionDbWorld, settle } from '../../../support/sessionDbWorld';
import { otherSqlite } from '../../../support/otherSqlite';
import { backupWorld } from '../backup/backupWorld';

it('makes a database that another SQLite finds sound, and our reader reads back the same', async () => {
  const disk = await backupWorld();
  try {
    const { db, database } = await sessionDbWorld();
    db.createSession({ id: 's1', startedAt: 1 });
    openTurn(db, { turnUid: 't1', text: 'A question' });
    db.putMessages([answer('m1', [{ kind: 'thinking', text: 'a thought' }, call('c1')], 't1')]);
    db.putMessages([result('r1', 'c1', 'content', 't1')]);
    settle(db, 't1', complete, [answer('a1', 'An answer', 't1')]);
    const leftOut = { toolOutput: false, thinking: false, images: false, hidden: false };
    const reading = new RecordReading(
      database,
      leftOut,
      new SecretMask(false),
      exportCourse(() => 1),
    );
    async function* records() {
      const record = await reading.read('s1');
      if (record !== null) yield record;
    }
    const path = join(disk.root, 'hermes.db');
    writeFileSync(path, await hermesDatabase(disk.deps, records()));
    expect(
      otherSqlite(path, 'PRAGMA integrity_check; PRAGMA foreign_key_check; SELECT version FROM schema_version'),
    ).toEqual(['ok', '30']);
    const foreign = openForeignDatabase(disk.deps, path);
    const messages = [...foreign.iterate('SELECT * FROM messages ORDER BY id')].map((row, index) => {
      const read = hermesMessage(row, { path, unit: 'row', number: index + 1 }, true);
      return read.kind === 'message' ? [read.message.role, read.message.parts] : read;
    });
    foreign.close();
    expect(messages).toEqual([
      ['user', [{ kind: 'text', text: 'A question' }]],
      ['assistant', [{ kind: 'thinking', text: 'a thought' }, call('c1')]],
      ['tool', [{ kind: 'toolResult', callId: 'c1', name: 'read_file', outcome: 'done', text: 'content' }]],
      ['assistant', [{ kind: 'text', text: 'An answer' }]],
    ]);
  } finally {
    disk.remove();
  }
});
