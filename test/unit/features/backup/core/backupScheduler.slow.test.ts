import { describe, expect, it } from 'vitest';
import { Emitter } from '../../../../../src/base/disposable';
import { BackupScheduler } from '../../../../../src/features/backup/core/backupScheduler';
import { ManualClock } from '../../../../support/manualClock';

const minute = 60_000;

function scheduledWorld() {
  const clock = new ManualClock();
  const busyChanges = new Emitter<void>();
  const state = { isBusy: false, fails: false };
  const made: number[] = [];
  const reports: unknown[] = [];
  const scheduler = new BackupScheduler({
    clock,
    isBusy: () => state.isBusy,
    onDidChangeBusy: busyChanges.event,
    make: () => {
      made.push(Math.round(clock.monotonicMs() / minute));
      return state.fails ? Promise.reject(new Error('full')) : Promise.resolve();
    },
    report: (failure) => reports.push(failure instanceof Error ? failure.message : failure),
  });
  const setBusy = (isBusy: boolean): void => {
    state.isBusy = isBusy;
    busyChanges.fire();
  };
  return { clock, state, made, reports, scheduler, setBusy };
}

describe('the schedule of backups', () => {
  it('makes one soon after the opening and one in each hour after', async () => {
    const { clock, made, scheduler } = scheduledWorld();
    scheduler.start();
    await clock.advance(182 * minute);
    scheduler.dispose();
    await clock.advance(200 * minute);
    expect(made).toEqual([1, 61, 122, 182]);
  });

  it('waits for the end of an answer, but not longer than a quarter of an hour', async () => {
    const { clock, made, scheduler, setBusy } = scheduledWorld();
    setBusy(true);
    scheduler.start();
    await clock.advance(5 * minute);
    setBusy(false);
    await clock.advance(10_000);
    setBusy(true);
    await clock.advance(20 * minute);
    scheduler.dispose();
    expect({ made, waiting: clock.waiting }).toEqual({ made: [15], waiting: 0 });
  });

  it('reports a failure once and tries again with growing pauses, and reports the next success', async () => {
    const { clock, state, made, reports, scheduler } = scheduledWorld();
    state.fails = true;
    scheduler.start();
    await clock.advance(75 * minute);
    state.fails = false;
    await clock.advance(60 * minute);
    scheduler.dispose();
    expect({ made, reports }).toEqual({ made: [1, 11, 32, 72, 133], reports: ['full', null] });
  });
});
