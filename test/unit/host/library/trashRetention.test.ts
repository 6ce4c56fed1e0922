import { describe, expect, it } from 'vitest';
import { Emitter } from '../../../../src/base/disposable';
import { TrashRetention } from '../../../../src/host/library/sessionsFeature';
import { ManualClock } from '../../../support/manualClock';
import { RecordingLog } from '../recordingLog';

function world(days: number) {
  const clock = new ManualClock(1_000_000_000);
  const running = new Emitter<void>();
  const pruned: number[] = [];
  const state = { running: 0, erased: 0, forgotten: new Array<string>() };
  const window = {
    clock,
    log: new RecordingLog(),
    settings: { current: { trashDays: days } },
    forgetCopies: { run: (ids: readonly string[]) => (state.forgotten.push(...ids), [Promise.resolve([])]) },
    history: {
      store: {
        pruneTrash: async (before: number) => (pruned.push(before), { sessionIds: ['s1'], isComplete: true }),
      },
    },
    gateway: {
      turns: { running: () => Array.from({ length: state.running }), onDidChangeRunning: running.event },
    },
  };
  const care = new TrashRetention(window as never, () => void state.erased++);
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
