import type { ViewMemory } from '../connection/viewMemory';

/** Where a person was in a session, and what was unfolded there. */
export type Place = ViewMemory['places'][number];

/** Sessions whose places are remembered: those that were left last. */
const mostRemembered = 20;

/** Remembers for the sessions that were shown where the person was in them, so that coming back is coming back there. */
export class Places {
  private known: readonly Place[];

  constructor(
    recalled: readonly Place[],
    private readonly remember: (change: Pick<ViewMemory, 'places'>) => void,
  ) {
    this.known = recalled;
  }

  of(conversationId: string): Place | null {
    return this.known.find((place) => place.conversationId === conversationId) ?? null;
  }

  /** A place at the end with nothing unfolded is what a session is shown with anyway. */
  note(conversationId: string, change: Partial<Omit<Place, 'conversationId'>>): void {
    const place: Place = { anchor: null, openFolds: [], ...this.of(conversationId), ...change, conversationId };
    const others = this.known.filter((other) => other.conversationId !== conversationId);
    this.known =
      place.anchor === null && place.openFolds.length === 0 ? others : [place, ...others].slice(0, mostRemembered);
    this.remember({ places: [...this.known] });
  }
}
