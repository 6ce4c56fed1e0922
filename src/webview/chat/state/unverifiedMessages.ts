import { RefusedRequest } from '../../rpc';
import { messagesInDoubt } from './conversation';
import type { Chat } from './chat';

/** Milliseconds before a message still in doubt after a re-read is read again; doubles each time up to `longest`. */
const rereadDelay = { first: 250, longest: 8000 } as const;

/** Re-reads messages that the view cannot be sure of, until it is: a chunk is missing, or a row has less than was
 *  shown. */
export class UnverifiedMessages {
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
