/** Stands in for VS Code in the preview page: gives the theme, and answers the view as the named state says. */
import { protocolVersion } from '../../../src/protocol/envelope';
import { states, type PreviewState } from './states';
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

const posted: unknown[] = [];
let earlierLeft = state.earlierPages ?? [];

function answer(message: unknown): void {
  posted.push(message);
  if (typeof message !== 'object' || message === null || !('kind' in message) || !('name' in message)) return;
  if (message.kind === 'command' && message.name === 'ready') {
    tell({ kind: 'notification', name: 'bootstrap', payload: withDraft(state?.bootstrap) });
    for (const event of state?.events ?? []) tell({ kind: 'notification', name: 'turnEvent', payload: { sessionId: '20261112_140200_a1b2c3', event } });
  }
  if (message.name === 'saveDraft' && 'payload' in message) sessionStorage.setItem('draft', JSON.stringify(message.payload));
  if (message.kind !== 'request' || !('id' in message)) return;
  if (message.name === 'search' && state?.requests?.search === undefined) return scanning(message);
  const response = { kind: 'response', id: message.id, ok: true, result: resultOf(message.name) };
  // A page of the store takes a moment to read.
  setTimeout(() => tell(response), message.name === 'loadEarlier' ? 300 : 0);
}

// The host's durable draft outlives the page.
function withDraft(bootstrap: PreviewState['bootstrap'] | undefined): unknown {
  const draft: unknown = JSON.parse(sessionStorage.getItem('draft') ?? 'null');
  if (typeof draft !== 'object' || draft === null || !('text' in draft) || bootstrap === undefined || !('shown' in bootstrap)) return bootstrap;
  return bootstrap.shown === null ? { ...bootstrap, newDraft: draft.text } : { ...bootstrap, shown: { ...bootstrap.shown, draft: draft.text } };
}

// A search of which no result is given reads on and on.
function scanning(message: object): void {
  const search = 'payload' in message && typeof message.payload === 'object' && message.payload !== null && 'search' in message.payload ? message.payload.search : 0;
  tell({ kind: 'notification', name: 'progress', payload: { search, progress: { done: 84_000, total: 300_000 } } });
}

function resultOf(request: unknown): unknown {
  // Nothing more is stored than what is shown at first.
  if (request === 'loadRows') return { messages: [], turns: [], hasEarlier: false, later: 0, total: 400 };
  if (request === 'search') return state?.requests?.search;
  if (request === 'listModels') return state?.requests?.listModels ?? { models: [], problems: [] };
  if (request === 'contextUse') return state?.requests?.contextUse ?? { tokens: 0, counted: false, window: null, parts: null };
  if (request === 'fileHunks') return state?.requests?.fileHunks ?? [];
  if (request === 'mentions') return state?.requests?.mentions ?? [];
  if (request === 'filesFrom') return state?.requests?.filesFrom ?? [];
  if (request === 'reviewFiles') return state?.requests?.reviewFiles ?? { sentence: null, conflicts: [] };
  if (request === 'compressionPreview') return state?.requests?.compressionPreview ?? null;
  if (request !== 'loadEarlier') return null;
  const [page, ...rest] = earlierLeft;
  earlierLeft = rest;
  return { messages: page ?? [], turns: [], versions: [], changes: {}, hasEarlier: rest.length > 0 };
}

// What a view keeps over a reload is kept over a reload of the page.
const kept = (): unknown => JSON.parse(sessionStorage.getItem('state') ?? 'null') ?? undefined;
const keep = (value: unknown): void => sessionStorage.setItem('state', JSON.stringify(value));
Object.assign(window, { acquireVsCodeApi: () => ({ postMessage: answer, getState: kept, setState: keep }), posted });
