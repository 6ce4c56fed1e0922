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

  it('that fails rejects, and the history opens again', async () => {
    const folder = new FakeFolder();
    const { connection } = window(folder, 'only');
    await connection.open();
    const failing = connection.whileClosed(() => Promise.reject(new Error('damaged backup')));
    await expect(failing).rejects.toThrow('damaged backup');
    await connection.store.setDraft('new', 'typed after it');
    expect([connection.state.kind, folder.drafts.get('new')]).toEqual(['open', 'typed after it']);
  });

  it('is refused in a window that does not have the history', async () => {
    const folder = new FakeFolder();
    const first = window(folder, 'first');
    await first.connection.open();
    await window(folder, 'second').connection.open();
    let ran = false;
    const refused = first.connection.whileClosed(async () => void (ran = true));
    await expect(refused).rejects.toMatchObject({ causeClass: 'locked' });
    expect([ran, folder.owner?.window]).toEqual([false, 'second']);
  });
});

describe('a history that moves between windows', () => {
  it('is handed over by a window without a running turn, and back again', async () => {
    const folder = new FakeFolder();
    const first = window(folder, 'first');
    await first.connection.open();
    await first.connection.store.setDraft('new', 'typed in the first window');

    const second = window(folder, 'second');
    await second.connection.open();
    const readInSecond = await second.connection.store.draft('new');
    const during = [first.connection.state.kind, second.connection.state.kind];
    await second.connection.store.setDraft('new', 'typed in the second window');

    await first.connection.reclaim();
    expect({
      readInSecond,
      during,
      readInFirst: await first.connection.store.draft('new'),
      after: [first.connection.state.kind, second.connection.state.kind],
      atOnce: folder.mostOpenAtOnce,
      log: folder.log,
    }).toEqual({
      readInSecond: 'typed in the first window',
      during: ['continuedElsewhere', 'open'],
      readInFirst: 'typed in the second window',
      after: ['open', 'continuedElsewhere'],
      atOnce: 1,
      log: ['first opens', 'first closes', 'second opens', 'second closes', 'first opens'],
    });
  });

  it('explains in the old window why nothing can be asked there any more', async () => {
    const folder = new FakeFolder();
    const first = window(folder, 'first');
    await first.connection.open();
    await window(folder, 'second').connection.open();
    await expect(first.connection.store.draft('new')).rejects.toMatchObject({
      causeClass: 'locked',
      message: 'Your sessions continued in another window. Choose Continue Here to use this window.',
    });
  });

  it('stays where a turn runs; the newcomer is notified and takes over once it has waited', async () => {
    const folder = new FakeFolder();
    const turn = runningTurn('Fix the retry timer');
    const owner = window(folder, 'owner', turn.guard);
    await owner.connection.open();
    const newcomer = window(folder, 'newcomer');
    await newcomer.connection.open();
    const before = [owner.connection.state.kind, newcomer.connection.state];

    newcomer.connection.waitForOwner();
    const whileWaiting = newcomer.connection.state;
    await passing(300);
    const stillWaiting = owner.connection.state.kind;
    turn.settle();
    await reached(newcomer.connection, 'open');
    expect({ before, whileWaiting, stillWaiting, after: owner.connection.state.kind, stopped: turn.stopped() }).toEqual(
      {
        before: ['open', { kind: 'waitingForOwner', sessionTitle: 'Fix the retry timer', chosen: 'nothing' }],
        whileWaiting: { kind: 'waitingForOwner', sessionTitle: 'Fix the retry timer', chosen: 'wait' },
        stillWaiting: 'open',
        after: 'continuedElsewhere',
        stopped: false,
      },
    );
  });

  it('is taken from a settled owner only when the newcomer asked for it', async () => {
    const folder = new FakeFolder();
    const turn = runningTurn('Long work');
    const owner = window(folder, 'owner', turn.guard);
    await owner.connection.open();
    const newcomer = window(folder, 'newcomer');
    await newcomer.connection.open();
    turn.settle();
    await passing(400);
    expect([owner.connection.state.kind, newcomer.connection.state.kind]).toEqual(['open', 'waitingForOwner']);
  });

  it('stops the owner’s turn when the newcomer asks for that', async () => {
    const folder = new FakeFolder();
    const turn = runningTurn('Long work');
    const owner = window(folder, 'owner', turn.guard);
    await owner.connection.open();
    const newcomer = window(folder, 'newcomer');
    await newcomer.connection.open();
    newcomer.connection.askOwnerToStop();
    await reached(newcomer.connection, 'open');
    expect({ stopped: turn.stopped(), owner: owner.connection.state.kind, atOnce: folder.mostOpenAtOnce }).toEqual({
      stopped: true,
      owner: 'continuedElsewhere',
      atOnce: 1,
    });
  });

  it('is handed over together with its queued turns', async () => {
    const folder = new FakeFolder();
    const said: string[] = [];
    const guard: TurnGuard = {
      isBusy: () => null,
      stopRunning: () => Promise.resolve(),
      leaveWaiting: () => void said.push('left'),
    };
    const owner = window(folder, 'owner', guard);
    owner.connection.onDidChangeState(({ kind }) => said.push(kind));
    await owner.connection.open();
    await window(folder, 'newcomer').connection.open();
    expect(said.slice(-2)).toEqual(['left', 'continuedElsewhere']);
  });

  it('goes to a newcomer that had chosen nothing when the busy owner’s window closes', async () => {
    const folder = new FakeFolder();
    const owner = window(folder, 'owner', runningTurn('Long work').guard);
    await owner.connection.open();
    const newcomer = window(folder, 'newcomer');
    await newcomer.connection.open();
    await owner.connection.close();
    await reached(newcomer.connection, 'open');
    expect(folder.log).toEqual(['owner opens', 'owner closes', 'newcomer opens']);
  });

  it('ends up in exactly one window when many start at once', async () => {
    const folder = new FakeFolder();
    const windows = Array.from({ length: 8 }, (_, index) => window(folder, `window ${index}`));
    await Promise.all(windows.map(({ connection }) => connection.open()));
    const states = windows.map(({ connection }) => connection.state.kind).sort();
    expect({
      open: states.filter((kind) => kind === 'open').length,
      others: [...new Set(states)].sort(),
      atOnce: folder.mostOpenAtOnce,
    }).toEqual({
      open: 1,
      others: ['continuedElsewhere', 'open'],
      atOnce: 1,
    });
  });

  it('finishes earlier requests before it is handed over', async () => {
    const folder = new FakeFolder();
    const first = window(folder, 'first');
    await first.connection.open();
    const second = window(folder, 'second');
    const [written] = await Promise.all([first.connection.store.setDraft('a', 'kept'), second.connection.open()]);
    expect({ written, read: await second.connection.store.draft('a') }).toEqual({ written: undefined, read: 'kept' });
  });

  it('is handed over even while the owner is still opening it', async () => {
    const folder = new FakeFolder();
    const slow = window(folder, 'slow');
    slow.home.openDelay = passing(150);
    const opening = slow.connection.open();
    await passing(20);
    const second = window(folder, 'second');
    await second.connection.open();
    await opening;
    expect({ states: [slow.connection.state.kind, second.connection.state.kind], log: folder.log }).toEqual({
      states: ['continuedElsewhere', 'open'],
      log: ['slow opens', 'slow closes', 'second opens'],
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

  it('shows nothing of a folder that is still being opened when it leaves', async () => {
    const [left, next] = [new FakeFolder(), new FakeFolder()];
    const { connection, home } = window(left, 'left');
    home.openDelay = passing(60);
    const opened: number[] = [];
    connection.onDidChangeState((state) => state.kind === 'open' && opened.push(next.openIn.size));
    void connection.open();
    await passing(10);
    await connection.moveTo(new FakeHome(next, 'next'));
    expect({ opened, left: [left.log, left.owner], next: next.log }).toEqual({
      opened: [1],
      left: [['left opens', 'left closes'], null],
      next: ['next opens'],
    });
  });

  it('leaves a folder even if that folder belongs to a window that answers', async () => {
    const [left, next] = [new FakeFolder(), new FakeFolder()];
    await window(left, 'owner', runningTurn('Long work').guard).connection.open();
    const { connection } = window(left, 'left');
    await connection.open();
    const before = connection.state.kind;
    await connection.moveTo(new FakeHome(next, 'next'));
    expect([before, connection.state.kind, left.log, next.log]).toEqual([
      'waitingForOwner',
      'open',
      ['owner opens'],
      ['next opens'],
    ]);
  });

  it('opens nothing where nothing was opened before', async () => {
    const [left, next] = [new FakeFolder(), new FakeFolder()];
    const { connection } = window(left, 'left');
    await connection.moveTo(new FakeHome(next, 'next'));
    const before = [...next.log];
    await connection.open();
    expect({ left: left.log, before, after: next.log }).toEqual({ left: [], before: [], after: ['next opens'] });
  });

  it('knows whether the user has anything in the folder', async () => {
    const folder = new FakeFolder();
    const { connection } = window(folder, 'only');
    await connection.open();
    await connection.store.draft('new');
    await connection.store.sessionMode('s1');
    const looked = connection.isUsed;
    await connection.store.setDraft('new', 'typed');
    expect([looked, connection.isUsed]).toEqual([false, true]);
  });
});

describe('an owner that does not answer', () => {
  it('leads to a clear failure, and a retry opens the store once the owner is gone', async () => {
    const folder = new FakeFolder();
    folder.owner = {
      endpoint: { socketPath: '/nonexistent/s.sock', token: 'x' },
      window: 'process 4711 on this machine',
    };
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
    folder.owner = {
      endpoint: { socketPath: '/nonexistent/s.sock', token: 'x' },
      window: 'process 4711 on this machine',
    };
    const { connection, askAgain } = window(folder, 'newcomer');
    const states: string[] = [];
    connection.onDidChangeState(({ kind }) => states.push(kind));
    await connection.open();
    const failed = states.length;
    askAgain();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const stillSaid = states.slice(failed);
    folder.owner = null;
    askAgain();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect({ stillSaid, then: states.slice(failed), state: connection.state.kind, open: folder.openIn.size }).toEqual({
      stillSaid: [],
      then: ['opening', 'open'],
      state: 'open',
      open: 1,
    });
  });

  it('is asked by Try Again and by the timer at once, and the store is opened once', async () => {
    const folder = new FakeFolder();
    folder.owner = {
      endpoint: { socketPath: '/nonexistent/s.sock', token: 'x' },
      window: 'process 4711 on this machine',
    };
    const { connection, askAgain } = window(folder, 'newcomer');
    await connection.open();
    folder.owner = null;
    askAgain();
    await connection.retry();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect({ state: connection.state.kind, opened: folder.log, most: folder.mostOpenAtOnce }).toEqual({
      state: 'open',
      opened: ['newcomer opens'],
      most: 1,
    });
  });

  it('is no longer asked by a window that is closed', async () => {
    const folder = new FakeFolder();
    folder.owner = {
      endpoint: { socketPath: '/nonexistent/s.sock', token: 'x' },
      window: 'process 4711 on this machine',
    };
    const { connection, askAgain } = window(folder, 'newcomer');
    await connection.open();
    await connection.close();
    folder.owner = null;
    askAgain();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect({ state: connection.state.kind, opened: folder.log }).toEqual({ state: 'closed', opened: [] });
  });

  it('is awaited without a failure while its window is closing', async () => {
    const folder = new FakeFolder();
    folder.owner = { endpoint: { socketPath: '/nonexistent/s.sock', token: 'x' }, window: 'old host' };
    const newcomer = window(folder, 'newcomer');
    const opening = newcomer.connection.open();
    setTimeout(() => (folder.owner = null), 250);
    await opening;
    expect(newcomer.connection.state.kind).toBe('open');
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

  it('touches nothing any more once another process has replaced it', async () => {
    const folder = new FakeFolder();
    const { connection, home } = window(folder, 'frozen');
    await connection.open();
    const thief = { endpoint: { socketPath: '/nonexistent', token: 'y' }, window: 'thief' };
    folder.owner = thief;
    home.current.nextFailure = new StoreError('replaced', 'Another process took this history.', 'fence');
    await expect(connection.store.draft('new')).rejects.toMatchObject({ causeClass: 'replaced' });
    await passing(10);
    expect({ state: connection.state.kind, owner: folder.owner === thief, log: folder.log }).toEqual({
      state: 'failed',
      owner: true,
      log: ['frozen opens', 'frozen abandons'],
    });
  });

  it('requests the lock again when it was taken while the store had failed', async () => {
    const folder = new FakeFolder();
    const { connection, home } = window(folder, 'only');
    await connection.open();
    home.current.die(new StoreError('unknown', 'The thread has stopped.', 'test'));
    folder.owner = null;
    await connection.retry();
    expect({
      state: connection.state.kind,
      fences: new Set(home.opened.map(({ options }) => options.fence)).size,
    }).toEqual({ state: 'open', fences: 2 });
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
    await new Promise((resolve) => setTimeout(resolve, 50));
    const { state } = connection;
    expect({
      states,
      regained: state.kind === 'open' && state.regained?.message,
      log: folder.log,
      most: folder.mostOpenAtOnce,
    }).toEqual({
      states: ['opening', 'open'],
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
    // The thread that has the files open is asked first.
    await new Promise(setImmediate);
    expect([afterFull, connection.state.kind]).toEqual(['open', 'failed']);
  });

  it('is open and usable in one window, even when it is requested back at the moment of its release', async () => {
    const folder = new FakeFolder();
    const first = window(folder, 'first');
    await first.connection.open();
    const listening = first.connection.onDidChangeState((state) => {
      if (state.kind !== 'continuedElsewhere') return;
      listening.dispose();
      void first.connection.reclaim();
    });
    const second = window(folder, 'second');
    await second.connection.open();
    await passing(100);
    const both = [first.connection, second.connection];
    const owner = both.find(({ state }) => state.kind === 'open');
    await owner?.store.setDraft('new', 'kept');
    expect({
      states: both.map(({ state }) => state.kind).sort(),
      draft: await owner?.store.draft('new'),
      atOnce: folder.mostOpenAtOnce,
    }).toEqual({
      states: ['continuedElsewhere', 'open'],
      draft: 'kept',
      atOnce: 1,
    });
  });

  it('keeps running after refusals that are no failure of the store', async () => {
    const { connection, home } = window(new FakeFolder(), 'only');
    await connection.open();
    home.current.nextFailure = new StoreError('full', 'The disk is full.', 'ENOSPC');
    await expect(connection.store.draft('new')).rejects.toMatchObject({ causeClass: 'full' });
    home.current.nextFailure = null;
    expect({ state: connection.state.kind, draft: await connection.store.draft('new') }).toEqual({
      state: 'open',
      draft: '',
    });
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

  it('gives up the lock of a failed window to a newcomer that asks', async () => {
    const folder = new FakeFolder();
    const first = window(folder, 'first');
    first.home.openFailure = new StoreError('newer', 'A newer version wrote this file.', 'user_version 9');
    await first.connection.open();
    const second = window(folder, 'second');
    await second.connection.open();
    expect([first.connection.state.kind, second.connection.state.kind]).toEqual(['continuedElsewhere', 'open']);
  });

  it('is closed by a close that immediately follows the opening', async () => {
    const folder = new FakeFolder();
    const { connection } = window(folder, 'only');
    void connection.open();
    await connection.close();
    expect({ state: connection.state.kind, owner: folder.owner }).toEqual({ state: 'closed', owner: null });
  });

  it('is closed for good by close, also twice and also while it opens', async () => {
    const folder = new FakeFolder();
    const { connection, home } = window(folder, 'only');
    home.openDelay = passing(50);
    void connection.open();
    await passing(10);
    await Promise.all([connection.close(), connection.close()]);
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

function runningTurn(sessionTitle: string): { guard: TurnGuard; settle(): void; stopped(): boolean } {
  let running = true;
  let stopped = false;
  return {
    guard: {
      isBusy: () => (running ? { sessionTitle } : null),
      stopRunning: async () => {
        stopped = true;
        running = false;
      },
      leaveWaiting: () => undefined,
    },
    settle: () => {
      running = false;
    },
    stopped: () => stopped,
  };
}

function reached(connection: StoreConnection, kind: StoreState['kind']): Promise<void> {
  return new Promise((resolve) => {
    if (connection.state.kind === kind) return resolve();
    connection.onDidChangeState((state) => {
      if (state.kind === kind) resolve();
    });
  });
}

function passing(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
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
