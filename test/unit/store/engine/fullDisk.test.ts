import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FileSystem } from '../../../../src/store/engine/fileSystem';
import { NodeFileSystem } from '../../../../src/store/engine/nodeFileSystem';
import { SimulatedDisk } from '../../../support/simulatedDisk';
import { testSqlite } from '../../../support/sqlite';
import { addNotes, addNotesAtOnce, noteTable, noteUids, openTestDatabase } from '../../../support/testStore';

const diskBytes = 12 * 1024 * 1024;
const otherFileBytes = 4 * 1024 * 1024;

interface SmallDisk {
  readonly fileSystem: FileSystem;
  readonly folder: string;
  /** Makes room by removing a file that is not the store's. */
  free(): void;
  dispose(): void;
}

/** A real small file system where this process may mount one (root on Linux), a simulated one elsewhere. */
function smallDisk(bytes = diskBytes, otherBytes = otherFileBytes): SmallDisk {
  const mount = mkdtempSync(join(tmpdir(), 'hermes-full-'));
  const other = join(mount, 'other');
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', mount], { stdio: 'ignore' });
  } catch {
    rmSync(mount, { recursive: true });
    const disk = new SimulatedDisk();
    disk.capacity = bytes - otherBytes;
    return { fileSystem: disk, folder: '/store', free: () => (disk.capacity = bytes), dispose: () => undefined };
  }
  writeFileSync(other, new Uint8Array(otherBytes));
  return {
    fileSystem: new NodeFileSystem(),
    folder: join(mount, 'store'),
    free: () => unlinkSync(other),
    dispose: () => {
      execFileSync('umount', [mount]);
      rmSync(mount, { recursive: true });
    },
  };
}

test('a disk that fills up loses nothing acknowledged; saving continues once there is room', async () => {
  const { fileSystem, folder, free, dispose } = smallDisk();
  const { database } = openTestDatabase(await testSqlite(), fileSystem, folder);
  try {
    database.execute(noteTable);
    let acknowledged = 0;
    expect(() => {
      for (; acknowledged < 10_000; acknowledged += 1)
        addNotes(database, acknowledged, acknowledged + 1, () => 'x'.repeat(4000));
    }).toThrow(expect.objectContaining({ causeClass: 'full', technical: expect.stringContaining('ENOSPC') }));
    expect(noteUids(database)).toHaveLength(acknowledged);
    free();
    addNotes(database, acknowledged, acknowledged + 10);
    expect({ notes: noteUids(database).length, integrity: database.all('PRAGMA integrity_check') }).toEqual({
      notes: acknowledged + 10,
      integrity: [{ integrity_check: 'ok' }],
    });
  } finally {
    database.close();
    dispose();
  }
});

test('a disk filled by the log alone has room again after a checkpoint, which needs no extra space', async () => {
  const { fileSystem, folder, dispose } = smallDisk(1024 * 1024, 0);
  const { database } = openTestDatabase(await testSqlite(), fileSystem, folder);
  try {
    database.execute(noteTable);
    database.execute('PRAGMA wal_checkpoint(TRUNCATE)');
    const acknowledged = 20;
    addNotes(database, 0, acknowledged, () => 'x'.repeat(3000));
    expect(() => {
      // The same pages again and again, with nothing in common with what they held.
      for (let round = 0; round < 10_000; round += 1)
        database.run('UPDATE notes SET text = ? WHERE id = ?', [
          String.fromCharCode(65 + (round % 26)).repeat(3000),
          1 + (round % acknowledged),
        ]);
    }).toThrow(expect.objectContaining({ causeClass: 'full' }));
    const full = database.sizes();
    database.execute('PRAGMA wal_checkpoint(TRUNCATE)');
    addNotesAtOnce(database, acknowledged, acknowledged + 10);
    expect({
      logFilledIt: full.logBytes > full.fileBytes,
      notes: noteUids(database).length,
      integrity: database.all('PRAGMA integrity_check'),
    }).toEqual({
      logFilledIt: true,
      notes: acknowledged + 10,
      integrity: [{ integrity_check: 'ok' }],
    });
  } finally {
    database.close();
    dispose();
  }
});
