import { expect, it } from 'vitest';
import { paceMs, pacedDrawing } from '../../../src/webview/chat/drawingPace';
import { ManualClock } from '../../support/manualClock';

/** Frames every 16 ms, or none. */
function page(options: { readonly onScreen: boolean }) {
  const clock = new ManualClock();
  const drawnAt: number[] = [];
  const schedule = pacedDrawing({
    nowMs: () => clock.monotonicMs(),
    frame: (draw) => void (options.onScreen && clock.after(16 - (clock.monotonicMs() % 16), draw)),
    after: (delayMs, draw) => void clock.after(delayMs, draw),
  });
  return { clock, drawnAt, change: () => schedule(() => drawnAt.push(clock.monotonicMs())) };
}

it('draws what comes after a rest in the next frame', async () => {
  const { clock, drawnAt, change } = page({ onScreen: true });
  change();
  await clock.advance(1000);
  change();
  await clock.advance(1000);
  expect(drawnAt).toEqual([16, 1008]);
});

it('draws at a pace while one change follows the other, and the last of them in the end', async () => {
  const { clock, drawnAt, change } = page({ onScreen: true });
  for (let delta = 0; delta < 10; delta++) {
    change();
    await clock.advance(paceMs + 16);
  }
  const gaps = drawnAt.slice(1).map((at, index) => at - (drawnAt[index] ?? 0));
  expect({ drawings: drawnAt.length, tooSoon: gaps.filter((gap) => gap < paceMs) }).toEqual({ drawings: 10, tooSoon: [] });
});

it('does not fall behind in a window that is not on screen', async () => {
  const { clock, drawnAt, change } = page({ onScreen: false });
  change();
  await clock.advance(100);
  change();
  await clock.advance(150);
  expect(drawnAt).toEqual([100, 250]);
});
