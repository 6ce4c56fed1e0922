import { describe, expect, it } from 'vitest';
import { pause, resultWithin, withinTime } from '../../../src/base/pause';
import { ManualClock } from '../../support/manualClock';

const never = new Promise<never>(() => undefined);

describe('a pause', () => {
  it('ends when its time is over, or at once when it is aborted', async () => {
    const clock = new ManualClock();
    const stop = new AbortController();
    const [whole, cut] = [pause(clock, 100), pause(clock, 100, stop.signal)];
    stop.abort();
    const early = await cut;
    await clock.advance(100);

    expect([early, await whole, await pause(clock, 100, stop.signal)]).toEqual([false, true, false]);
  });
});

describe('waiting for work for a limited time', () => {
  it('gives the result if it comes in time, otherwise what was chosen for that', async () => {
    const clock = new ManualClock();
    const late = resultWithin(clock, 100, never, 'late');
    await clock.advance(100);

    expect([await resultWithin(clock, 100, Promise.resolve('done'), 'late'), await late]).toEqual(['done', 'late']);
    await expect(resultWithin(clock, 100, Promise.reject(new Error('broken')), 'late')).rejects.toThrow('broken');
  });

  it('ends with the first signal that is aborted, also before it began', async () => {
    const clock = new ManualClock();
    const stop = new AbortController();
    const cut = withinTime(clock, 100, never, new AbortController().signal, stop.signal);
    stop.abort();

    expect([await cut, await withinTime(clock, 100, Promise.resolve(), stop.signal)]).toEqual([false, false]);
  });

  it('leaves no timer behind', async () => {
    let timers = 0;
    const clock = { after: () => (timers++, () => void timers--) };
    await withinTime(clock, 100, Promise.resolve());
    expect(timers).toBe(0);
  });
});
