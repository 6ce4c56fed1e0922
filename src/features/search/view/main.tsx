import { render } from 'preact';
import { returnFocus } from '../../../webview/focusReturn';
import { connectToHost } from '../../../webview/rpc';
import { pageTimers } from '../../../webview/times';
import type { SearchProtocol } from '../protocol/searchProtocol';
import { SearchApp } from './SearchApp';
import { SearchController } from './searchController';
import '../../../webview/styles/controls.css';
import '../../../webview/styles/toggles.css';
import './search.css';

function start(root: HTMLElement): void {
  const api = acquireVsCodeApi();
  const screen = new SearchController(connectToHost<SearchProtocol>(api, window), api, pageTimers);
  render(<SearchApp screen={screen} />, root);
  screen.start();
  returnFocus(() => document.getElementById('search-field')?.focus());
}

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root to draw into.');
start(root);
