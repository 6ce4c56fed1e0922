import { render } from 'preact';
import { returnFocus } from '../../../webview/focusReturn';
import { connectToHost } from '../../../webview/rpc';
import type { TranscriptProtocol } from '../protocol/transcriptProtocol';
import { TranscriptApp } from './components/TranscriptApp';
import { TranscriptController } from './state/transcriptController';
import '../../../webview/styles/controls.css';
import '../../../webview/styles/diff.css';
import '../../../webview/styles/markdown.css';
import '../../../webview/styles/toggles.css';
import './transcript.css';

function start(root: HTMLElement): void {
  const api = acquireVsCodeApi();
  const transcript = new TranscriptController(connectToHost<TranscriptProtocol>(api, window), api);
  render(<TranscriptApp transcript={transcript} />, root);
  transcript.start();
  // If the focused row was evicted, focus the row that is the tab stop.
  returnFocus(() => root.querySelector<HTMLElement>('[role=row][tabindex="0"]')?.focus());
}

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root to draw into.');
start(root);
