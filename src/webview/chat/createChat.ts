import { batch } from '@preact/signals';
import type { ChatSurroundings, ChatProtocol } from './connection/chatHost';
import { UnsavedDrafts } from './drafts/unsavedDrafts';
import { Chat } from './state/chat';
import type { TurnEvent } from '../../transcript/turnEvent';
import { type NotificationOf, RefusedRequest } from '../rpc';
import { Attachments } from './composer/attachments';
import { withInsertion } from './drafts/composerText';
import { Drafts } from './drafts/drafts';
import { AgentController, EffortController } from './pickers/sessionOptions';
import { AskAgain } from './session/askAgain';
import { PromptEdits } from './session/promptEdits';
import { SessionArrival } from './session/sessionArrival';
import { SessionContext } from './session/sessionContext';
import type { ChatViewState } from './state/chatState';
import { lazyTurn } from './turn/lazyTurn';
import { lazyCards } from './cards/approvalController';
import { lazyComposer } from './composer/lazyComposer';
import { setLazyComponents } from './connection/lazyComponents';
import { lazyFeed } from './feed/lazyFeed';
import { lazyPanel } from './lazyPanel';
import { lazyPickers } from './pickers/OptionPicker';
import { FeedPages, lazyFetching } from './state/feedPages';
import { messagesInDoubt } from './state/conversation';

/** Milliseconds before a message still in doubt after a re-read is read again; doubles each time up to `longest`. */
const rereadDelay = { first: 250, longest: 8000 } as const;

/** Re-reads messages that the view cannot be sure of, until it is: a chunk is missing, or a row has less than was
 *  shown. */
class UnverifiedMessages {
  private readonly reading = new Set<string>();

  constructor(private readonly chat: Chat) {}

  /** Call this after every change of the shown conversation. */
  check(): void {
    const { conversation } = this.chat;
    if (conversation === null) return;
    for (const uid of messagesInDoubt(conversation)) {
      if (!this.reading.has(uid)) void this.read(conversation.session.id, uid, rereadDelay.first);
    }
  }

  private async read(sessionId: string, uid: string, delay: number): Promise<void> {
    this.reading.add(uid);
    try {
      const message = await this.chat.host.request('readMessage', { uid });
      this.chat.dispatch({ kind: 'messageRead', sessionId, uid, message });
    } catch (error) {
      if (!(error instanceof RefusedRequest)) throw error;
      // The store could not be read now; the message stays in doubt and is read again later.
    }
    this.chat.timers.after(delay, () => {
      const { conversation } = this.chat;
      const isUnverified = conversation?.session.id === sessionId && messagesInDoubt(conversation).includes(uid);
      if (isUnverified) void this.read(sessionId, uid, Math.min(delay * 2, rereadDelay.longest));
      else this.reading.delete(uid);
    });
  }
}

setLazyComponents(async () => {
  const code = await import('./afterFirstPaint');
  batch(() => {
    lazyCards.provide(code.cards);
    lazyComposer.provide(code.composer);
    lazyFeed.provide(code.feed);
    lazyFetching.provide(code.fetching);
    lazyPanel.provide(code);
    lazyPickers.provide(code.pickers);
    lazyTurn.provide(code.turn);
  });
});

/** Builds a chat that follows the host's notifications; `startChat` asks the host for them. */
export function createChat(
  surroundings: ChatSurroundings,
  setLocalization: (strings: Readonly<Record<string, string>>) => void,
): Chat {
  const chat = new Chat(surroundings);
  chat.state.subscribe(() => chat.part(UnverifiedMessages).check());
  chat.host.onNotification((notification) => {
    if (notification.name === 'bootstrap') setLocalization(notification.payload.localization);
    const before = chat.state.peek();
    chat.dispatch({ kind: 'notified', notification });
    routeNotification(chat, notification, before);
  });
  return chat;
}

export function startChat(chat: Chat): void {
  // Save unsaved drafts before asking for the state, so that the state includes them.
  chat.part(UnsavedDrafts).handOver();
  chat.host.send('ready', {});
}

/** Updates the parts of the chat after a notification. `before`: the view's state without it. */
function routeNotification(chat: Chat, notification: NotificationOf<ChatProtocol>, before: ChatViewState): void {
  const after = chat.state.peek();
  const arrival = chat.part(SessionArrival);
  const conversationBefore = conversationOf(before);
  const isSame = conversationOf(after) === conversationBefore;
  // A refusal by the store ends with the state that it was about.
  if (after.store !== before.store && after.store.kind === 'open') chat.requests.dismissStoreRefusal();
  const [wasOpen, isOpen] = [before, after].map(({ store }) => store.kind === 'open');
  if (before.ready && wasOpen && !isOpen) arrival.storeLost();
  const shownAgain = (changed: boolean): void => {
    for (const choice of [chat.part(EffortController), chat.part(AgentController)])
      choice.sessionShown(chat.sessionId, conversationBefore !== null && isSame);
    chat.part(FeedPages).shown(isSame, changed);
    void chat.part(SessionContext).refresh();
  };
  switch (notification.name) {
    case 'bootstrap': {
      const { shown } = notification.payload;
      const newDraft = { text: notification.payload.newDraft, parts: notification.payload.newDraftParts };
      const seenBefore = before.ready && isRead(before);
      shownAgain(false);
      arrival.show(shown, newDraft, seenBefore, conversationBefore, isRead(after));
      if (!wasOpen && isOpen) {
        arrival.storeRegained(shown, newDraft);
        if (before.ready) chat.part(PromptEdits).giveAgain();
      }
      return;
    }
    case 'shown':
      shownAgain(notification.payload?.changed === true);
      return arrival.show(notification.payload, { text: '', parts: [] }, true, conversationBefore, true);
    case 'effort':
      return chat.part(EffortController).notified(notification.payload);
    case 'agents':
      return chat.part(AgentController).notified(notification.payload);
    case 'turnEvent':
      if (notification.payload.sessionId === chat.sessionId) turnEvent(chat, notification.payload.event);
      return;
    case 'model':
      void chat.part(SessionContext).refresh();
      if (notification.payload.chosen !== null && chat.requests.problem.peek()?.offersModels === true)
        chat.requests.dismiss();
      return;
    case 'changedFiles':
      return chat.part(FeedPages).filesChanged(notification.payload.turnUid, notification.payload.files);
    case 'find':
      chat.ui.findAsked.value = true;
      return;
    case 'focusComposer':
      return chat.focusComposer();
    case 'reveal':
      chat.ui.revealed.value = notification.payload;
      return;
    case 'insertPrompt': {
      const drafts = chat.part(Drafts);
      if (notification.payload.text !== '') drafts.edit(withInsertion(drafts.text.peek(), notification.payload.text));
      chat.part(Attachments).add(notification.payload.parts ?? []);
      return chat.focusComposer();
    }
    default:
    // Other notifications change only the state.
  }
}

/** Announces each thing once, never per delta. */
function turnEvent(chat: Chat, event: TurnEvent): void {
  const { ui } = chat;
  switch (event.kind) {
    case 'turnOpened':
      ui.announced.value = '';
      ui.warned.value = '';
      // The turn to ask again has been replaced.
      return chat.part(AskAgain).withdraw();
    case 'approvalDecided':
      // Clear the region, so that a next request with the same words is announced again.
      ui.warned.value = '';
      return;
    case 'turnSettled': {
      // Its words load long before a turn ends.
      const ending = lazyTurn.peek()?.endingLabels(event.turn, event.messages) ?? null;
      ui.warned.value = ending?.isUrgent === true ? ending.text : '';
      if (ending?.isUrgent === false) ui.announced.value = ending.text;
      return void chat.part(SessionContext).refresh();
    }
    default:
  }
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
