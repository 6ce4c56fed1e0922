import type { ViewMemory } from '../connection/viewMemory';
import type { Chat } from '../state/chat';

/** Number of messages whose thinking time is remembered: the newest. */
const mostRemembered = 100;

/** Remembers how long the model thought in the messages that this view watched, so that a reload still shows it. */
export class Thoughts {
  private known: ViewMemory['thoughts'];

  constructor(private readonly chat: Chat) {
    this.known = chat.memory.recalled.thoughts;
  }

  /** Returns milliseconds; null for a message that the view did not watch. */
  of(uid: string): number | null {
    return this.known.find((thought) => thought.uid === uid)?.ms ?? null;
  }

  note(uid: string, ms: number): void {
    if (this.of(uid) !== null) return;
    this.known = [{ uid, ms }, ...this.known].slice(0, mostRemembered);
    this.chat.memory.remember({ thoughts: [...this.known] });
  }
}
