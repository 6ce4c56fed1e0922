import { signal, type ReadonlySignal } from '@preact/signals';
import type { ViewMemory } from '../connection/viewMemory';
import type { Chat } from './chat';

/** Number of sessions whose places are remembered: those left most recently. */
const mostRemembered = 20;

/** Fold key of a long prompt. */
export function promptFoldKey(uid: string): string {
  return `prompt:${uid}`;
}

/** Fold key of a turn's todo updates, by the call of the first. */
export function todosFoldKey(callId: string): string {
  return `todos:${callId}`;
}

/** Open folds of the shown session, saved in the view's memory. */
export class FoldState {
  private readonly unfolded;

  constructor(
    private readonly chat: Chat,
    private readonly places = chat.part(ScrollPositions),
  ) {
    this.unfolded = signal<ReadonlySet<string>>(new Set(chat.memory.recalled.openFolds));
  }

  get open(): ReadonlySignal<ReadonlySet<string>> {
    return this.unfolded;
  }

  toggle(key: string): void {
    const folds = new Set(this.unfolded.peek());
    if (!folds.delete(key)) folds.add(key);
    this.unfolded.value = folds;
    this.remember({ openFolds: [...folds] });
  }

  /** Opens those that are still folded. */
  unfold(keys: readonly string[]): void {
    for (const key of keys) if (!this.unfolded.peek().has(key)) this.toggle(key);
  }

  /** Called when another session is shown: restores the folds open when it was left. The view's memory of the
   *  previous session, including its scroll position, does not apply to it. */
  arrive(sessionId: string | null, openFolds: readonly string[]): void {
    this.unfolded.value = new Set(openFolds);
    this.remember({ sessionId, openFolds: [...openFolds], anchor: null });
  }

  private remember(change: Partial<ViewMemory> & Pick<ViewMemory, 'openFolds'>): void {
    this.chat.memory.remember(change);
    const { conversation } = this.chat;
    if (conversation !== null) this.places.note(conversation.session.conversationId, { openFolds: change.openFolds });
  }
}

/** Scroll position and open folds of a session. */
type ScrollPosition = ViewMemory['places'][number];

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
