/** Stands in for VS Code in the preview page: gives the theme, and answers the view as the named state says. */
import { protocolVersion } from '../../../src/protocol/envelope';
import { knownReferences } from './codeStates';
import type { PreviewState } from './previewState';
import { states } from './states';
import { storedFeed } from './storedFeed';
import { themes } from './themes';

const wanted = new URLSearchParams(location.search);
// The page showed another state before: what that one kept is not this one's. A reload is no new visit.
if (sessionStorage.getItem('visit') !== wanted.get('visit')) {
  sessionStorage.clear();
  sessionStorage.setItem('visit', wanted.get('visit') ?? '');
}

const theme = themes[wanted.get('theme') ?? 'dark'];
const state = states[wanted.get('state') ?? 'complete'];
if (theme === undefined || state === undefined) throw new Error(`There is no such preview: ${location.search}`);

for (const [name, value] of Object.entries(theme.colors))
  document.documentElement.style.setProperty(`--vscode-${name}`, value);
document.body.classList.add(...theme.bodyClass.split(' '));
document.body.dataset['vscodeThemeKind'] = theme.kind;
if (state.direction !== undefined) document.documentElement.dir = state.direction;

function post(message: object): void {
  window.postMessage({ v: protocolVersion, ...message }, '*');
}

const posted: unknown[] = [];
/** Names of requests that a test leaves without an answer. */
const unanswered = new Set<unknown>();
const stored = state.stored === undefined ? null : storedFeed(state.stored);

function answer(message: unknown): void {
  posted.push(message);
  if (typeof message !== 'object' || message === null || !('kind' in message) || !('name' in message)) return;
  if (message.kind === 'command' && message.name === 'ready') {
    post({
      kind: 'notification',
      name: 'bootstrap',
      payload: { ...Object(withDraft(state?.bootstrap)), ...Object(Reflect.get(window, 'previewLanguage')) },
    });
    if (state?.effort !== undefined) post({ kind: 'notification', name: 'effort', payload: state.effort });
    if (state?.agents !== undefined) post({ kind: 'notification', name: 'agents', payload: state.agents });
    if (state?.currentFile !== undefined)
      post({ kind: 'notification', name: 'currentFile', payload: state.currentFile });
    for (const event of state?.events ?? [])
      post({ kind: 'notification', name: 'turnEvent', payload: { sessionId: '20261112_140200_a1b2c3', event } });
  }
  if (message.name === 'saveDraft' && 'payload' in message)
    sessionStorage.setItem('draft', JSON.stringify(message.payload));
  if (message.kind !== 'request' || !('id' in message) || unanswered.has(message.name)) return;
  if (message.name === 'verify' && state?.requests?.verify === undefined)
    return post({
      kind: 'notification',
      name: 'verifyProgress',
      payload: { step: 'rows', done: 24_400, total: 60_000 },
    });
  // A search that is given no result reads on and on.
  if (message.name === 'findRows' && state?.requests?.findRows === undefined)
    return searchOn(message, 'findProgress', (search) => ({ search, done: 24_400, total: 60_000 }));
  if (message.name === 'search' && state?.requests?.search === undefined)
    return searchOn(message, 'progress', (search) => ({ search, progress: { done: 84_000, total: 300_000 } }));
  const read = stored?.(message.name, 'payload' in message ? message.payload : null) ?? null;
  if (read !== null) return void read.then((result) => post({ kind: 'response', id: message.id, ok: true, result }));
  const response = {
    kind: 'response',
    id: message.id,
    ok: true,
    result: message.name === 'resolveReferences' ? referencesIn(message) : resultOf(message.name),
  };
  setTimeout(() => post(response), 0);
}

// The host's durable draft outlives the page.
function withDraft(bootstrap: PreviewState['bootstrap'] | undefined): unknown {
  const draft: unknown = JSON.parse(sessionStorage.getItem('draft') ?? 'null');
  if (
    typeof draft !== 'object' ||
    draft === null ||
    !('text' in draft) ||
    bootstrap === undefined ||
    !('shown' in bootstrap)
  )
    return bootstrap;
  return bootstrap.shown === null
    ? { ...bootstrap, newDraft: draft.text }
    : { ...bootstrap, shown: { ...bootstrap.shown, draft: draft.text } };
}

/** Tells how far a search is, and no more. */
function searchOn(message: object, name: string, progress: (search: unknown) => object): void {
  const search: unknown = Reflect.get(Object('payload' in message ? message.payload : {}), 'search') ?? 0;
  post({ kind: 'notification', name, payload: progress(search) });
}

function referencesIn(message: object): unknown {
  const { texts }: { texts?: unknown } =
    'payload' in message && typeof message.payload === 'object' && message.payload !== null ? message.payload : {};
  return Array.isArray(texts)
    ? texts.map((text) => (Object.hasOwn(knownReferences, String(text)) ? knownReferences[String(text)] : null))
    : [];
}

/** Answers to requests of which the state says nothing. */
const otherwise: Readonly<Record<string, unknown>> = {
  revisions: [],
  starterPrompts: [],
  listModels: { models: [], problems: [] },
  contextUse: { tokens: 0, counted: false, window: null, parts: null },
  fileHunks: [],
  mentions: { mentions: [], isWhole: true },
  filesFrom: [],
  reviewFiles: { sentence: null, conflicts: [] },
  reportDelivery: { forgotten: [], crashDemo: null },
  promptHistory: { prompts: [], before: null },
};

function resultOf(request: unknown): unknown {
  const name = String(request);
  const given: unknown = Reflect.get(state?.requests ?? {}, name);
  if (given !== undefined) return given;
  // Nothing more is stored than what is shown at first.
  if (name === 'loadRows') return state !== undefined && 'rows' in state.bootstrap ? state.bootstrap.rows : null;
  return otherwise[name] ?? null;
}

// What a view keeps over a reload is kept over a reload of the page.
const kept = (): unknown => JSON.parse(sessionStorage.getItem('state') ?? 'null') ?? state.recalled ?? undefined;
const keep = (value: unknown): void => sessionStorage.setItem('state', JSON.stringify(value));
Object.assign(window, {
  acquireVsCodeApi: () => ({ postMessage: answer, getState: kept, setState: keep }),
  posted,
  unanswered,
});
