/** Stands in for VS Code in a page that is measured: hands on what the bench tells the view, and keeps time. */
import { themes } from '../../../test/support/webviewPreview/themes';

/** What the bench calls in the page. Times are in milliseconds. */
export interface PageBench {
  /** Tells the view these messages at once. */
  tell(messages: readonly string[]): void;
  /** The same; resolves with the time until an article was painted. */
  untilPainted(messages: readonly string[]): Promise<number>;
  /** Tells the messages one after the other, `perSecond`, and resolves a moment after the last. */
  stream(messages: readonly string[], perSecond: number): Promise<void>;
  /** Begins to note frames and keystrokes. */
  watch(): void;
  /** Begins of frames since `watch`. */
  readonly frames: number[];
  /** Keystrokes since `watch`: when the key went down, and when what it typed was painted. */
  readonly keys: { readonly down: number; readonly painted: number }[];
  /** Messages for later. */
  readonly kept: string[];
  /** Durations of tasks of 50 ms and more since `watch`, as the browser tells pages (PerformanceObserver). */
  readonly longTasks: number[];
  /** Until everything that was told is drawn. */
  rest(): Promise<void>;
  /** Until an answer holds a text to its end, and nothing changed for a moment. */
  untilWhole(end: string): Promise<void>;
}

declare global {
  interface Window {
    bench: PageBench;
  }
}

const theme = themes[new URLSearchParams(location.search).get('theme') ?? 'dark'];
for (const [name, value] of Object.entries(theme?.colors ?? {}))
  document.documentElement.style.setProperty(`--vscode-${name}`, value);
document.body.classList.add(theme?.bodyClass ?? '');

function post(message: unknown): void {
  window.postMessage(message, '*');
}

function answer(message: unknown): void {
  if (typeof message !== 'object' || message === null || !('kind' in message) || message.kind !== 'request') return;
  if (!('id' in message) || !('name' in message) || !('v' in message)) return;
  const result = message.name === 'contextUse' ? { tokens: 0, counted: false, window: null, parts: null } : null;
  post({ v: message.v, kind: 'response', id: message.id, ok: true, result });
}

/** Behind the painting of the frame that comes next. */
function painted(done: () => void): void {
  requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = done;
    channel.port2.postMessage(null);
  });
}

const parsed = (messages: readonly string[]): readonly unknown[] =>
  messages.map((message): unknown => JSON.parse(message));
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const bench: PageBench = {
  frames: [],
  keys: [],
  longTasks: [],
  kept: [],
  tell: (messages) => parsed(messages).forEach(post),
  untilPainted: (messages) =>
    new Promise((resolve) => {
      const ready = parsed(messages);
      const started = performance.now();
      const observer = new MutationObserver(() => {
        if (document.querySelector('article') === null) return;
        observer.disconnect();
        painted(() => resolve(performance.now() - started));
      });
      observer.observe(document.body, { childList: true, subtree: true });
      ready.forEach(post);
    }),
  stream: (messages, perSecond) =>
    new Promise((resolve) => {
      const started = performance.now();
      let told = 0;
      const timer = setInterval(
        () => {
          // A timer that comes late owes what fell due meanwhile.
          const due = Math.min(messages.length, Math.floor(((performance.now() - started) / 1000) * perSecond));
          for (; told < due; told++) post(JSON.parse(messages[told] ?? 'null'));
          if (told < messages.length) return;
          clearInterval(timer);
          setTimeout(resolve, 300);
        },
        Math.max(4, 1000 / perSecond),
      );
    }),
  watch: () => {
    performance.mark('bench-watch');
    const note = (): void => {
      bench.frames.push(performance.now());
      requestAnimationFrame(note);
    };
    requestAnimationFrame(note);
    new PerformanceObserver((list) =>
      bench.longTasks.push(...list.getEntries().map(({ duration }) => duration)),
    ).observe({ type: 'longtask' });
    window.addEventListener(
      'keydown',
      (event) => painted(() => bench.keys.push({ down: event.timeStamp, painted: performance.now() })),
      { capture: true },
    );
  },
  untilWhole: async (end) => {
    while (!(document.querySelector('.feed')?.textContent ?? '').slice(-2000).includes(end)) await pause(200);
    await pause(2000);
  },
  rest: async () => {
    await pause(300);
    await new Promise<void>((resolve) => painted(resolve));
  },
};

Object.assign(window, {
  bench,
  acquireVsCodeApi: () => ({ postMessage: answer, getState: () => undefined, setState: () => undefined }),
});
