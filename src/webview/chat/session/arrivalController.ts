import type { ShownSession } from '../../../protocol/chatProtocol';
import type { DraftPart } from '../../../protocol/transcriptTypes';
import type { ChatNeeds } from '../connection/chatHost';
import type { Drafts } from '../composer/drafts';
import type { Folds } from '../state/folds';
import type { Places } from '../state/places';
import type { UnsavedDrafts } from '../composer/unsavedDrafts';
import { newerDraft, newSessionDraft, type ViewMemory } from '../connection/viewMemory';

export interface ArrivalsNeeds {
  readonly memory: ChatNeeds['memory'];
  readonly drafts: Drafts;
  readonly unsaved: UnsavedDrafts;
  readonly folds: Folds;
  readonly places: Places;
  /** Returns true when this draft still contains a prompt that was just sent. */
  readonly holdsBack: (key: string, text: string, parts: readonly DraftPart[]) => boolean;
  /** Returns true when the composer's content was typed for the session that comes into view. */
  readonly wasTypedAhead: () => boolean;
  /** Called when a different session is shown than before. */
  readonly arrived: (sessionId: string | null) => void;
}

/** Restores a shown session's text, scroll position and folds from when the user left it. */
export class ArrivalController {
  private placeToRestore: ViewMemory['anchor'];

  constructor(private readonly needs: ArrivalsNeeds) {
    this.placeToRestore = needs.memory.recalled.anchor;
  }

  /** Takes the scroll position saved when the view was last seen or the session was left. */
  takePlace({ id, conversationId }: ShownSession['session']): ViewMemory['anchor'] {
    const { memory, places } = this.needs;
    const place = this.placeToRestore;
    this.placeToRestore = null;
    return place !== null && memory.recalled.sessionId === id ? place : (places.of(conversationId)?.anchor ?? null);
  }

  /** `seenBefore`: the view has already shown something read from the store. `before`: the conversation shown until
   *  now. `isRead`: the store is readable, so `shown` is its real content. */
  show(
    shown: ShownSession | null,
    newDraft: { readonly text: string; readonly parts: readonly DraftPart[] },
    seenBefore: boolean,
    before: string | null,
    isRead: boolean,
  ): void {
    const { drafts, memory, unsaved, holdsBack, arrived } = this.needs;
    const key = shown?.session.id ?? newSessionDraft;
    const { text, parts } = shown === null ? newDraft : { text: shown.draft, parts: shown.draftParts };
    if (!seenBefore) {
      // Text typed while the store was still opening: keep it.
      if (drafts.text.peek() === '' && drafts.parts.peek().length === 0) drafts.show(key, text, parts);
      else if (key !== drafts.place) drafts.carryTo(key, text, parts);
      const kept = isRead ? unsaved.take(key) : null;
      if (kept !== null) drafts.edit(newerDraft(kept, drafts.text.peek()));
      if (memory.recalled.sessionId !== (shown?.session.id ?? null)) this.arrive(shown);
      return;
    }
    const goesOn = shown !== null && shown.session.conversationId === before;
    if (goesOn && key !== drafts.place) return drafts.moved(key);
    if (key === drafts.place && shown?.changed === true) drafts.putBack(text, parts);
    if (key === drafts.place || holdsBack(key, text, parts)) return;
    if (this.needs.wasTypedAhead()) drafts.carryTo(key, text, parts);
    else drafts.show(key, text, parts);
    arrived(shown?.session.id ?? null);
    this.arrive(shown);
  }

  private arrive(shown: ShownSession | null): void {
    const { folds, places } = this.needs;
    folds.arrive(
      shown?.session.id ?? null,
      shown === null ? [] : (places.of(shown.session.conversationId)?.openFolds ?? []),
    );
  }
}
