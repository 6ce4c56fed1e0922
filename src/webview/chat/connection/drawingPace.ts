/** What drawings are timed by. */
export interface FrameSource {
  nowMs(): number;
  /** Calls back before the next frame is painted; never, while the window is not on screen. */
  frame(draw: () => void): void;
  after(delayMs: number, draw: () => void): void;
  /** When a key was last pressed; null: none was. */
  keyMs?(): number | null;
}

/** Milliseconds between two drawings while one follows the other, as with text that streams. What comes after a rest is drawn in the next
 *  frame, so a press of a button waits for nothing. */
export const paceMs = 50;
/** The same where drawings take long: with them text still flows, and nothing told waits longer than a tenth of a second. */
export const slowestPaceMs = 80;
/** Milliseconds behind a key in which text that streams is not drawn: what was typed is painted first. */
const keyRestMs = 25;
/** Of the time, how much drawings may take before they come less often. */
const share = 0.05;
/** A window that is not on screen gets no frames but must not fall behind. */
const latestMs = 100;

/** Milliseconds behind a drawing in which the next one follows it, and is no answer to the key itself. */
const followsMs = 250;

/** Decides when a drawing that is due is done: in the next frame, or in the first behind the pace while drawings follow each other. Text is read by
 *  people: twenty times a second is as good as sixty, and a third of the work. */
export function pacedDrawing(source: FrameSource): (draw: () => void) => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  let tookMs = 0;
  return (draw) => {
    let drawn = false;
    const once = (): void => {
      if (drawn) return;
      drawn = true;
      lastAt = source.nowMs();
      draw();
      tookMs = source.nowMs() - lastAt;
    };
    const isBehindKey = (): boolean =>
      source.nowMs() - lastAt < followsMs &&
      source.nowMs() - (source.keyMs?.() ?? Number.NEGATIVE_INFINITY) < keyRestMs;
    // In a frame's own time, so that the page is not left to be laid out by the key that comes next.
    const inFrame = (): void =>
      source.frame(() => (isBehindKey() ? source.after(keyRestMs, () => source.frame(once)) : once()));
    const pace = Math.min(slowestPaceMs, Math.max(paceMs, tookMs / share));
    const rest = Math.max(0, lastAt + pace - source.nowMs());
    if (rest > 0) source.after(rest, inFrame);
    else inFrame();
    source.after(rest + latestMs, once);
  };
}
