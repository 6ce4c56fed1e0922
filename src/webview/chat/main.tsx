import { options, render } from 'preact';
import { setLocalization } from '../localization';
import { connectToHost } from '../rpc';
import { ChatController } from './chatController';
import type { ChatHost, ChatProtocol } from './connection/chatHost';
import { App } from './components/App';
import { laterCode, laterParts, loadLater } from './components/common/laterParts';
import { pacedRendering } from './connection/renderPace';
import type { Timers } from './timers';
import { recall, type ViewMemory } from './connection/viewMemory';
import '../styles/controls.css';
import '../styles/markdown.css';
import './styles/chat.css';
import './styles/turn.css';
import './styles/feed.css';
import './styles/sessionActions.css';
import './styles/work.css';
import './styles/attachments.css';
import './styles/composer.css';

// One render per frame, however many chunks arrive in it. See renderPace.ts.
let keyAt: number | null = null;
document.addEventListener('keydown', (event) => (keyAt = event.timeStamp), { capture: true, passive: true });
options.debounceRendering = pacedRendering({
  keyMs: () => keyAt,
  nowMs: () => performance.now(),
  frame: (callback) => void requestAnimationFrame(callback),
  after: (delayMs, callback) => void setTimeout(callback, delayMs),
});

const timers: Timers = {
  nowMs: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

function newUid(): string {
  return crypto.randomUUID().replaceAll('-', '');
}

function start(root: HTMLElement): void {
  const api = acquireVsCodeApi();
  const recalled = recall(api);
  let kept: ViewMemory = recalled;
  const memory = {
    recalled,
    remember: (change: Partial<ViewMemory>): void => {
      kept = { ...kept, ...change };
      api.setState(kept);
    },
  };
  const line = connectToHost<ChatProtocol>(api, window);
  const host: ChatHost = {
    ...line,
    onNotification: (listener) => {
      let joined: typeof listener | undefined;
      return line.onNotification((notification) =>
        ((joined ??= laterParts.peek()?.joinedDeliveries(listener, timers)) ?? listener)(notification),
      );
    },
  };
  const chat = new ChatController({ host, timers, newUid, memory, later: laterCode, setLocalization });
  document.addEventListener('visibilitychange', () => chat.leave());
  window.addEventListener('pagehide', () => chat.leave());
  const startReporter = (): void =>
    laterParts.peek()?.startDeliveryReporter({
      state: chat.state,
      host,
      timers,
      recalled: recalled.witness,
      remember: (report) => memory.remember({ witness: report }),
    });
  render(<App chat={chat} />, root);
  chat.start();
  // After the frame of the first paint.
  requestAnimationFrame(() =>
    setTimeout(
      () => void loadLater().then(() => (startReporter(), laterParts.peek()?.returnFocus(() => chat.focusComposer()))),
      0,
    ),
  );
}

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root to draw into.');
start(root);
