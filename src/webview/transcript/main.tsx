import { render } from 'preact';
import { returnFocus } from '../focusReturn';
import { setLocalization } from '../localization';
import { connectToHost } from '../rpc';
import { TranscriptApp } from './components/TranscriptApp';
import { type TranscriptViewProtocol, recallTranscript } from './state/shownTranscript';
import { TranscriptController } from './state/transcriptController';
import '../styles/controls.css';
import '../styles/diff.css';
import '../styles/markdown.css';
import '../styles/toggles.css';
import './transcript.css';

function start(root: HTMLElement): void {
  const api = acquireVsCodeApi();
  const transcript = new TranscriptController({
    host: connectToHost<TranscriptViewProtocol>(api, window),
    recalled: recallTranscript(api),
    keep: (memory) => api.setState(memory),
    nowMs: () => Date.now(),
    setLocalization,
  });
  render(<TranscriptApp transcript={transcript} />, root);
  transcript.start();
  // If the focused row was evicted, focus the row that is the tab stop.
  returnFocus(() => root.querySelector<HTMLElement>('[role=row][tabindex="0"]')?.focus());
}

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root to draw into.');
start(root);
