import { render } from 'preact';
import { returnFocus } from '../../../webview/focusReturn';
import { setLocalization } from '../../../webview/localization';
import { connectToHost } from '../../../webview/rpc';
import { SearchApp } from './SearchApp';
import { SearchController, type SearchViewProtocol, recallSearch } from './searchController';
import '../../../webview/styles/controls.css';
import '../../../webview/styles/toggles.css';
import './search.css';

function start(root: HTMLElement): void {
  const api = acquireVsCodeApi();
  const screen = new SearchController({
    host: connectToHost<SearchViewProtocol>(api, window),
    recalled: recallSearch(api),
    keep: (memory) => api.setState(memory),
    after: (delayMs, callback) => {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
    nowMs: () => Date.now(),
    setLocalization,
  });
  render(<SearchApp screen={screen} />, root);
  screen.start();
  returnFocus(() => document.getElementById('search-field')?.focus());
}

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root to draw into.');
start(root);
