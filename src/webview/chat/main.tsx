import { options, render } from 'preact';
import { setLocalization } from '../localization';
import { connectToHost } from '../rpc';
import { App } from './App';
import { pageTimers } from '../times';
import type { ChatProtocol } from './connection/chatHost';
import { loadLazyComponents } from './connection/lazyComponents';
import { pacedRendering } from './connection/renderPace';
import { recall, type ViewMemory } from './connection/viewMemory';
import { createChat, startChat } from './createChat';
import { lazyPanel } from './lazyPanel';
import { SessionArrival } from './session/sessionArrival';
import '../styles/controls.css';
import '../styles/markdown.css';
import './chat.css';
import './pickers/pickers.css';
import './feed/feed.css';
import './turn/turn.css';
import './cards/cards.css';
import './composer/composer.css';

// One render per frame, however many chunks arrive in it. See renderPace.ts.
let keyAt: number | null = null;
document.addEventListener('keydown', (event) => (keyAt = event.timeStamp), { capture: true, passive: true });
options.debounceRendering = pacedRendering({
  keyMs: () => keyAt,
  nowMs: () => performance.now(),
  frame: (callback) => void requestAnimationFrame(callback),
  after: (delayMs, callback) => void setTimeout(callback, delayMs),
});

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
  const host = connectToHost<ChatProtocol>(api, window);
  const chat = createChat({ host, timers: pageTimers, newUid, memory }, setLocalization);
  const leave = (): void => chat.part(SessionArrival).leave();
  document.addEventListener('visibilitychange', leave);
  window.addEventListener('pagehide', leave);
  render(<App chat={chat} />, root);
  startChat(chat);
  // After the frame of the first paint.
  requestAnimationFrame(() =>
    setTimeout(
      () =>
        void loadLazyComponents().then(() => {
          lazyPanel.peek()?.startDeliveryReporter(chat);
          lazyPanel.peek()?.returnFocus(() => chat.focusComposer());
        }),
      0,
    ),
  );
}

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root to render into.');
start(root);
