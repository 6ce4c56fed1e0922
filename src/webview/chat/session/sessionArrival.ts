import type { ShownSession } from '../../../protocol/chatProtocol';
import { joinedDraft, type DraftPart } from '../../../protocol/transcriptTypes';
import type { ChatDeps } from '../connection/chatHost';
import type { HostRequests } from '../connection/hostRequests';
import type { Drafts } from '../composer/drafts';
import type { PromptSender } from '../composer/promptSender';
import type { FoldState } from '../state/foldState';
import type { ScrollPositions } from '../state/scrollPositions';
import type { UnsavedDrafts } from '../composer/unsavedDrafts';
import type { AskAgain } from './askAgain';
import type { SessionSwitchController } from './sessionSwitchController';
import { newerDraft, newSessionDraft, type ViewMemory } from '../connection/viewMemory';

interface ArrivalDeps {
  readonly memory: ChatDeps['memory'];
  readonly requests: HostRequests;
  readonly drafts: Drafts;
  readonly unsaved: UnsavedDrafts;
  readonly folds: FoldState;
  readonly scrollPositions: ScrollPositions;
  readonly sender: PromptSender;
  readonly switches: SessionSwitchController;
  readonly askAgain: AskAgain;
}

/** Restores a shown session's text, scroll position and folds from when the user left it. */
export class SessionArrival {
  private placeToRestore: ViewMemory['anchor'];
  /** Draft when the store closed for this window: if it was saved, another window may send or continue it meanwhile. */
  private left: { readonly key: string; readonly text: string; readonly isSaved: boolean } | null = null;

  constructor(private readonly deps: ArrivalDeps) {
    this.placeToRestore = deps.memory.recalled.anchor;
  }

  /** Takes the scroll position saved when the view was last seen or the session was left. */
  takePlace({ id, conversationId }: ShownSession['session']): ViewMemory['anchor'] {
    const { memory, scrollPositions } = this.deps;
    const place = this.placeToRestore;
    this.placeToRestore = null;
    return place !== null && memory.recalled.sessionId === id
      ? place
      : (scrollPositions.of(conversationId)?.anchor ?? null);
  }

  /** Called when the store closes for this window. */
  storeLost(): void {
    const { drafts, unsaved } = this.deps;
    const key = drafts.place;
    this.left = { key, text: drafts.text.peek(), isSaved: unsaved.isSaved(key) };
  }

  /** Called when the store is open again, with the draft that it has for the session shown. Gives it what it refused
   *  meanwhile, and takes what another window made of a draft that was on disk. */
  storeRegained(shown: ShownSession | null, newDraft: ComposerContent): void {
    const { drafts, unsaved } = this.deps;
    const { left } = this;
    if (left === null) return;
    this.left = null;
    const key = shown?.session.id ?? newSessionDraft;
    const { text, parts } = draftIn(shown, newDraft);
    const own = drafts.text.peek();
    unsaved.giveAgain();
    if (key !== drafts.place || drafts.isSent.peek()) return;
    if (left.isSaved && left.key === key && left.text === own) {
      if (text !== own) drafts.show(key, text, parts);
    } else if (!unsaved.isSaved(key) && text !== left.text && !own.startsWith(text))
      drafts.edit(text.startsWith(own) ? text : joinedDraft([text, own]));
  }

  /** `seenBefore`: the view has already shown something read from the store. `before`: the conversation shown until
   *  now. `isRead`: the store is readable, so `shown` is its real content. */
  show(
    shown: ShownSession | null,
    newDraft: ComposerContent,
    seenBefore: boolean,
    before: string | null,
    isRead: boolean,
  ): void {
    const { requests, drafts, memory, unsaved, sender, switches, askAgain } = this.deps;
    const key = shown?.session.id ?? newSessionDraft;
    const { text, parts } = draftIn(shown, newDraft);
    if (!seenBefore) {
      // Text typed while the store was still opening: keep it.
      if (drafts.text.peek() === '' && drafts.parts.peek().length === 0) drafts.show(key, text, parts);
      else if (key !== drafts.place) drafts.carryTo(key, text, parts);
      const kept = isRead ? unsaved.take(key, storedPrompts(shown)) : null;
      if (kept !== null) drafts.edit(newerDraft(kept, drafts.text.peek()));
      if (memory.recalled.sessionId !== (shown?.session.id ?? null)) this.arrive(shown);
      return;
    }
    const isSame = shown !== null && shown.session.conversationId === before;
    if (isSame && key !== drafts.place) return drafts.moved(key);
    if (key === drafts.place && shown?.changed === true) drafts.putBack(text, parts);
    if (key === drafts.place || sender.holdsBack(key, text, parts)) return;
    if (switches.wasTypedAhead) drafts.carryTo(key, text, parts);
    else drafts.show(key, text, parts);
    requests.dismiss();
    askAgain.withdraw();
    switches.arrived(shown?.session.id ?? null);
    this.arrive(shown);
  }

  private arrive(shown: ShownSession | null): void {
    const { folds, scrollPositions } = this.deps;
    folds.arrive(
      shown?.session.id ?? null,
      shown === null ? [] : (scrollPositions.of(shown.session.conversationId)?.openFolds ?? []),
    );
  }
}

interface ComposerContent {
  readonly text: string;
  readonly parts: readonly DraftPart[];
}

function draftIn(shown: ShownSession | null, newDraft: ComposerContent): ComposerContent {
  return shown === null ? newDraft : { text: shown.draft, parts: shown.draftParts };
}

/** Uids under which a prompt of the page before the reload may be stored: those of messages and queued prompts. */
function storedPrompts(shown: ShownSession | null): ReadonlySet<string> {
  return new Set([...(shown?.messages ?? []), ...(shown?.queue ?? [])].map(({ uid }) => uid));
}
