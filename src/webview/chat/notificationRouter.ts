import type { ChatNotifications } from '../../protocol/chatProtocol';
import type { NotificationOf } from '../rpc';
import type { Announcements } from './announcements';
import type { SessionArrival } from './session/sessionArrival';
import type { AskAgain } from './session/askAgain';
import type { Attachments } from './composer/attachments';
import type { ChatProtocol } from './connection/chatHost';
import type { ChatViewState } from './state/chatState';
import { withInsertion } from './composer/composerText';
import type { Drafts } from './composer/drafts';
import type { EffortController } from './session/effortController';
import type { FeedPages } from './state/feedPages';
import type { HostRequests } from './connection/hostRequests';
import type { SessionContext } from './session/sessionContext';
import type { PromptEdits } from './session/promptEdits';
import type { ScreenRequests } from './state/screenRequests';

/** Parts of the chat that follow the host's notifications. */
interface NotificationTargets {
  readonly announcements: Announcements;
  readonly requests: HostRequests;
  readonly arrivals: SessionArrival;
  readonly askAgain: AskAgain;
  readonly attachments: Attachments;
  readonly context: SessionContext;
  readonly drafts: Drafts;
  readonly edits: PromptEdits;
  readonly effort: EffortController;
  readonly pages: FeedPages;
  readonly screen: ScreenRequests;
}

/** Updates the parts of the chat after a notification. `before` and `after`: the view's state without and with it. */
export function routeNotification(
  chat: NotificationTargets,
  notification: NotificationOf<ChatProtocol>,
  before: ChatViewState,
  after: ChatViewState,
): void {
  const conversationBefore = conversationOf(before);
  const isSame = conversationOf(after) === conversationBefore;
  // A refusal by the store ends with the state that it was about.
  if (after.store !== before.store && after.store.kind === 'open') chat.requests.dismissStoreRefusal();
  switch (notification.name) {
    case 'bootstrap': {
      const { shown } = notification.payload;
      const newDraft = { text: notification.payload.newDraft, parts: notification.payload.newDraftParts };
      const seenBefore = before.ready && isRead(before);
      const [wasOpen, isOpen] = [before, after].map(({ store }) => store.kind === 'open');
      chat.effort.sessionShown(after.conversation?.session.id ?? null, conversationBefore !== null && isSame);
      chat.pages.shown(isSame, false);
      void chat.context.refresh();
      if (before.ready && wasOpen && !isOpen) chat.arrivals.storeLost();
      chat.arrivals.show(shown, newDraft, seenBefore, conversationBefore, isRead(after));
      if (!wasOpen && isOpen) {
        chat.arrivals.storeRegained(shown, newDraft);
        if (before.ready) chat.edits.giveAgain();
      }
      return;
    }
    case 'shown':
      chat.effort.sessionShown(after.conversation?.session.id ?? null, conversationBefore !== null && isSame);
      chat.pages.shown(isSame, notification.payload?.changed === true);
      void chat.context.refresh();
      return chat.arrivals.show(notification.payload, { text: '', parts: [] }, true, conversationBefore, true);
    case 'effort':
      return chat.effort.notified(notification.payload);
    case 'turnEvent':
      return turnEvent(chat, notification.payload, after);
    case 'model':
      void chat.context.refresh();
      if (notification.payload.chosen !== null && chat.requests.problem.peek()?.offersModels === true)
        chat.requests.dismiss();
      return;
    case 'changedFiles':
      return chat.pages.filesChanged(notification.payload.turnUid, notification.payload.files);
    case 'find':
      chat.screen.findAsked.value = true;
      return;
    case 'focusComposer':
      return chat.screen.focusComposer();
    case 'reveal':
      chat.screen.revealed.value = notification.payload;
      return;
    case 'insertPrompt':
      if (notification.payload.text !== '')
        chat.drafts.edit(withInsertion(chat.drafts.text.peek(), notification.payload.text));
      chat.attachments.add(notification.payload.parts ?? []);
      return chat.screen.focusComposer();
    default:
    // Other notifications change only the state.
  }
}

function turnEvent(
  { announcements, askAgain, context }: NotificationTargets,
  { sessionId, event }: ChatNotifications['turnEvent'],
  { conversation }: ChatViewState,
): void {
  if (sessionId !== (conversation?.session.id ?? null)) return;
  announcements.onEvent(event);
  // The turn to ask again has been replaced.
  if (event.kind === 'turnOpened') askAgain.withdraw();
  if (event.kind === 'turnSettled') void context.refresh();
}

/** True when the store could be read for the current view. */
function isRead({ store, conversation }: ChatViewState): boolean {
  return (
    conversation !== null ||
    store.kind === 'open' ||
    store.kind === 'readOnly' ||
    (store.kind === 'elsewhere' && store.readable)
  );
}

function conversationOf({ conversation }: ChatViewState): string | null {
  return conversation?.session.conversationId ?? null;
}
