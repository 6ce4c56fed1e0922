import { beforeEach, describe, expect, it } from 'vitest';
import { type SharedTurns, TurnSharing } from '../../../../../src/features/sync/core/turnSharing';
import { TurnWatch, type SeenTurn } from '../../../../../src/features/sync/host/watchedTurns';
import { ManualClock } from '../../../../support/manualClock';
import { RecordingLog } from '../../../host/recordingLog';
import { SimulatedServer } from '../../../../support/simulatedServer';
import { SimulatedTurns } from '../../../../support/simulatedTurns';

let clock: ManualClock;
let server: SimulatedServer;
let turns: SimulatedTurns;
let calls: string[];
let running: Set<string>;
beforeEach(() => {
  clock = new ManualClock();
  server = new SimulatedServer();
  turns = new SimulatedTurns(server);
  calls = [];
  running = new Set();
});

const counted = (origin: string): SharedTurns => {
  const own = turns.of(origin);
  return {
    ...own,
    wishes: (...args) => (calls.push('wishes'), own.wishes(...args)),
    show: (...args) => (calls.push(`show ${args[2]}`), own.show(...args)),
    watch: (...args) => (calls.push('watch'), own.watch(...args)),
  };
};
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    server.clock++;
    await clock.advance(1000);
  }
}

/** The laptop answers in c1. */
function answering(text: { now: string | null }): { sharing: TurnSharing; stopped: string[]; fence: number } {
  server.connect('laptop', 'The laptop');
  server.connect('desk', 'The desk');
  const lease = server.lease({ origin: 'laptop' }, 'c1');
  const stopped: string[] = [];
  const sharing = new TurnSharing({
    turns: counted('laptop'),
    clock,
    log: new RecordingLog(),
    read: () => Promise.resolve(text.now),
    stop: (id) => Promise.resolve(void stopped.push(id)),
  });
  const fence = lease.kind === 'granted' ? lease.fence : 0;
  sharing.begin('c1', fence);
  return { sharing, stopped, fence };
}

function watching(origin = 'desk'): { watch: TurnWatch; seen: (SeenTurn | null)[] } {
  const seen: (SeenTurn | null)[] = [];
  const gateway = { turns: { conversations: () => running } };
  const deps = { turns: counted(origin), clock, log: new RecordingLog(), gateway };
  return { watch: new TurnWatch(deps, (turn) => void seen.push(turn)), seen };
}

describe('a turn of another machine', () => {
  it('is seen as it grows, about two seconds behind, and nothing is sent while nobody watches', async () => {
    const text = { now: 'one' };
    const { sharing } = answering(text);
    await pass(3);
    expect(calls).toEqual(['wishes', 'wishes', 'wishes']);
    const { watch } = watching();
    watch.follow('c1');
    await pass(3);
    const first = watch.state?.body;
    text.now = 'one two';
    await pass(2);
    expect([first, watch.state]).toEqual([
      'one',
      { conversationId: 'c1', machine: 'The laptop', fence: 1, isAlive: true, isStopAsked: false, body: 'one two' },
    ]);
    await pass(5);
    expect(calls.filter((call) => call.startsWith('show'))).toEqual(['show one', 'show one two']);
    watch.follow(null);
    await pass(8);
    text.now = 'one two three';
    await pass(3);
    expect([calls.includes('show one two three'), watch.state]).toEqual([false, null]);
    sharing.dispose();
    watch.dispose();
  });

  it('is stopped when the user who watches asks for it', async () => {
    const { sharing, stopped } = answering({ now: 'one' });
    const { watch } = watching();
    watch.follow('c1');
    await pass(2);
    await watch.askToStop();
    await pass(2);
    expect([stopped[0], watch.state?.isStopAsked]).toEqual(['c1', true]);
    sharing.dispose();
    watch.dispose();
  });

  it('is removed from the server at its end, again if that failed', async () => {
    const { sharing } = answering({ now: 'one' });
    const { watch } = watching();
    watch.follow('c1');
    await pass(3);
    turns.isCut = true;
    await expect(sharing.end('c1')).rejects.toThrow('no connection');
    turns.isCut = false;
    await sharing.end('c1');
    const waiting = calls.length;
    watch.dispose();
    await pass(3);
    expect([turns.rows.size, calls.length - waiting]).toEqual([0, 0]);
    sharing.dispose();
  });
});

describe('watching', () => {
  it('ends also when the server cannot be reached all the time', async () => {
    const { watch } = watching();
    turns.isCut = true;
    watch.follow('c1');
    await pass(6 * 60);
    const tried = calls.length;
    await pass(60 * 60);
    expect([tried > 30, calls.length - tried]).toEqual([true, 0]);
    watch.dispose();
  });

  it('ends after five minutes in which the user does nothing and no turn runs, and begins again with the user', async () => {
    server.connect('desk', 'The desk');
    const { watch } = watching();
    watch.follow('c1');
    await pass(60);
    const first = calls.length;
    await pass(60 * 60);
    const later = calls.length - first;
    watch.active();
    await pass(10);
    expect({ first: first > 50, later: later < 60, active: calls.length - first - later >= 9 }).toEqual({
      first: true,
      later: true,
      active: true,
    });
    watch.dispose();
  });

  it('asks nothing while the turn runs here, and shows nothing of a session that is no longer seen', async () => {
    const { sharing } = answering({ now: 'one' });
    running.add('c1');
    const { watch, seen } = watching();
    watch.follow('c1');
    await pass(3);
    expect([calls.filter((call) => call === 'watch'), seen]).toEqual([[], []]);
    running.clear();
    await pass(2);
    watch.follow('c2');
    expect(seen.at(-1)).toBeNull();
    await pass(3);
    expect(seen.at(-1)).toBeNull();
    sharing.dispose();
    watch.dispose();
  });
});
