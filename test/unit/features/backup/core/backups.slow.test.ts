import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bringBack } from '../../../../../src/store/library/bringBack';
import { FileSystemError } from '../../../../../src/store/engine/fileSystem';
import { NodeFileSystem } from '../../../../../src/store/engine/nodeFileSystem';
import { storeFiles } from '../../../../../src/store/open/storeFiles';
import { inProcessStore } from '../../../../support/inProcessStore';
import { spoken } from '../../../store/ownership/turnBuilder';
import { converse } from '../../../store/library/libraryWorld';
import { backupWorld, gigabyte, scheduled, type BackupWorld } from './backupWorld';

let world: BackupWorld;
beforeEach(async () => {
  world = await backupWorld();
});
afterEach(() => world.remove());

describe('making a backup', () => {
  it('has every commit of a store that is open, also those only in its log', () => {
    const owner = world.open();
    converse(owner.operations, 's1', 'In the file');
    owner.operations.checkpoint();
    converse(owner.operations, 's2', 'In the log');
    const { backup, isNew } = world.backups.make(scheduled);
    owner.close();

    const copy = world.backups.takeCopy(backup.id, null);
    const restored = world.open(copy.folder);
    expect({
      isNew,
      sessions: backup.manifest.sessions,
      problems: world.backups.verify(null),
      said: ['s1', 's2'].map((id) => spoken(restored.operations.activeMessages(id))),
      integrity: restored.operations.verifyIntegrity(),
    }).toEqual({
      isNew: true,
      sessions: 2,
      problems: [],
      said: [
        ['user: In the file?', 'assistant: In the file'],
        ['user: In the log?', 'assistant: In the log'],
      ],
      integrity: [],
    });
    restored.close();
  });

  it('makes nothing when nothing changed, and stores only changed pages when something did', () => {
    const owner = world.open();
    for (let n = 0; n < 40; n++) converse(owner.operations, `s${n}`, `Text ${n} `.repeat(2000));
    owner.operations.checkpoint();
    const first = world.backups.make(scheduled);
    world.clock.now += 3600;
    const same = world.backups.make(scheduled);
    converse(owner.operations, 'later', 'A little more');
    const second = world.backups.make(scheduled);
    owner.close();
    const { main, addedBytes } = second.backup.manifest;
    const known = new Set(first.backup.manifest.main.chunks);
    expect({
      same: [same.isNew, same.backup.id === first.backup.id],
      new: second.isNew,
      chunks: main.chunks.length > 10,
      changed: main.chunks.filter((hash) => !known.has(hash)).length <= 8,
      added: addedBytes < first.backup.manifest.addedBytes / 2,
      listed: world.backups.list().backups.map(({ id }) => id),
    }).toEqual({
      same: [false, true],
      new: true,
      chunks: true,
      changed: true,
      added: true,
      listed: [second.backup.id, first.backup.id],
    });
  });

  it.skipIf(process.platform === 'win32')('is readable by the user alone', () => {
    const owner = world.open();
    converse(owner.operations, 's1', 'Mine');
    world.backups.make(scheduled);
    owner.close();
    const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);
    expect([
      mode(world.place.backups),
      mode(join(world.place.backups, 'chunks')),
      ...new Set(world.files().map((name) => mode(join(world.place.backups, name)))),
    ]).toEqual(['700', '700', '600']);
  });

  it('keeps the earlier backups when the disk is full, and gives back the room', () => {
    const owner = world.open();
    converse(owner.operations, 's1', 'First');
    const { backup } = world.backups.make(scheduled);
    const before = world.files();
    converse(owner.operations, 's2', 'Second '.repeat(100_000));
    let left = 3;
    class FullDisk extends NodeFileSystem {
      override open(path: string, mode: Parameters<NodeFileSystem['open']>[1]): ReturnType<NodeFileSystem['open']> {
        if (path.includes('chunks') && mode === 'createNew' && left-- <= 0)
          throw new FileSystemError('ENOSPC', 'open', path);
        return super.open(path, mode);
      }
    }
    const failing = world.over({ fileSystem: new FullDisk() });
    expect(() => failing.make(scheduled)).toThrow(expect.objectContaining({ causeClass: 'full' }));
    owner.close();
    expect({ files: world.files(), problems: world.backups.verify(backup.id) }).toEqual({
      files: before,
      problems: [],
    });
  });

  it('writes a damaged chunk again when the store still has it', () => {
    const owner = world.open();
    converse(owner.operations, 's1', 'Kept '.repeat(100_000));
    owner.operations.checkpoint();
    const { backup } = world.backups.make(scheduled);
    const hash = backup.manifest.main.chunks[3] ?? '';
    const path = join(world.place.backups, 'chunks', hash.slice(0, 2), hash);
    writeFileSync(path, readFileSync(path).fill(7, 20, 30));
    const damaged = world.backups.verify(null);
    converse(owner.operations, 's2', 'More');
    world.backups.make(scheduled);
    owner.close();
    expect({ damaged, after: world.backups.verify(null) }).toEqual({
      damaged: [`backup ${backup.id}: chunk ${hash} is damaged or missing`],
      after: [],
    });
  });
});

describe('before a migration', () => {
  it('makes a backup of a store of an older version, and none of the newest', () => {
    const owner = world.open();
    converse(owner.operations, 's1', 'Old schema');
    owner.close();
    const current = world.backups.makeBeforeMigration(gigabyte);
    const { main } = storeFiles(world.place.store);
    const bytes = readFileSync(main);
    bytes.writeInt32BE(5, 60);
    writeFileSync(main, bytes);
    const made = world.backups.makeBeforeMigration(gigabyte)?.backup.manifest;
    expect([current, made?.reason, made?.schemaVersion, made?.sessions]).toEqual([null, 'migration', 5, 1]);
  });
});

describe('restoring', () => {
  it('puts a backup in place of the store, and backs up what was there', () => {
    const owner = world.open();
    converse(owner.operations, 's1', 'Old');
    const old = world.backups.make(scheduled).backup;
    world.clock.now += 60;
    converse(owner.operations, 's2', 'New');
    owner.close();
    rmSync(storeFiles(world.place.store).lock);

    const { before, quarantined } = world.backups.restore(old.id, gigabyte);
    const restored = world.open();
    const sessions = restored.operations.listSessions({ limit: 9 }).map(({ id }) => id);
    restored.close();
    const kept = world.backups.contents(before ?? '').map(({ id }) => id);
    expect({ sessions, kept, quarantined }).toEqual({ sessions: ['s1'], kept: ['s1', 's2'], quarantined: null });
  });

  it('changes nothing when the backup is damaged, or the store is open elsewhere', () => {
    const owner = world.open();
    converse(owner.operations, 's1', 'Old '.repeat(50_000));
    const { id, manifest } = world.backups.make(scheduled).backup;
    owner.close();
    const content = (): string => readFileSync(storeFiles(world.place.store).main, 'latin1');
    const before = content();
    writeFileSync(storeFiles(world.place.store).lock, '');
    const inUse = causeOf(() => world.backups.restore(id, gigabyte));
    rmSync(storeFiles(world.place.store).lock);
    const hash = manifest.main.chunks[2] ?? '';
    rmSync(join(world.place.backups, 'chunks', hash.slice(0, 2), hash));
    const damaged = causeOf(() => world.backups.restore(id, gigabyte));
    expect({ inUse, damaged, same: content() === before }).toEqual({
      inUse: 'locked',
      damaged: 'corrupt',
      same: true,
    });
  });

  it('sets a damaged store aside, with its log', () => {
    const owner = world.open();
    converse(owner.operations, 's1', 'Sound');
    const { id } = world.backups.make(scheduled).backup;
    owner.close();
    const { main, lock } = storeFiles(world.place.store);
    rmSync(lock);
    writeFileSync(main, 'not a database');
    const { before, quarantined } = world.backups.restore(id, gigabyte);
    const restored = world.open();
    const said = spoken(restored.operations.activeMessages('s1'));
    restored.close();
    expect({ before, aside: readFileSync(quarantined ?? '', 'utf8'), said }).toEqual({
      before: null,
      aside: 'not a database',
      said: ['user: Sound?', 'assistant: Sound'],
    });
  });

  it('brings single sessions back into the present history', async () => {
    const owner = world.open();
    const store = inProcessStore(owner);
    for (const id of ['s1', 's2', 's3']) converse(owner.operations, id, `Text of ${id}`);
    const { id } = world.backups.make(scheduled).backup;
    owner.operations.forgetSession('s2');
    owner.operations.forgetSession('s3');
    const brought = await bringBack(store, world.backups.takeCopy(id, ['s2']));
    const again = await bringBack(store, world.backups.takeCopy(id, ['s2']));
    const said = spoken(await store.activeMessages('s2'));
    const sessions = (await store.listSessions({ limit: 9 })).map((session) => session.id).sort();
    await store.close();
    expect({ brought, again, said, sessions }).toEqual({
      brought: { sessions: 1, messages: 2, skipped: 0, newIds: {} },
      again: { sessions: 0, messages: 0, skipped: 0, newIds: {} },
      said: ['user: Text of s2?', 'assistant: Text of s2'],
      sessions: ['s1', 's2'],
    });
  });
});

describe('forgetting a session', () => {
  const secret = 'Xylophonquartz';

  it('leaves no word of it in any backup, and every other session', () => {
    const owner = world.open();
    converse(owner.operations, 's1', 'Stays here');
    converse(owner.operations, 's2', `${secret} `.repeat(3000));
    owner.operations.setTitle('s2', `About ${secret}`, 'person');
    owner.operations.indexBatch(1000);
    const first = world.backups.make(scheduled).backup;
    world.clock.now += 3600;
    // A turn that runs and one that waits do not keep it from being erased.
    owner.operations.openTurn({
      turnUid: 't-open',
      sessionId: 's2',
      userMessage: { ...promptOf('s2', 't-open'), parts: [{ kind: 'text', text: `${secret} again` }] },
      model: 'm',
      startedAt: 3,
    });
    const second = world.backups.make(scheduled).backup;
    const had = world.everyByteOf(world.place.backups).includes(secret);
    const result = world.backups.forget(['s2']);
    owner.close();
    const bytes = world.everyByteOf(world.place.backups);
    const copies = [first, second].map(({ id }) => {
      const restored = world.open(world.backups.takeCopy(id, null).folder);
      const said = spoken(restored.operations.activeMessages('s1'));
      restored.close();
      return [said, world.backups.contents(id).map((entry) => entry.id)];
    });
    expect({
      had,
      result,
      left: bytes.includes(secret),
      problems: world.backups.verify(null),
      copies,
    }).toEqual({
      had: true,
      result: { rewritten: [first.id, second.id], removed: [], incomplete: [], unreadable: [], unreachable: [] },
      left: false,
      problems: [],
      copies: [first, second].map(() => [['user: Stays here?', 'assistant: Stays here'], ['s1']]),
    });
  });

  it('erases it from a folder that was not reachable when that is there again', () => {
    const elsewhere = join(world.root, 'disk', 'backups');
    const owner = world.open();
    converse(owner.operations, 's1', 'Stays');
    converse(owner.operations, 's2', secret);
    world.over({ backups: elsewhere }).make(scheduled);
    const disk = new NodeFileSystem();
    disk.rename(join(world.root, 'disk'), join(world.root, 'unplugged'));
    const now = world.backups.forget(['s2']).unreachable;
    disk.rename(join(world.root, 'unplugged'), join(world.root, 'disk'));
    const later = world.backups.continueForgetting();
    owner.close();
    expect({
      now,
      later: later.rewritten.length,
      left: world.everyByteOf(elsewhere).includes(secret),
      due: world.backups.continueForgetting().rewritten.length,
    }).toEqual({ now: [elsewhere], later: 1, left: false, due: 0 });
  });

  it('removes a damaged backup that may hold it', () => {
    const owner = world.open();
    converse(owner.operations, 's2', `${secret} `.repeat(20_000));
    const { id, manifest } = world.backups.make(scheduled).backup;
    owner.close();
    const hash = manifest.main.chunks[2] ?? '';
    rmSync(join(world.place.backups, 'chunks', hash.slice(0, 2), hash));
    expect({ ...world.backups.forget(['s2']), left: world.files() }).toMatchObject({ removed: [id], left: [] });
  });
});

function promptOf(sessionId: string, turnUid: string) {
  return {
    uid: `${turnUid}-prompt`,
    sessionId,
    turnUid,
    createdAt: 1,
    visibility: { kind: 'shown' },
    carriedFrom: null,
    role: 'user',
    parts: [],
  } as const;
}

function causeOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error instanceof Error && 'causeClass' in error ? error.causeClass : error;
  }
}
