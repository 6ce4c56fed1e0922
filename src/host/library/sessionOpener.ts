import type { Message } from '../../transcript/message';
import type { ChatSurface } from '../chat/chatSurface';
import { originalRow } from '../chat/find/feedHandlers';
import type { LibraryWindow } from './libraryWindow';

/** Place where a session opens. */
type OpenDestination = 'chat' | 'transcript' | 'tab';

/** Opens a session for the user, or one message of it. */
export class SessionOpener {
  constructor(private readonly window: LibraryWindow) {}

  /** Rejects, with nothing changed, when the session cannot be opened. */
  async open(sessionId: string, messageUid: string | null, place: OpenDestination): Promise<void> {
    await this.window.history.status.settled();
    switch (place) {
      case 'chat':
        return this.inChat(sessionId, messageUid);
      case 'tab':
        return this.revealIn(await this.window.chatTabs.open(sessionId), sessionId, messageUid);
      case 'transcript':
        return this.window.transcripts.current?.open(sessionId, messageUid);
      default:
        return place satisfies never;
    }
  }

  /** Scrolls to a message in the chat that already shows its session. */
  async revealMessage(sessionId: string, messageUid: string): Promise<void> {
    await this.revealIn(this.window.activeChat.surface, sessionId, messageUid);
  }

  private async inChat(sessionId: string, messageUid: string | null): Promise<void> {
    const { gateway, history, activeChat, chat } = this.window;
    const { surface } = activeChat;
    const tip = await history.store.conversationTip(sessionId);
    if (gateway.surfaces.shownSession(surface.id) !== tip)
      await gateway.switching.switchSession(surface.id, { reason: 'resume', sessionId: tip });
    if (messageUid === null) await activeChat.focus();
    else if (activeChat.tab === null) await chat.show();
    await this.revealIn(surface, sessionId, messageUid);
  }

  private async revealIn(
    surface: Pick<ChatSurface, 'reveal'>,
    sessionId: string,
    messageUid: string | null,
  ): Promise<void> {
    const message = messageUid === null ? null : await this.mergedPromptOf(messageUid);
    if (message === null) return;
    // At any distance: the chat loads the part of the conversation that contains it. A message that the chat hides
    // opens in the transcript.
    if (message.visibility.kind !== 'hidden') surface.reveal({ messageUid: message.uid, turnUid: message.turnUid });
    else this.window.transcripts.current?.open(sessionId, message.uid);
  }

  /** Finds a row; for one that was merged into another, returns the other. Null: it is no longer stored. */
  private async mergedPromptOf(uid: string): Promise<Message | null> {
    const { store } = this.window.history;
    const message = await originalRow(store, uid);
    const into = message?.visibility.kind === 'hidden' ? message.visibility.absorbedInto : null;
    return into === null ? message : originalRow(store, into);
  }
}
