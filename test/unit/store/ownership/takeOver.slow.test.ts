import { existsSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../../src/base/log';
import { askToRelease, TakeOverServer, type TakeOverOwner } from '../../../../src/store/ownership/takeOver';
import { StoreConnection, type WorkGuard } from '../../../../src/store/ownership/storeConnection';
import { systemClock } from '../../../../src/base/clock';
import { StoreError } from '../../../../src/store/storeError';
import { ManualClock } from '../../../support/manualClock';
import { FakeFolder, FakeHome } from './fakeHome';

const ended: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(ended.splice(0).map((end) => end()));
});

describe('a second window', () => {
  it('reads a snapshot, refuses to write, and leaves the history to the window in use', async () => {
    const folder = new FakeFolder();
    folder.drafts.set('new', 'typed in the first window');
    const first = window(folder, 'first');
    await first.opens();
    const second = window(folder, 'second');
    await second.opens();
    await second.clock.advance(120_000);
    second.home.current.nextFailure = new StoreError('readOnly', 'attempt to write a readonly database', '');
    const refused = await second.connection.store.setDraft('new', 'x').catch((error: StoreError) => error.message);
    second.home.current.nextFailure = null;
    expect({
      first: first.connection.state.kind,
      second: second.connection.state,
      refused,
      read: await second.connection.store.draft('new'),
    }).toMatchObject({
      first: 'open',
      second: { kind: 'elsewhere', report: { path: '/store/state.db' }, takeOver: 'offered' },
      refused: 'Your sessions are open in another window. Choose Take Over to continue here.',
      read: 'typed in the first window',
    });
  });

  it('takes over when the user asks, after the owner has settled its turns and its other work', async () => {
    const folder = new FakeFolder();
    const settled: string[] = [];
    const first = window(folder, 'first', {
      settle: async () => void settled.push('turns'),
      leaveWaiting: () => undefined,
      isLeft: async () => false,
    });
    await first.opens();
    let imported: () => void = () => undefined;
    const importing = first.connection.during(new Promise<void>((resolve) => (imported = resolve)));
    void importing.then(() => settled.push('import'));
    const second = window(folder, 'second');
    await second.opens();
    const taking = second.connection.takeOver();
    const asked = second.connection.state.kind === 'elsewhere' && second.connection.state.takeOver;
    await new Promise((resolve) => setTimeout(resolve, 200));
    const meanwhile = first.connection.state.kind;
    imported();
    await taking;
    await expect.poll(() => first.connection.state.kind).toBe('elsewhere');
    expect({ asked, meanwhile, settled, second: second.connection.state.kind, most: folder.mostOpenAtOnce }).toEqual({
      asked: 'asked',
      meanwhile: 'open',
      settled: ['import', 'turns'],
      second: 'open',
      most: 1,
    });
  });

  it.each([
    ['opens the history without a question when the page of its owner is gone', 'gone', 'open'],
    ['reads while the page of its owner responds', 'there', 'elsewhere'],
    ['reads while its owner does not answer', 'silent', 'elsewhere'],
  ] as const)('%s', async (_title, page, expected) => {
    const folder = new FakeFolder();
    const first = window(folder, 'first', {
      settle: async () => undefined,
      leaveWaiting: () => undefined,
      isLeft: () => (page === 'silent' ? new Promise(() => undefined) : Promise.resolve(page === 'gone')),
    });
    await first.opens();
    const second = window(folder, 'second');
    await second.opens();
    expect({
      first: first.connection.state.kind,
      second: second.connection.state.kind,
      most: folder.mostOpenAtOnce,
    }).toEqual({ first: page === 'gone' ? 'elsewhere' : 'open', second: expected, most: 1 });
  });

  it('waits for the import of a page that is gone, and then opens the history without a question', async () => {
    const folder = new FakeFolder();
    const first = window(folder, 'first', {
      settle: async () => undefined,
      leaveWaiting: () => undefined,
      isLeft: async () => true,
    });
    await first.opens();
    let imported: () => void = () => undefined;
    void first.connection.during(new Promise<void>((resolve) => (imported = resolve)));
    const second = window(folder, 'second');
    await second.opens();
    const meanwhile = second.connection.state.kind;
    imported();
    await expect.poll(async () => (await second.clock.advance(2000), second.connection.state.kind)).toBe('open');
    expect(meanwhile).toBe('elsewhere');
  });

  it('says that an owner does not respond, and can ask again', async () => {
    const folder = new FakeFolder();
    folder.owner = { endpoint: { socketPath: '/nonexistent/s.sock', token: 'x' }, window: 'process 4711' };
    const { connection, opens, takes } = window(folder, 'second');
    await opens();
    await takes();
    const unanswered = connection.state;
    folder.owner = null;
    await connection.takeOver();
    expect({ unanswered, after: connection.state.kind }).toMatchObject({
      unanswered: { kind: 'elsewhere', takeOver: 'unanswered', owner: 'process 4711' },
      after: 'open',
    });
  });

  it('opens the history at once when it has just started, but leaves it for half a minute to a window that reloads', async () => {
    const [folder, other] = [new FakeFolder(), new FakeFolder()];
    folder.owner = other.owner = { endpoint: { socketPath: '/nonexistent', token: 'x' }, window: 'old host' };
    const [reloaded, reader] = [window(folder, 'reloaded'), window(other, 'reader')];
    await reloaded.opens();
    await reader.opens();
    await reader.clock.advance(60_000);
    folder.owner = other.owner = null;
    await reloaded.clock.advance(2000);
    await expect.poll(() => reloaded.connection.state.kind).toBe('open');
    await reader.clock.advance(20_000);
    const soon = reader.connection.state.kind;
    await reader.clock.advance(15_000);
    await expect.poll(() => reader.connection.state.kind).toBe('open');
    expect(soon).toBe('elsewhere');
  });

  it('opens the history when its owner ends before it answers', async () => {
    const folder = new FakeFolder();
    folder.owner = { endpoint: { socketPath: '/nonexistent/s.sock', token: 'x' }, window: 'killed' };
    const second = window(folder, 'second');
    await second.opens();
    const taken = second.takes();
    setTimeout(() => (folder.owner = null), 100);
    await taken;
    expect(second.connection.state.kind).toBe('open');
  });

  it('leaves the history to the other window, while that one reloads, if it has just handed it over', async () => {
    const folder = new FakeFolder();
    const first = window(folder, 'first');
    await first.opens();
    const second = window(folder, 'second');
    await second.opens();
    await second.takes();
    await expect.poll(() => first.connection.state.kind).toBe('elsewhere');
    await second.connection.close();
    await first.clock.advance(10_000);
    const reloaded = window(folder, 'reloaded');
    await reloaded.opens();
    expect([first.connection.state.kind, reloaded.connection.state.kind]).toEqual(['elsewhere', 'open']);
  });

  it('reads the history that another process took while this one slept', async () => {
    const folder = new FakeFolder();
    const sleeper = window(folder, 'sleeper');
    await sleeper.opens();
    folder.owner = { endpoint: { socketPath: '/nonexistent', token: 'y' }, window: 'taker' };
    await sleeper.clock.advance(15_000);
    await expect.poll(() => sleeper.connection.state.kind).toBe('elsewhere');
  });
});

describe('the socket of an owner', () => {
  it('is in a folder that only its user can enter, and is removed with the server', async () => {
    const server = await listening({});
    const folder = dirname(server.endpoint.socketPath);
    const mode = statSync(folder).mode & 0o777;
    server.close();
    expect({ mode, short: Buffer.byteLength(server.endpoint.socketPath) < 100, after: existsSync(folder) }).toEqual({
      mode: 0o700,
      short: true,
      after: false,
    });
  });

  it('is created again at the same place after a cleaner of temporary files removed it', async () => {
    const server = await listening({});
    rmSync(dirname(server.endpoint.socketPath), { recursive: true });
    const ask = () => askToRelease(server.endpoint, systemClock, new AbortController().signal);
    const lost = await ask();
    await server.keepReachable();
    expect([lost, await ask()]).toEqual([expect.stringContaining('ENOENT'), null]);
  });

  it('releases nothing to a window that starts, to one that has gone, and to a process without the token', async () => {
    let released = 0;
    let settle: () => void = () => undefined;
    const server = await listening({
      settle: () => new Promise((resolve) => (settle = resolve)),
      release: async () => void released++,
    });
    const { socketPath: path, token } = server.endpoint;
    const gone = new AbortController();
    const asking = askToRelease(server.endpoint, systemClock, gone.signal);
    await new Promise((resolve) => setTimeout(resolve, 100));
    gone.abort();
    await asking;
    await new Promise((resolve) => setTimeout(resolve, 100));
    settle();
    const answers = [
      await saying(path, `{"v":1,"token":"${token}","ask":"handOver"}\n`),
      await saying(path, '{"v":1,"token":"guessed","ask":"stop"}\n'),
      await saying(path, 'GET / HTTP/1.1\n'),
      await saying(path, 'x'.repeat(10_000)),
    ];
    expect({ answers, released }).toEqual({
      answers: [
        '{"answer":"busy","sessionTitle":null}\n{"answer":"refused","reason":"The window that has the store is in use."}\n',
        '{"answer":"refused","reason":"The token is not the one in the lock."}\n',
        '',
        '',
      ],
      released: 0,
    });
  });
});

function window(folder: FakeFolder, name: string, guard?: WorkGuard) {
  const home = new FakeHome(folder, name);
  const clock = new ManualClock();
  const connection = new StoreConnection(home, clock, silentLog);
  if (guard) connection.setWorkGuard(guard);
  ended.push(() => connection.close());
  const passes = async (work: Promise<void>): Promise<void> => {
    let isOver = false;
    void work.then(() => (isOver = true));
    await expect.poll(async () => (await clock.advance(200), isOver)).toBe(true);
  };
  /** Opens it, and lets the time pass for which it waits for an old host of the same window. */
  const opens = (): Promise<void> => passes(connection.open());
  /** Takes the history over, and lets the time pass for which it waits for an owner that ends. */
  const takes = (): Promise<void> => passes(connection.takeOver());
  return { connection, home, clock, opens, takes };
}

async function listening(owner: Partial<TakeOverOwner>): Promise<TakeOverServer> {
  const server = new TakeOverServer({
    isLeft: async () => false,
    settle: () => Promise.resolve(),
    release: () => Promise.resolve(),
    ...owner,
  });
  ended.push(() => server.close());
  await server.listen();
  return server;
}

/** Returns the answer of a socket to these bytes, until it closes or has been silent for a moment. */
function saying(path: string, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(path);
    let heard = '';
    socket.on('data', (data) => {
      heard += data.toString();
      setTimeout(() => socket.destroy(), 100);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(heard));
    socket.write(bytes);
  });
}
