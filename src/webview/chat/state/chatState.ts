import type { CurrentFile } from '../../../protocol/attachmentProtocol';
import type {
  BackgroundSession,
  ChatNotifications,
  ChatState,
  ModelState,
  OfferedPrompt,
  Setup,
  ViewStoreState,
} from '../../../protocol/chatProtocol';
import type { BackgroundCommand } from '../../../protocol/workProtocol';
import type { ChatSync } from '../../../protocol/syncProtocol';
import type { Message } from '../../../transcript/message';
import type { Mode } from '../../../transcript/approval';
import type { SandboxState } from '../../../transcript/sandboxState';
import type { SessionSummary } from '../../../transcript/session';
import {
  applyRead,
  applyTurnEvent,
  conversationFrom,
  decided,
  mergeSnapshot,
  type Conversation,
  withChanges,
  withCompressing,
} from './conversation';

/** Everything the chat view renders, apart from the user's own state (typed text, folds, scroll). */
export interface ChatViewState {
  /** False until the host has sent the first state. */
  readonly ready: boolean;
  readonly conversation: Conversation | null;
  readonly recentSessions: readonly SessionSummary[];
  readonly beginning: ChatState['beginning'];
  /** Permission mode for a session that begins in the empty state. */
  readonly newMode: Mode;
  readonly background: readonly BackgroundSession[];
  readonly commands: readonly BackgroundCommand[];
  readonly model: ModelState;
  readonly setup: Setup;
  readonly store: ViewStoreState;
  /** Null: not synchronized. */
  readonly sync: ChatSync | null;
  readonly restricted: boolean;
  readonly folderName: string | null;
  readonly isVirtual: boolean;
  /** Null: not known yet. */
  readonly sandbox: SandboxState | null;
  readonly demoPrompts: readonly string[];
  readonly promptFiles: readonly OfferedPrompt[];
  /** Offered as an attachment of the prompt. */
  readonly currentFile: CurrentFile | null;
}

export const initialState: ChatViewState = {
  ready: false,
  conversation: null,
  recentSessions: [],
  beginning: { private: false },
  newMode: 'ask',
  background: [],
  commands: [],
  model: { chosen: null, problem: null },
  setup: { searching: false, entries: [] },
  store: { kind: 'opening' },
  sync: null,
  restricted: false,
  folderName: null,
  isVirtual: false,
  sandbox: null,
  demoPrompts: [],
  promptFiles: [],
  currentFile: null,
};

type Notification = {
  [Name in keyof ChatNotifications]: { readonly name: Name; readonly payload: ChatNotifications[Name] };
}[keyof ChatNotifications];

/** Events that change the state: a notification from the host, or the response to a request of the view. */
export type ChatEvent =
  | { readonly kind: 'notified'; readonly notification: Notification }
  | { readonly kind: 'messageRead'; readonly sessionId: string; readonly uid: string; readonly message: Message | null }
  /** A page was loaded or dropped. */
  | { readonly kind: 'repaged'; readonly conversation: Conversation }
  /** The decision is on disk. */
  | { readonly kind: 'approvalDecided'; readonly sessionId: string; readonly approvalId: string }
  | { readonly kind: 'discovered'; readonly setup: Setup };

/** Pure. `now`: milliseconds, for elapsed times only; nothing is ordered by it. Events of a session that is not
 *  shown change nothing. */
export function reduce(state: ChatViewState, event: ChatEvent, now: number): ChatViewState {
  switch (event.kind) {
    case 'notified':
      return afterNotification(state, event.notification, now);
    case 'messageRead':
      return ofSession(state, event.sessionId, (conversation) =>
        applyRead(conversation, event.uid, event.message, now),
      );
    case 'repaged':
      return ofSession(state, event.conversation.session.id, () => event.conversation);
    case 'approvalDecided':
      return ofSession(state, event.sessionId, (conversation) => decided(conversation, event.approvalId));
    case 'discovered':
      return { ...state, setup: event.setup };
  }
}

function afterNotification(state: ChatViewState, { name, payload }: Notification, now: number): ChatViewState {
  switch (name) {
    case 'bootstrap':
      return bootstrapped(state, payload, now);
    case 'shown':
      return { ...state, conversation: shown(state.conversation, payload, now) };
    case 'turnEvent':
      return ofSession(state, payload.sessionId, (conversation) => applyTurnEvent(conversation, payload.event, now));
    case 'queueChanged':
      return ofSession(state, payload.sessionId, (conversation) => ({ ...conversation, queue: payload.queue }));
    case 'changedFiles':
      return ofSession(state, payload.sessionId, (conversation) =>
        withChanges(conversation, payload.turnUid, payload.files),
      );
    case 'compressing':
      return ofSession(state, payload.sessionId, (conversation) =>
        withCompressing(conversation, payload.activity, now),
      );
    case 'sessionRenamed':
      return ofSession(state, payload.sessionId, (conversation) => ({
        ...conversation,
        session: { ...conversation.session, title: payload.title },
      }));
    case 'recentSessions':
      return { ...state, recentSessions: payload };
    case 'beginning':
      return { ...state, beginning: payload };
    case 'background':
      return { ...state, background: payload };
    case 'commands':
      return { ...state, commands: payload };
    case 'model':
      return { ...state, model: payload };
    case 'setup':
      return { ...state, setup: payload };
    case 'store':
      return { ...state, store: payload };
    case 'sync':
      return { ...state, sync: payload };
    case 'currentFile':
      return { ...state, currentFile: payload };
    case 'promptFiles':
      return { ...state, promptFiles: payload };
    case 'trust':
      return { ...state, restricted: payload.restricted };
    case 'sandbox':
      return { ...state, sandbox: payload };
    case 'mode':
      if (payload.sessionId === null) return { ...state, newMode: payload.mode };
      return ofSession(state, payload.sessionId, (conversation) => ({ ...conversation, mode: payload.mode }));
    case 'effort':
    case 'agents':
    case 'focusComposer':
    case 'find':
    case 'findProgress':
    case 'insertPrompt':
    case 'reveal':
    case 'deliveryRequest':
      // These concern the user's own state, not the content shown.
      return state;
  }
}

function bootstrapped(state: ChatViewState, bootstrap: ChatState, now: number): ChatViewState {
  const {
    recentSessions,
    beginning,
    newMode,
    background,
    model,
    setup,
    store,
    restricted,
    folderName,
    demoPrompts,
    promptFiles,
    isVirtual = false,
    sandbox = null,
    commands = [],
    sync = null,
  } = bootstrap;
  const conversation = shown(state.conversation, bootstrap.shown, now);
  return {
    ready: true,
    conversation,
    recentSessions,
    beginning,
    newMode,
    background,
    commands,
    model,
    setup,
    store,
    sync,
    restricted,
    folderName,
    isVirtual,
    sandbox,
    demoPrompts,
    promptFiles,
    currentFile: state.currentFile,
  };
}

function shown(current: Conversation | null, payload: ChatNotifications['shown'], now: number): Conversation | null {
  if (payload === null) return null;
  return current?.session.conversationId === payload.session.conversationId
    ? mergeSnapshot(current, payload, now)
    : conversationFrom(payload, now);
}

function ofSession(
  state: ChatViewState,
  sessionId: string,
  change: (conversation: Conversation) => Conversation,
): ChatViewState {
  if (state.conversation?.session.id !== sessionId) return state;
  const conversation = change(state.conversation);
  return conversation === state.conversation ? state : { ...state, conversation };
}
