import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FileSystem } from '../../../../src/store/engine/fileSystem';
import { NodeFileSystem } from '../../../../src/store/engine/nodeFileSystem';
import { SimulatedDisk } from '../../../support/simulatedDisk';
import { acquireLock } from '../../../../src/store/lock/acquireLock';
import { SystemProcessTable } from '../../../../src/store/lock/processLookup';
import { testSqlite } from '../../../support/sqlite';
import { addNotes, noteTable, noteUids, openTestDatabase } from '../../../support/testStore';

interface LockableDisk {
  readonly fileSystem: FileSystem;
  readonly root: string;
  makeReadOnly(): void;
  dispose(): void;
}

/** A real file system that is mounted read-only later, where this process may mount one (root on Linux); a simulated one elsewhere. */
function lockableDisk(): LockableDisk {
  const root = mkdtempSync(join(tmpdir(), 'hermes-readonly-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', root], { stdio: 'ignore' });
  } catch {
    rmSync(root, { recursive: true });
    const disk = new SimulatedDisk();
    return { fileSystem: disk, root: '/disk', makeReadOnly: () => (disk.readOnly = true), dispose: () => undefined };
  }
  return {
    fileSystem: new NodeFileSystem(),
    root,
    makeReadOnly: () => void execFileSync('mount', ['-o', 'remount,ro', root]),
    dispose: () => {
      execFileSync('umount', [root]);
      rmSync(root, { recursive: true });
    },
  };
}

test('a read-only disk: the store is read, log included; a missing store and the lock report the reason', async () => {
  const sqlite = await testSqlite();
  const { fileSystem, root, makeReadOnly, dispose } = lockableDisk();
  try {
    const folder = join(root, 'store');
    const writer = openTestDatabase(sqlite, fileSystem, folder).database;
    writer.execute(noteTable);
    addNotes(writer, 0, 10);
    writer.abandon();
    makeReadOnly();

    const { database, report } = openTestDatabase(sqlite, fileSystem, folder);
    expect([report.readOnly?.causeClass, noteUids(database).length]).toEqual(['readOnly', 10]);
    database.close();
    const readOnly = expect.objectContaining({ name: 'StoreError', causeClass: 'readOnly' });
    expect(() => openTestDatabase(sqlite, fileSystem, join(root, 'nothing', 'here'))).toThrow(readOnly);
    for (const place of [folder, join(root, 'nothing', 'here')]) {
      const lock = { fileSystem, folder: place, processes: new SystemProcessTable(), now: () => 1 };
      expect(() => acquireLock(lock)).toThrow(readOnly);
    }
  } finally {
    dispose();
  }
});
