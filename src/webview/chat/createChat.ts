import type { ChatSurroundings } from './connection/chatHost';
import { UnsavedDrafts } from './drafts/unsavedDrafts';
import { routeNotification } from './notificationRouter';
import { Chat } from './state/chat';
import { UnverifiedMessages } from './state/unverifiedMessages';

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
