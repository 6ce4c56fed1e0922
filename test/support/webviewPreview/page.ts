/** Stands in for VS Code in the preview page: gives the theme, and answers the view as the named state says. */
import { protocolVersion } from '../../../src/protocol/envelope';
import { states } from './states';
import { themes } from './themes';

const wanted = new URLSearchParams(location.search);
const theme = themes[wanted.get('theme') ?? 'dark'];
const state = states[wanted.get('state') ?? 'complete'];
if (theme === undefined || state === undefined) throw new Error(`There is no such preview: ${location.search}`);

for (const [name, value] of Object.entries(theme.colors)) document.documentElement.style.setProperty(`--vscode-${name}`, value);
document.body.classList.add(theme.bodyClass);
document.body.dataset['vscodeThemeKind'] = theme.kind;
if (state.direction !== undefined) document.documentElement.dir = state.direction;

function tell(message: object): void {
  window.postMessage({ v: protocolVersion, ...message }, '*');
}

function answer(message: unknown): void {
  if (typeof message !== 'object' || message === null || !('kind' in message) || !('name' in message)) return;
  if (message.kind === 'command' && message.name === 'ready') {
    tell({ kind: 'notification', name: 'bootstrap', payload: state?.bootstrap });
    for (const event of state?.events ?? []) tell({ kind: 'notification', name: 'turnEvent', payload: { sessionId: '20261112_140200_a1b2c3', event } });
  }
  if (message.kind !== 'request' || !('id' in message)) return;
  const result = message.name === 'listModels' ? state?.requests?.listModels : message.name === 'loadEarlier' ? { messages: [], turns: [], hasEarlier: true } : null;
  tell({ kind: 'response', id: message.id, ok: true, result });
}

Object.assign(window, { acquireVsCodeApi: () => ({ postMessage: answer, getState: () => undefined, setState: () => undefined }) });
