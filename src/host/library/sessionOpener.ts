import type { GatewayPart } from '../../gateway/conversationGateway';
import type { SessionStore } from '../../store/session/sessionStore';
import type { Message } from '../../transcript/message';

/** Place where a session opens. */
type OpenDestination = 'chat' | 'transcript' | 'tab';

/** A chat, as far as opening needs it. */
interface ShownChat {
  readonly id: string;
  reveal(message: { readonly messageUid: string; readonly turnUid: string | null }): void;
}

interface SessionOpenerDeps {
  readonly gateway: GatewayPart<'surfaces', 'shownSession'> & GatewayPart<'switching', 'switchSession'>;
  readonly sessions: Pick<SessionStore, 'conversationTip' | 'getMessage'>;
  /** The panel, or the tab that currently replaces it. */
  readonly chat: () => ShownChat;
  readonly showChat: (focusComposer: boolean) => Promise<void>;
  readonly openTab: (sessionId: string) => Promise<Pick<ShownChat, 'reveal'>>;
  readonly openTranscript: (sessionId: string, messageUid: string | null) => void;
  readonly storeSettled: () => Promise<void>;
}

/** Opens a session for the user, or one message of it. */
export class SessionOpener {
  constructor(private readonly deps: SessionOpenerDeps) {}

  /** Rejects, with nothing changed, when the session cannot be opened. */
  async open(sessionId: string, messageUid: string | null, place: OpenDestination): Promise<void> {
    await this.deps.storeSettled();
    switch (place) {
      case 'chat':
        return this.inChat(sessionId, messageUid);
      case 'tab': {
        const tab = await this.deps.openTab(sessionId);
        return this.revealIn(tab, sessionId, messageUid);
      }
      case 'transcript':
        return this.deps.openTranscript(sessionId, messageUid);
      default:
        return place satisfies never;
    }
  }

  /** Scrolls to a message in the chat that already shows its session. */
  async revealMessage(sessionId: string, messageUid: string): Promise<void> {
    await this.revealIn(this.deps.chat(), sessionId, messageUid);
  }

  private async inChat(sessionId: string, messageUid: string | null): Promise<void> {
    const { gateway, sessions, chat, showChat } = this.deps;
    const surface = chat();
    const tip = await sessions.conversationTip(sessionId);
    if (gateway.surfaces.shownSession(surface.id) !== tip)
      await gateway.switching.switchSession(surface.id, { reason: 'resume', sessionId: tip });
    await showChat(messageUid === null);
    await this.revealIn(surface, sessionId, messageUid);
  }

  private async revealIn(
    surface: Pick<ShownChat, 'reveal'>,
    sessionId: string,
    messageUid: string | null,
  ): Promise<void> {
    const message = messageUid === null ? null : await this.mergedPromptOf(messageUid);
    if (message === null) return;
    // At any distance: the chat loads the part of the conversation that contains it. A message that the chat hides
    // opens in the transcript.
    if (message.visibility.kind !== 'hidden') surface.reveal({ messageUid: message.uid, turnUid: message.turnUid });
    else this.deps.openTranscript(sessionId, message.uid);
  }

  /** Finds a row; for one that was merged into another, returns the other. Null: it is no longer stored. */
  private async mergedPromptOf(uid: string): Promise<Message | null> {
    const { sessions } = this.deps;
    const message = await originalRow(sessions, uid);
    const into = message?.visibility.kind === 'hidden' ? message.visibility.absorbedInto : null;
    return into === null ? message : originalRow(sessions, into);
  }
}

/** Returns the row itself, or the row of an earlier segment that it repeats: the transcript contains that one. Null:
 *  it is not stored. */
export async function originalRow(sessions: Pick<SessionStore, 'getMessage'>, uid: string): Promise<Message | null> {
  let message = await sessions.getMessage(uid);
  const passed = new Set([uid]);
  while (message !== null && message.carriedFrom !== null && !passed.has(message.carriedFrom)) {
    passed.add(message.carriedFrom);
    message = await sessions.getMessage(message.carriedFrom);
  }
  return message;
}
