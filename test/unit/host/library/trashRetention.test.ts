import { describe, expect, it } from 'vitest';
import { Emitter } from '../../../../src/base/disposable';
import { TrashRetention } from '../../../../src/host/library/trashRetention';
import { ManualClock } from '../../../support/manualClock';
import { RecordingLog } from '../recordingLog';

function world(days: number) {
  const clock = new ManualClock(1_000_000_000);
  const running = new Emitter<void>();
  const pruned: number[] = [];
  const state = { running: 0, erased: 0, forgotten: new Array<string>() };
  const care = new TrashRetention({
    clock,
    log: new RecordingLog(),
    days: () => days,
    forgetCopies: (sessionIds) => (state.forgotten.push(...sessionIds), Promise.resolve([])),
    onErased: () => void state.erased++,
    sessions: {
      pruneTrash: async (before) => (pruned.push(before), { sessionIds: ['s1'], branches: [], isComplete: true }),
    },
    gateway: {
      turns: {
        running: () =>
          Array.from({ length: state.running }, () => ({
            sessionId: 's',
            turnUid: 't',
            activity: null,
            isWaiting: false,
          })),
        onDidChangeRunning: (listener) => running.event(listener),
      },
    },
  });
  return { care, clock, running, pruned, state };
}

describe('the trash', () => {
  it('loses its old sessions once, shortly after the store is opened', async () => {
    const { care, clock, running, pruned, state } = world(30);
    await clock.advance(60_000);
    care.opened();
    await clock.advance(1000);
    const early = [...pruned];
    await clock.advance(60_000);
    running.fire();
    await clock.advance(0);
    expect([
      early,
      pruned.map((before) => Math.round(before) - (1_000_000_000 - 30 * 86_400)),
      state.erased,
      state.forgotten,
    ]).toEqual([[], [80], 1, ['s1']]);
    care.dispose();
  });

  it('waits for a running turn', async () => {
    const { care, clock, running, pruned, state } = world(1);
    state.running = 1;
    care.opened();
    await clock.advance(60_000);
    const meanwhile = pruned.length;
    state.running = 0;
    running.fire();
    await clock.advance(0);
    expect([meanwhile, pruned.length]).toEqual([0, 1]);
    care.dispose();
  });

  it('is left alone with 0 days, and after the window closes', async () => {
    const never = world(0);
    never.care.opened();
    const closed = world(30);
    closed.care.opened();
    closed.care.dispose();
    await Promise.all([never.clock.advance(60_000), closed.clock.advance(60_000)]);
    expect([never.pruned, closed.pruned, closed.clock.waiting]).toEqual([[], [], 0]);
    never.care.dispose();
  });
});
