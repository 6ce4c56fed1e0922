import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../../src/base/log';
import { usualPatience } from '../../../../src/store/ownership/lockAcquisition';
import { StoreConnection } from '../../../../src/store/ownership/storeConnection';
import { StoreError } from '../../../../src/store/storeError';
import { ManualClock } from '../../../support/manualClock';
import { FakeFolder, FakeHome } from './fakeHome';

const opened: StoreConnection[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((connection) => connection.close()));
});

function window() {
  const home = new FakeHome(new FakeFolder(), 'only');
  const clock = new ManualClock();
  const connection = new StoreConnection(home, clock, silentLog, usualPatience);
  opened.push(connection);
  return { connection, home, clock, states: statesOf(connection) };
}

function statesOf(connection: StoreConnection): readonly string[] {
  const states: string[] = [];
  connection.onDidChangeState((state) => states.push(state.kind));
  return states;
}

const damaged = new StoreError('corrupt', 'The file is damaged.', 'malformed');
const full = new StoreError('full', 'The disk is full.', 'ENOSPC');

describe('a file that is found damaged while it is open', () => {
  it('is reopened and salvaged at once, and calls meanwhile are refused with the damage', async () => {
    const { connection, home, states } = window();
    await connection.open();
    home.current.die(damaged);
    const refused = await connection.store.draft('new').catch((error: StoreError) => error.message);
    await connection.open();
    expect({
      states,
      refused,
      salvage: home.opened.map(({ options }) => options.salvage),
      draft: await connection.store.draft('new'),
    }).toEqual({
      states: ['opening', 'open', 'opening', 'open'],
      refused: 'The file is damaged.',
      salvage: [false, true],
      draft: '',
    });
  });

  it('waits for the user when it is damaged again within a minute, but not later', async () => {
    const { connection, home, clock } = window();
    await connection.open();
    const kinds: string[] = [];
    for (const pause of [0, 30_000, 61_000]) {
      await clock.advance(pause);
      home.current.die(damaged);
      kinds.push(connection.state.kind);
      await (connection.state.kind === 'failed' ? connection.retry() : connection.open());
    }
    expect({ kinds, salvage: home.opened.map(({ options }) => options.salvage) }).toEqual({
      kinds: ['opening', 'failed', 'opening'],
      salvage: [false, true, true, true],
    });
  });

  it('is still salvaged later when the opening meant to salvage it fails', async () => {
    const { connection, home } = window();
    await connection.open();
    home.openFailure = new StoreError('unknown', 'The disk reported a problem.', 'EIO');
    home.current.die(damaged);
    await connection.open();
    const failed = connection.state.kind;
    home.openFailure = null;
    await connection.retry();
    expect({ failed, salvage: home.opened.map(({ options }) => options.salvage) }).toEqual({
      failed: 'failed',
      salvage: [false, true],
    });
  });

  it('stays open for reading where it cannot be changed: only calls that met the damage fail', async () => {
    const { connection, home } = window();
    home.lockFailure = new StoreError('readOnly', 'The folder is read-only.', 'EROFS');
    await connection.open();
    home.current.nextFailure = damaged;
    const refused = await connection.store.draft('new').catch((error: StoreError) => error.causeClass);
    home.current.nextFailure = null;
    expect({ refused, state: connection.state.kind, draft: await connection.store.draft('new') }).toEqual({
      refused: 'corrupt',
      state: 'readOnly',
      draft: '',
    });
  });
});

describe('a store that a full disk keeps from being opened', () => {
  it.each(['the lock', 'the store'])(
    'is opened as soon as there is room, without a request: %s cannot be written',
    async (what) => {
      const { connection, home, clock } = window();
      home.room = false;
      if (what === 'the lock') home.lockFailure = full;
      else home.openFailure = full;
      await connection.open();
      const { state } = connection;
      const before =
        state.kind === 'readOnly' || state.kind === 'failed' ? [state.kind, state.error.causeClass] : [state.kind];
      await clock.advance(20_000);
      const tries = home.opened.length;
      home.lockFailure = home.openFailure = null;
      home.room = true;
      await clock.advance(5000);
      await expect.poll(() => connection.state.kind).toBe('open');
      expect({ before, looksOnly: home.opened.length - tries }).toEqual({
        before: [what === 'the lock' ? 'readOnly' : 'failed', 'full'],
        looksOnly: 1,
      });
    },
  );

  it('is no longer checked once the window is closed', async () => {
    const { connection, home, clock } = window();
    home.openFailure = full;
    await connection.open();
    await connection.close();
    home.openFailure = null;
    await clock.advance(60_000);
    expect({ opened: home.opened.length, state: connection.state.kind }).toEqual({ opened: 0, state: 'closed' });
  });
});
