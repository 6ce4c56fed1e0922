import { options, render } from 'preact';
import { setLocalization } from '../localization';
import { connectToHost } from '../rpc';
import { ChatController } from './chatController';
import type { ChatProtocol } from './chatHost';
import { App } from './components/App';
import { loadLater } from './components/laterParts';
import { pacedDrawing } from './drawingPace';
import type { Timers } from './drafts';
import { recall, type ViewMemory } from './viewMemory';
import '../styles/controls.css';
import '../styles/markdown.css';
import './chat.css';
import './sessionActions.css';
import './work.css';
import './attachments.css';

// One drawing per frame, however many chunks arrive in it. See drawingPace.ts.
options.debounceRendering = pacedDrawing({
  nowMs: () => performance.now(),
  frame: (draw) => void requestAnimationFrame(draw),
  after: (delayMs, draw) => void setTimeout(draw, delayMs),
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
  const chat = new ChatController({ host: connectToHost<ChatProtocol>(api, window), timers, newUid, memory, setLocalization });
  document.addEventListener('visibilitychange', () => chat.leave());
  window.addEventListener('pagehide', () => chat.leave());
  render(<App chat={chat} />, root);
  chat.start();
  // Behind the frame in which the page is painted first.
  requestAnimationFrame(() => setTimeout(() => void loadLater(), 0));
}

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root to draw into.');
start(root);
