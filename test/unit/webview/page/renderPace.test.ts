import { expect, it } from 'vitest';
import { paceMs, pacedRendering, slowestPaceMs } from '../../../../src/webview/chat/connection/renderPace';
import { ManualClock } from '../../../support/manualClock';

/** Frames every 16 ms, or none. */
function page(options: { readonly onScreen: boolean; readonly drawingMs?: number; readonly keyAt?: number }) {
  const clock = new ManualClock();
  const drawnAt: number[] = [];
  let spentMs = 0;
  const draw = (): void => {
    drawnAt.push(clock.monotonicMs());
    spentMs += options.drawingMs ?? 0;
  };
  const schedule = pacedRendering({
    keyMs: () => options.keyAt ?? null,
    nowMs: () => clock.monotonicMs() + spentMs,
    frame: (draw) => void (options.onScreen && clock.after(16 - (clock.monotonicMs() % 16), draw)),
    after: (delayMs, draw) => void clock.after(delayMs, draw),
  });
  return { clock, drawnAt, change: () => schedule(draw) };
}

it.each([
  ['renders changes after a rest in the next frame', { onScreen: true }, [1000, 1000], [16, 1008]],
  ['lets a key that was just pressed be painted first', { onScreen: true, keyAt: 60 }, [20, 200], [16, 112]],
  ['lets a key between a change and its frame be painted first', { onScreen: true, keyAt: 120 }, [117, 200], [16, 160]],
  [
    'renders the effect of a key at once when nothing streams',
    { onScreen: true, keyAt: 1000 },
    [1000, 200],
    [16, 1008],
  ],
  ['does not fall behind in a window that is not on screen', { onScreen: false }, [100, 150], [100, 250]],
])('%s', async (_what, options, waits, expected) => {
  const { clock, drawnAt, change } = page(options);
  for (const wait of waits) {
    change();
    await clock.advance(wait);
  }
  expect(drawnAt).toEqual(expected);
});

it('renders at a pace while changes follow each other, and the last of them in the end', async () => {
  const { clock, drawnAt, change } = page({ onScreen: true });
  for (let delta = 0; delta < 10; delta++) {
    change();
    await clock.advance(paceMs + 16);
  }
  const gaps = drawnAt.slice(1).map((at, index) => at - (drawnAt[index] ?? 0));
  expect({ drawings: drawnAt.length, tooSoon: gaps.filter((gap) => gap < paceMs) }).toEqual({
    drawings: 10,
    tooSoon: [],
  });
});

it('renders less often where rendering takes long, but within a tenth of a second', async () => {
  const { clock, drawnAt, change } = page({ onScreen: true, drawingMs: 10 });
  change();
  for (let drawings = 0; drawings < 10;) {
    await clock.advance(1);
    // What changes while a drawing is due is drawn with it.
    if (drawnAt.length > drawings) {
      drawings = drawnAt.length;
      change();
    }
  }
  const gaps = drawnAt.slice(2).map((at, index) => at - (drawnAt[index + 1] ?? 0));
  expect([gaps.every((gap) => gap > paceMs + 10), gaps.every((gap) => gap <= slowestPaceMs + 16)]).toEqual([
    true,
    true,
  ]);
});

it('does not fall behind text that comes a little slower than each 80 ms, as it is committed, where rendering takes long', async () => {
  const { clock, drawnAt, change } = page({ onScreen: true, drawingMs: 4 });
  const lags: number[] = [];
  for (let frame = 0; frame < 40; frame++) {
    const [comesAt, drawings] = [clock.monotonicMs(), drawnAt.length];
    change();
    // And 4 of drawing, which this clock does not count.
    await clock.advance(77);
    lags.push((drawnAt[drawings] ?? Infinity) - comesAt);
  }
  expect(Math.max(...lags)).toBeLessThanOrEqual(32);
});
