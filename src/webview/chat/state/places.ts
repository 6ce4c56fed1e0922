import type { ChatNeeds } from '../connection/chatHost';
import type { ViewMemory } from '../connection/viewMemory';

/** Scroll position and open folds of a session. */
export type Place = ViewMemory['places'][number];

/** Number of sessions whose places are remembered: those left most recently. */
const mostRemembered = 20;

/** Remembers scroll position and open folds per session, so that users return to where they were. */
export class Places {
  private known: readonly Place[];

  constructor(private readonly memory: ChatNeeds['memory']) {
    this.known = memory.recalled.places;
  }

  of(conversationId: string): Place | null {
    return this.known.find((place) => place.conversationId === conversationId) ?? null;
  }

  /** Does not store a position at the end with nothing unfolded: that is the default. */
  note(conversationId: string, change: Partial<Omit<Place, 'conversationId'>>): void {
    const place: Place = { anchor: null, openFolds: [], ...this.of(conversationId), ...change, conversationId };
    const others = this.known.filter((other) => other.conversationId !== conversationId);
    this.known =
      place.anchor === null && place.openFolds.length === 0 ? others : [place, ...others].slice(0, mostRemembered);
    this.memory.remember({ places: [...this.known] });
  }
}
