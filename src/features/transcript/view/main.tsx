import { render } from 'preact';
import { returnFocus } from '../../../webview/focusReturn';
import { setLocalization } from '../../../webview/localization';
import { connectToHost } from '../../../webview/rpc';
import { TranscriptApp } from './components/TranscriptApp';
import { type TranscriptViewProtocol, recallTranscript } from './state/shownTranscript';
import { TranscriptController } from './state/transcriptController';
import '../../../webview/styles/controls.css';
import '../../../webview/styles/diff.css';
import '../../../webview/styles/markdown.css';
import '../../../webview/styles/toggles.css';
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
