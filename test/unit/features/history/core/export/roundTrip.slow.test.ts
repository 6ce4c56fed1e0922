import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { exportOptions } from '../../../../../../src/features/history/core/export/output/exportOptions';
import { exportRows } from '../../../../../../src/features/history/core/export/json/jsonExport';
import { OutputFile, writeWhole } from '../../../../../../src/features/history/core/export/output/outputFile';
import { SecretMask } from '../../../../../../src/features/history/core/export/output/secretMask';
import { sessionsIn } from '../../../../../../src/features/history/core/export/sessionScope';
import { storeOfExport } from '../../../../../../src/features/history/core/import/exportImport';
import {
  exportedTables,
  type ExportedTable,
} from '../../../../../../src/features/history/core/sources/hermesExport/exportFormat';
import type { SqlDatabase } from '../../../../../../src/store/engine/sqlDatabase';
import { readOnly } from '../../../../../../src/store/library/foreignStore';
import { fillStore, storeSteps } from '../../../../../support/history/randomStore';
import { openTurn, sessionDbWorld } from '../../../../../support/sessionDbWorld';
import { backupWorld, type BackupWorld } from '../../../backup/core/backupWorld';

const keys: { readonly [T in ExportedTable]?: string } = {
  sessions: 'id',
  stream_chunks: 'message_uid, seq',
  message_revisions: 'message_uid, id',
  approvals: 'id',
  drafts: 'key',
  file_contents: 'hash',
};

/** All rows; `isExact` false: without the numbers that each store gives its own rows. */
function rowsOf(database: SqlDatabase, isExact: boolean) {
  return exportedTables.map((table) => ({
    table,
    rows: database.all(`SELECT * FROM ${table} ORDER BY ${keys[table] ?? 'uid'}`).map((row) => {
      if (isExact) return row;
      const { id, row_version: _version, ...rest } = row;
      return { ...rest, ...(typeof id === 'number' ? {} : { id }) };
    }),
  }));
}

async function exported(database: SqlDatabase, world: BackupWorld, name: string): Promise<string> {
  const path = join(world.root, name);
  await writeWhole(new OutputFile(world.deps.fileSystem, path), (output) =>
    exportRows(
      database,
      sessionsIn(database, { kind: 'all' }),
      output,
      new SecretMask(false),
      exportOptions(() => 1000),
    ),
  );
  return path;
}

it('gives a fresh store the same rows, versions, repairs, approvals and changed files', async () => {
  const world = await backupWorld();
  const seen = new Set<string>();
  try {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(storeSteps, async (steps) => {
        const here = await sessionDbWorld();
        fillStore(here.db, steps);
        const path = await exported(here.database, world, `${++run}.json`);
        const copy = storeOfExport(world.deps, path);
        const folder = join(world.root, `into${run}`);
        const fresh = world.open(folder);
        try {
          expect(readOnly(world.deps, copy.folder, (database) => rowsOf(database, true))).toEqual(
            rowsOf(here.database, true),
          );
          fresh.operations.copyToThisFolder({ folder: copy.folder, sessionIds: copy.sessionIds, moves: false });
          fresh.close();
          expect(readOnly(world.deps, folder, (database) => rowsOf(database, false))).toEqual(
            rowsOf(here.database, false),
          );
        } finally {
          copy.remove();
          for (const { table, rows } of rowsOf(here.database, true)) if (rows.length > 0) seen.add(table);
          here.database.close();
          rmSync(folder, { recursive: true, force: true });
        }
      }),
      { numRuns: 100, seed: 7 },
    );
    expect([...seen]).toEqual(
      expect.arrayContaining(['turns', 'messages', 'approvals', 'file_changes', 'file_contents']),
    );
  } finally {
    world.remove();
  }
}, 240_000);

it('keeps a running turn, its chunks, queued prompts and drafts in the file', async () => {
  const world = await backupWorld();
  try {
    const { db, database } = await sessionDbWorld();
    db.createSession({ id: 's1', startedAt: 1 });
    openTurn(db, { turnUid: 't1' });
    db.appendChunks({
      sessionId: 's1',
      turnUid: 't1',
      model: 'Local/test',
      createdAt: 2,
      chunks: [{ messageUid: 'm1', seq: 1, part: 0, kind: 'text', start: 0, text: 'half\n\u2028an answer' }],
    });
    db.setDraft('s1', 'not sent');
    const copy = storeOfExport(world.deps, await exported(database, world, 'a.json'));
    expect(readOnly(world.deps, copy.folder, (found) => rowsOf(found, true))).toEqual(rowsOf(database, true));
    expect(
      rowsOf(database, true)
        .filter(({ rows }) => rows.length > 0)
        .map(({ table }) => table),
    ).toEqual(['sessions', 'turns', 'messages', 'stream_chunks', 'drafts']);
    copy.remove();
  } finally {
    world.remove();
  }
});
