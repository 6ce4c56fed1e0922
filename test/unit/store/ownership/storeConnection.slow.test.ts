import { afterEach, describe, expect, it } from 'vitest';
import { systemClock, type Clock } from '../../../../src/base/clock';
import { silentLog } from '../../../../src/base/log';
import { StoreConnection } from '../../../../src/store/ownership/storeConnection';
import type { StoreState } from '../../../../src/store/ownership/storeState';
import { StoreError } from '../../../../src/store/storeError';
import { FakeFolder, FakeHome } from './fakeHome';

const opened: StoreConnection[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((connection) => connection.close()));
});

describe('work on the files of a closed history', () => {
  it('runs without the file open and without the lock, and the history opens again after it', async () => {
    const folder = new FakeFolder();
    const { connection } = window(folder, 'only');
    await connection.open();
    const during = await connection.whileClosed(async () => ({ open: folder.openIn.size, owner: folder.owner }));
    expect({ during, after: connection.state.kind, owner: folder.owner?.window, log: folder.log }).toEqual({
      during: { open: 0, owner: null },
      after: 'open',
      owner: 'only',
      log: ['only opens', 'only closes', 'only opens'],
    });
  });
});

describe('a window that moves to another folder', () => {
  it('closes what it had open and continues there with the same store', async () => {
    const [left, next] = [new FakeFolder(), new FakeFolder()];
    next.drafts.set('new', 'written there before');
    const { connection } = window(left, 'left');
    await connection.open();
    const states: StoreState['kind'][] = [];
    connection.onDidChangeState((state) => states.push(state.kind));
    await connection.moveTo(new FakeHome(next, 'next'));
    expect({ states, read: await connection.store.draft('new'), left: [left.log, left.owner], next: next.log }).toEqual(
      {
        states: ['opening', 'open'],
        read: 'written there before',
        left: [['left opens', 'left closes'], null],
        next: ['next opens'],
      },
    );
  });
});

describe('a request to take over', () => {
  it('waits for an opening that has begun without it', async () => {
    const { connection } = window(new FakeFolder(), 'only');
    const opening = connection.open();
    await connection.takeOver();
    const after = connection.state.kind;
    await opening;
    expect(after).toBe('open');
  });
});

describe('a store that fails', () => {
  it('is opened again when its thread dies, and keeps the lock', async () => {
    const folder = new FakeFolder();
    const { connection, home } = window(folder, 'only');
    await connection.open();
    const lock = folder.owner;
    home.current.die(new StoreError('unknown', 'The thread has stopped.', 'test'));
    const meanwhile = connection.state;
    const call = connection.store.draft('new');
    await expect(call).rejects.toMatchObject({ message: 'The thread has stopped.' });
    const kept = folder.owner === lock;
    await connection.open();
    expect({ meanwhile: meanwhile.kind, kept, after: connection.state.kind, opened: home.opened.length }).toEqual({
      meanwhile: 'opening',
      kept: true,
      after: 'open',
      opened: 2,
    });
  });

  it('salvages after damage was met, and only then', async () => {
    const folder = new FakeFolder();
    const { connection, home } = window(folder, 'only');
    await connection.open();
    home.current.nextFailure = new StoreError('corrupt', 'The file is damaged.', 'SQLITE_CORRUPT');
    await expect(connection.store.draft('new')).rejects.toMatchObject({ causeClass: 'corrupt' });
    await connection.open();
    home.current.die(new StoreError('unknown', 'The thread has stopped.', 'test'));
    await connection.retry();
    expect({ salvage: home.opened.map(({ options }) => options.salvage), log: folder.log }).toEqual({
      salvage: [false, true, false],
      log: ['only opens', 'only abandons', 'only opens', 'only dies', 'only opens'],
    });
  });

  it('acquires the lock again and opens once when the lock file is gone, without a failure in between', async () => {
    const folder = new FakeFolder();
    const { connection, home, heartbeat } = window(folder, 'only');
    const states: string[] = [];
    await connection.open();
    connection.onDidChangeState(({ kind }) => states.push(kind));
    home.heartbeatFailure = new StoreError('deleted', 'The lock was deleted.', 'gone');
    folder.owner = null;
    heartbeat();
    home.heartbeatFailure = null;
    await expect.poll(() => states).toEqual(['opening', 'open']);
    const { state } = connection;
    expect({
      regained: state.kind === 'open' && state.regained?.message,
      log: folder.log,
      most: folder.mostOpenAtOnce,
    }).toEqual({
      regained: 'The lock was deleted.',
      log: ['only opens', 'only abandons', 'only opens'],
      most: 1,
    });
  });

  it('survives a heartbeat that merely failed to write', async () => {
    const { connection, home, heartbeat } = window(new FakeFolder(), 'only');
    await connection.open();
    home.heartbeatFailure = new StoreError('full', 'The disk is full.', 'ENOSPC');
    heartbeat();
    expect(connection.state.kind).toBe('open');
  });

  it('opens for reading where no lock can be written, and for writing after a retry', async () => {
    const { connection, home } = window(new FakeFolder(), 'only');
    home.lockFailure = new StoreError('readOnly', 'The folder is read-only.', 'EROFS');
    await connection.open();
    const before = connection.state.kind;
    const fences = home.opened.map(({ options }) => options.fence === null);
    home.lockFailure = null;
    await connection.retry();
    expect({ before, fences, after: connection.state.kind }).toEqual({
      before: 'readOnly',
      fences: [true],
      after: 'open',
    });
  });

  it('is closed for good by close, also twice and also while it opens', async () => {
    const folder = new FakeFolder();
    const { connection, home } = window(folder, 'only');
    let opens: () => void = () => undefined;
    home.openDelay = new Promise((resolve) => (opens = resolve));
    void connection.open();
    await expect.poll(() => home.attempts).toBe(1);
    const closed = Promise.all([connection.close(), connection.close()]);
    opens();
    await closed;
    await connection.open();
    expect({ state: connection.state.kind, owner: folder.owner, open: folder.openIn.size }).toEqual({
      state: 'closed',
      owner: null,
      open: 0,
    });
  });
});

function window(folder: FakeFolder, name: string) {
  const home = new FakeHome(folder, name);
  let heartbeat: () => void = () => undefined;
  const clock: Clock = {
    ...systemClock,
    after: (delayMs, callback) => {
      if (delayMs !== 15_000) return systemClock.after(delayMs, callback);
      heartbeat = callback;
      return () => undefined;
    },
  };
  const connection = new StoreConnection(home, clock, silentLog);
  opened.push(connection);
  return { connection, home, heartbeat: () => heartbeat() };
}
