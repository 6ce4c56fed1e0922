import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock, type Clock } from '../../../../src/base/clock';
import { silentLog } from '../../../../src/base/log';
import { StoreConnection, type TurnGuard } from '../../../../src/store/ownership/storeConnection';
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

const silent = { endpoint: { socketPath: '/nonexistent/s.sock', token: 'x' }, window: 'process 4711 on this machine' };

describe('an owner that does not answer', () => {
  it('leads to a clear failure, and a retry opens the store once the owner is gone', async () => {
    const folder = new FakeFolder();
    folder.owner = silent;
    const newcomer = window(folder, 'newcomer');
    await newcomer.connection.open();
    const failed = newcomer.connection.state;
    folder.owner = null;
    await newcomer.connection.retry();
    expect({
      cause: failed.kind === 'failed' ? [failed.error.causeClass, failed.error.message] : failed,
      after: newcomer.connection.state.kind,
    }).toEqual({
      cause: [
        'locked',
        'Another window has your sessions open and isn’t responding (process 4711 on this machine). Close it or wait. Your sessions open here as soon as they are free.',
      ],
      after: 'open',
    });
  });

  it('is asked again until it is gone, and its notice then disappears', async () => {
    const folder = new FakeFolder();
    folder.owner = silent;
    const { connection, home, askAgain } = window(folder, 'newcomer');
    const states: string[] = [];
    connection.onDidChangeState(({ kind }) => states.push(kind));
    await connection.open();
    const [failed, { attempts }] = [states.length, home];
    askAgain();
    await expect.poll(() => home.attempts).toBeGreaterThan(attempts);
    const stillSaid = states.slice(failed);
    folder.owner = null;
    askAgain();
    await expect.poll(() => connection.state.kind).toBe('open');
    expect({ stillSaid, then: states.slice(failed), open: folder.openIn.size }).toEqual({
      stillSaid: [],
      then: ['opening', 'open'],
      open: 1,
    });
  });

  it('is asked by Try Again and by the timer at once, and the store is opened once', async () => {
    const folder = new FakeFolder();
    folder.owner = silent;
    const { connection, askAgain } = window(folder, 'newcomer');
    await connection.open();
    folder.owner = null;
    askAgain();
    await connection.retry();
    await connection.store.draft('new');
    expect({ state: connection.state.kind, opened: folder.log, most: folder.mostOpenAtOnce }).toEqual({
      state: 'open',
      opened: ['newcomer opens'],
      most: 1,
    });
  });

  it('hands over to no process that does not know the lock’s token', async () => {
    const folder = new FakeFolder();
    const owner = window(folder, 'owner');
    await owner.connection.open();
    const path = folder.owner?.endpoint.socketPath ?? '';
    const answers = [
      await saying(path, '{"v":1,"token":"guessed","ask":"handOver"}\n'),
      await saying(path, 'GET / HTTP/1.1\n'),
      await saying(path, 'x'.repeat(10_000)),
    ];
    expect({ answers, state: owner.connection.state.kind }).toEqual({
      answers: ['{"answer":"refused","reason":"The token is not the one in the lock."}\n', '', ''],
      state: 'open',
    });
  });
});

describe('a store that fails', () => {
  it('becomes a failed state when its thread dies, keeps the lock, and is opened again by a retry', async () => {
    const folder = new FakeFolder();
    const { connection, home } = window(folder, 'only');
    await connection.open();
    const lock = folder.owner;
    home.current.die(new StoreError('unknown', 'The thread has stopped.', 'test'));
    const failed = connection.state;
    const call = connection.store.draft('new');
    await expect(call).rejects.toMatchObject({ message: 'The thread has stopped.' });
    const kept = folder.owner === lock;
    await connection.retry();
    expect({ failed: failed.kind, kept, after: connection.state.kind, opened: home.opened.length }).toEqual({
      failed: 'failed',
      kept: true,
      after: 'open',
      opened: 2,
    });
  });

  it('salvages on the retry after damage was met, and only then', async () => {
    const folder = new FakeFolder();
    const { connection, home } = window(folder, 'only');
    await connection.open();
    home.current.nextFailure = new StoreError('corrupt', 'The file is damaged.', 'SQLITE_CORRUPT');
    await expect(connection.store.draft('new')).rejects.toMatchObject({ causeClass: 'corrupt' });
    await connection.retry();
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

  it('notices at a heartbeat that it was replaced, and survives a heartbeat that merely failed to write', async () => {
    const folder = new FakeFolder();
    const { connection, home, heartbeat } = window(folder, 'only');
    await connection.open();
    home.heartbeatFailure = new StoreError('full', 'The disk is full.', 'ENOSPC');
    heartbeat();
    const afterFull = connection.state.kind;
    home.heartbeatFailure = null;
    folder.owner = { endpoint: { socketPath: '/nonexistent', token: 'y' }, window: 'thief' };
    heartbeat();
    await expect.poll(() => connection.state.kind).toBe('failed');
    expect(afterFull).toBe('open');
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

function window(
  folder: FakeFolder,
  name: string,
  guard?: TurnGuard,
): { connection: StoreConnection; home: FakeHome; heartbeat: () => void; askAgain: () => void } {
  const home = new FakeHome(folder, name);
  let heartbeat: () => void = () => undefined;
  let askAgain: () => void = () => undefined;
  const clock: Clock = {
    ...systemClock,
    after: (delayMs, callback) => {
      if (delayMs === 5000 && home.opened.length === 0) {
        askAgain = callback;
        return () => (askAgain = () => undefined);
      }
      if (delayMs !== 15_000) return systemClock.after(delayMs, callback);
      heartbeat = callback;
      return () => undefined;
    },
  };
  const connection = new StoreConnection(home, clock, silentLog, {
    answerMs: 5001,
    closingMs: 5001,
    lockedMs: 600,
    invisibleLockedMs: 1200,
    retryMs: 20,
  });
  if (guard) connection.setTurnGuard(guard);
  opened.push(connection);
  return { connection, home, heartbeat: () => heartbeat(), askAgain: () => askAgain() };
}

/** What a socket answers to these bytes before it closes. */
function saying(path: string, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(path);
    let heard = '';
    socket.on('data', (data) => (heard += data.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(heard));
    socket.write(bytes);
  });
}
