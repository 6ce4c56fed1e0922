import { describe, expect, it } from 'vitest';
import { Emitter } from '../../../../../src/base/disposable';
import { AutomaticBackups } from '../../../../../src/features/backup/host/automaticBackups';
import type { Offer } from '../../../../../src/host/storage/storeLabels';
import type { StoreState } from '../../../../../src/store/ownership/storeState';
import { StoreError } from '../../../../../src/store/storeError';
import { ManualClock } from '../../../../support/manualClock';
import { openState as open, elsewhereState } from '../../../host/storeAtHand';
import { fakeBackupWindow, never } from './fakeBackupWindow';

const minute = 60_000;

function windowOf(first: StoreState = open) {
  const clock = new ManualClock();
  const [states, running, changes] = [new Emitter<StoreState>(), new Emitter<void>(), new Emitter<void>()];
  const state = { now: first, isAnswering: false, failure: null as Error | null, folder: null as string | null };
  const made: string[] = [];
  const shown: (readonly Offer[])[] = [];
  const opened: string[] = [];
  const window = fakeBackupWindow({
    history: {
      connection: { onDidChangeState: states.event },
      status: { offer: (_topic, offers) => void shown.push(offers) },
    },
    gateway: {
      turns: {
        running: () => (state.isAnswering ? [{ sessionId: 's', turnUid: 't', activity: null, isWaiting: false }] : []),
        onDidChangeRunning: running.event,
      },
      actions: { copyToThisFolder: never },
    },
    settings: {
      get current() {
        return { backupsEnabled: true, backupsFolder: state.folder };
      },
      onDidChange: changes.event,
    },
    editor: { openSettings: async (setting) => void opened.push(setting) },
    clock,
  });
  Object.defineProperty(window.history.connection, 'state', { get: () => state.now });
  const automatic = new AutomaticBackups(window, {
    makeScheduled: async (store) => {
      made.push(`${store} at ${Math.round(clock.monotonicMs() / minute)}`);
      if (state.failure !== null) throw state.failure;
    },
  });
  const answer = (isAnswering: boolean): void => {
    state.isAnswering = isAnswering;
    running.fire();
  };
  const become = (next: StoreState): void => {
    state.now = next;
    states.fire(next);
  };
  const sentences = (): readonly string[] => shown.map((offers) => offers.map(({ sentence }) => sentence).join());
  return { automatic, clock, state, answer, become, changes, made, shown, sentences, opened };
}

describe('automatic backups', () => {
  it('are made each hour by the window that owns the store, and by no other', async () => {
    const { automatic, clock, become, made } = windowOf({ kind: 'opening' });
    await clock.advance(120 * minute);
    become(open);
    await clock.advance(62 * minute);
    become(elsewhereState);
    await clock.advance(300 * minute);
    automatic.dispose();
    expect(made).toEqual(['/store at 121', '/store at 181']);
  });

  it('do not wait for an answer for more than a quarter of an hour', async () => {
    const { automatic, clock, answer, made } = windowOf();
    answer(true);
    await clock.advance(5 * minute);
    answer(false);
    await clock.advance(10_000);
    answer(true);
    await clock.advance(9 * minute);
    const early = [...made];
    await clock.advance(11 * minute);
    automatic.dispose();
    expect([early, made, clock.waiting]).toEqual([[], ['/store at 15'], 0]);
  });

  it('that fail are said once, with a way to try again, until one was made', async () => {
    const { automatic, clock, state, shown, sentences, made, opened } = windowOf();
    state.failure = new StoreError('full', 'The disk is full.', 'ENOSPC');
    await clock.advance(45 * minute);
    const [tryAgain, openSettings] = shown.at(-1)?.[0]?.choices ?? [];
    const failed = [...sentences()];
    await openSettings?.run();
    state.failure = null;
    await tryAgain?.run();
    await clock.advance(2 * minute);
    automatic.dispose();
    expect({ failed, triesWhileFailing: made.length > 2, after: sentences().at(-1), opened }).toEqual({
      failed: ['Your sessions aren’t backed up at the moment. The disk is full.'],
      triesWhileFailing: true,
      after: '',
      opened: ['hermes.backups'],
    });
  });

  it('that fail are tried again with growing pauses', async () => {
    const { automatic, clock, state, made, sentences } = windowOf();
    state.failure = new StoreError('full', 'The disk is full.', 'ENOSPC');
    await clock.advance(75 * minute);
    state.failure = null;
    await clock.advance(60 * minute);
    automatic.dispose();
    expect([made, sentences().length]).toEqual([[1, 11, 32, 72, 133].map((at) => `/store at ${at}`), 2]);
  });

  it('begin again when another folder is chosen', async () => {
    const { automatic, clock, state, changes, made } = windowOf();
    await clock.advance(10 * minute);
    changes.fire();
    await clock.advance(10 * minute);
    state.folder = '/disk';
    changes.fire();
    await clock.advance(minute);
    automatic.dispose();
    expect(made).toEqual(['/store at 1', '/store at 21']);
  });
});
