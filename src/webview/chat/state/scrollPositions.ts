import type { ViewMemory } from '../connection/viewMemory';
import type { Chat } from './chat';

/** Scroll position and open folds of a session. */
type ScrollPosition = ViewMemory['places'][number];

/** Number of sessions whose places are remembered: those left most recently. */
const mostRemembered = 20;

/** Remembers scroll position and open folds per session, so that users return to where they were. */
export class ScrollPositions {
  private known: readonly ScrollPosition[];

  constructor(private readonly chat: Pick<Chat, 'memory'>) {
    this.known = chat.memory.recalled.places;
  }

  of(conversationId: string): ScrollPosition | null {
    return this.known.find((place) => place.conversationId === conversationId) ?? null;
  }

  /** Does not store a position at the end with nothing unfolded: that is the default. */
  note(conversationId: string, change: Partial<Omit<ScrollPosition, 'conversationId'>>): void {
    const place: ScrollPosition = {
      anchor: null,
      openFolds: [],
      ...this.of(conversationId),
      ...change,
      conversationId,
    };
    const others = this.known.filter((other) => other.conversationId !== conversationId);
    this.known =
      place.anchor === null && place.openFolds.length === 0 ? others : [place, ...others].slice(0, mostRemembered);
    this.chat.memory.remember({ places: [...this.known] });
  }
}
