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

it('renders changes after a rest in the next frame', async () => {
  const { clock, drawnAt, change } = page({ onScreen: true });
  change();
  await clock.advance(1000);
  change();
  await clock.advance(1000);
  expect(drawnAt).toEqual([16, 1008]);
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

it('lets a key that was just pressed be painted first', async () => {
  const { clock, drawnAt, change } = page({ onScreen: true, keyAt: 60 });
  change();
  await clock.advance(20);
  change();
  await clock.advance(200);
  expect(drawnAt).toEqual([16, 112]);
});

it('lets a key be painted first that came between a change and its frame', async () => {
  const { clock, drawnAt, change } = page({ onScreen: true, keyAt: 120 });
  change();
  await clock.advance(117);
  change();
  await clock.advance(200);
  expect(drawnAt).toEqual([16, 160]);
});

it('renders the effect of a key in the next frame when nothing streams', async () => {
  const { clock, drawnAt, change } = page({ onScreen: true, keyAt: 1000 });
  change();
  await clock.advance(1000);
  change();
  await clock.advance(200);
  expect(drawnAt).toEqual([16, 1008]);
});

it('does not fall behind in a window that is not on screen', async () => {
  const { clock, drawnAt, change } = page({ onScreen: false });
  change();
  await clock.advance(100);
  change();
  await clock.advance(150);
  expect(drawnAt).toEqual([100, 250]);
});
