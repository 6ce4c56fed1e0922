import type { Message } from '../../../protocol/transcriptTypes';
import { RefusedRequest } from '../../rpc';
import { messagesInDoubt, type Conversation } from './conversation';
import type { Timers } from '../timers';

export interface DoubtNeeds {
  readonly shown: () => Conversation | null;
  readonly readMessage: (uid: string) => Promise<Message | null>;
  readonly wasRead: (sessionId: string, uid: string, message: Message | null) => void;
  readonly timers: Timers;
}

/** Milliseconds before a message still in doubt after a re-read is read again; doubles each time up to `longest`. */
const rereadDelay = { first: 250, longest: 8000 } as const;

/** Re-reads messages that the view cannot be sure of, until it is: a chunk is missing, or a row has less than was
 *  shown. */
export class DoubtfulMessages {
  private readonly reading = new Set<string>();

  constructor(private readonly needs: DoubtNeeds) {}

  /** Call this after every change of the shown conversation. */
  check(): void {
    const conversation = this.needs.shown();
    if (conversation === null) return;
    for (const uid of messagesInDoubt(conversation)) {
      if (!this.reading.has(uid)) void this.read(conversation.session.id, uid, rereadDelay.first);
    }
  }

  private async read(sessionId: string, uid: string, delay: number): Promise<void> {
    this.reading.add(uid);
    try {
      this.needs.wasRead(sessionId, uid, await this.needs.readMessage(uid));
    } catch (error) {
      if (!(error instanceof RefusedRequest)) throw error;
      // The store could not be read now; the message stays in doubt and is read again later.
    }
    this.needs.timers.after(delay, () => {
      const conversation = this.needs.shown();
      const doubtful = conversation?.session.id === sessionId && messagesInDoubt(conversation).includes(uid);
      if (doubtful) void this.read(sessionId, uid, Math.min(delay * 2, rereadDelay.longest));
      else this.reading.delete(uid);
    });
  }
}
