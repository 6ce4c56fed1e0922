/** What drawings are timed by. */
export interface FrameSource {
  nowMs(): number;
  /** Calls back before the next frame is painted; never, while the window is not on screen. */
  frame(draw: () => void): void;
  after(delayMs: number, draw: () => void): void;
}

/** Milliseconds between two drawings while one follows the other, as with text that streams. What comes after a rest is drawn in the next
 *  frame, so a press of a button waits for nothing. */
export const paceMs = 50;
/** A window that is not on screen gets no frames but must not fall behind. */
const latestMs = 100;

/** Decides when a drawing that is due is done: in the next frame, or at the end of the pace while drawings follow each other. Text is read by
 *  people: twenty times a second is as good as sixty, and a third of the work. */
export function pacedDrawing(source: FrameSource): (draw: () => void) => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  return (draw) => {
    let drawn = false;
    const once = (): void => {
      if (drawn) return;
      drawn = true;
      lastAt = source.nowMs();
      draw();
    };
    const rest = lastAt + paceMs - source.nowMs();
    if (rest > 0) source.after(rest, () => source.frame(once));
    else source.frame(once);
    source.after(Math.max(0, rest) + latestMs, once);
  };
}
