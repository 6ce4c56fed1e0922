/** Clock and frame source for renders. */
interface FrameSource {
  nowMs(): number;
  /** Calls back before the next frame is painted; never while the window is not visible. */
  frame(render: () => void): void;
  after(delayMs: number, render: () => void): void;
  /** Time of the last key press; null: none. */
  keyMs?(): number | null;
}

/** Milliseconds between renders that follow each other, as with streaming text. A render after a pause happens in
 *  the next frame, so a button press waits for nothing. */
export const paceMs = 50;
/** Maximum milliseconds between renders when they take long. With the frame that a render waits for, it is still
 *  shorter than the 80 ms between two commits of a turn: a longer one would fall behind the text, up to a whole
 *  interval. */
export const slowestPaceMs = 60;
/** Milliseconds after a key press in which streaming text does not render: typed text paints first. */
const keyPauseMs = 25;
/** Share of time that renders may take before they become less frequent. */
const share = 0.05;
/** Milliseconds after which a render happens even without a frame: a hidden window gets no frames but must stay up
 *  to date. */
const latestMs = 100;

/** Milliseconds after a render within which the next one counts as streaming and not as the response to the key
 *  itself. */
const followsMs = 250;

/** Schedules a pending render: in the next frame or, while renders follow each other, in the first frame after the
 *  pace. People read this text: twenty times a second is as good as sixty, and a third of the work. */
export function pacedRendering(source: FrameSource): (render: () => void) => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  let tookMs = 0;
  return (render) => {
    let rendered = false;
    const once = (): void => {
      if (rendered) return;
      rendered = true;
      lastAt = source.nowMs();
      render();
      tookMs = source.nowMs() - lastAt;
    };
    const isAfterKey = (): boolean =>
      source.nowMs() - lastAt < followsMs &&
      source.nowMs() - (source.keyMs?.() ?? Number.NEGATIVE_INFINITY) < keyPauseMs;
    // Render inside a frame, so that layout is not left to the next key press.
    const inFrame = (): void =>
      source.frame(() => (isAfterKey() ? source.after(keyPauseMs, () => source.frame(once)) : once()));
    const pace = Math.min(slowestPaceMs, Math.max(paceMs, tookMs / share));
    const waitMs = Math.max(0, lastAt + pace - source.nowMs());
    if (waitMs > 0) source.after(waitMs, inFrame);
    else inFrame();
    source.after(waitMs + latestMs, once);
  };
}
