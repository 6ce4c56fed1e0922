import type { CurrentFile } from '../../../protocol/attachmentProtocol';
import type { ChatNotifications, ChatState } from '../../../protocol/chatProtocol';
import type { Message } from '../../../transcript/message';
import type { NotificationOf } from '../../rpc';
import type { ChatProtocol } from '../connection/chatHost';
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

/** Parts of the bootstrap that are not here as they are there. */
type Rest = 'shown' | 'newDraft' | 'newDraftParts' | 'localization';

/** Everything the chat view renders, apart from the user's own state (typed text, folds, scroll). */
export interface ChatViewState extends Required<Omit<ChatState, Rest | 'sandbox'>> {
  /** False until the host has sent the first state. */
  readonly ready: boolean;
  readonly conversation: Conversation | null;
  /** Null: not known yet. */
  readonly sandbox: NonNullable<ChatState['sandbox']> | null;
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
  features: null,
  sandbox: null,
  demoPrompts: [],
  promptFiles: [],
  currentFile: null,
};

/** Events that change the state: a notification from the host, or the response to a request of the view. */
export type ChatEvent =
  | { readonly kind: 'notified'; readonly notification: NotificationOf<ChatProtocol> }
  | { readonly kind: 'messageRead'; readonly sessionId: string; readonly uid: string; readonly message: Message | null }
  /** A page was loaded or dropped. */
  | { readonly kind: 'repaged'; readonly conversation: Conversation }
  /** The decision is on disk. */
  | { readonly kind: 'approvalDecided'; readonly sessionId: string; readonly approvalId: string }
  | { readonly kind: 'discovered'; readonly setup: ChatState['setup'] };

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

function afterNotification(
  state: ChatViewState,
  { name, payload }: NotificationOf<ChatProtocol>,
  now: number,
): ChatViewState {
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
    case 'beginning':
    case 'background':
    case 'commands':
    case 'model':
    case 'setup':
    case 'store':
    case 'sync':
    case 'currentFile':
    case 'promptFiles':
    case 'sandbox':
      return { ...state, [name]: payload };
    case 'trust':
      return { ...state, restricted: payload.restricted };
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

function bootstrapped(
  { conversation, currentFile }: ChatViewState,
  { shown: session, newDraft: _, newDraftParts: __, localization: ___, ...content }: ChatState,
  now: number,
): ChatViewState {
  return { ...initialState, ...content, ready: true, conversation: shown(conversation, session, now), currentFile };
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
