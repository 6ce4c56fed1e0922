import type { ShownSession } from '../../../protocol/chatProtocol';
import { joinedDraft, type DraftPart } from '../../../transcript/draftPart';
import { Drafts } from '../drafts/drafts';
import { PromptSender } from '../drafts/promptSender';
import { UnsavedDrafts } from '../drafts/unsavedDrafts';
import type { Chat } from '../state/chat';
import { FoldState, ScrollPositions } from '../state/foldState';
import { PromptEdits } from './promptEdits';
import { AskAgain } from './askAgain';
import { SessionSwitchController } from './sessionSwitchController';
import { newerDraft, newSessionDraft, type ViewMemory } from '../connection/viewMemory';

/** Restores a shown session's text, scroll position and folds from when the user left it. */
export class SessionArrival {
  private placeToRestore: ViewMemory['anchor'];
  /** Draft when the store closed for this window: if it was saved, another window may send or continue it meanwhile. */
  private left: { readonly key: string; readonly text: string; readonly isSaved: boolean } | null = null;

  constructor(
    private readonly chat: Chat,
    private readonly drafts = chat.part(Drafts),
    private readonly unsaved = chat.part(UnsavedDrafts),
    private readonly folds = chat.part(FoldState),
    private readonly scrollPositions = chat.part(ScrollPositions),
    private readonly sender = chat.part(PromptSender),
    private readonly switches = chat.part(SessionSwitchController),
    private readonly askAgain = chat.part(AskAgain),
  ) {
    this.placeToRestore = chat.memory.recalled.anchor;
  }

  /** Takes the scroll position saved when the view was last seen or the session was left. */
  takePlace({ id, conversationId }: ShownSession['session']): ViewMemory['anchor'] {
    const place = this.placeToRestore;
    this.placeToRestore = null;
    return place !== null && this.chat.memory.recalled.sessionId === id
      ? place
      : (this.scrollPositions.of(conversationId)?.anchor ?? null);
  }

  /** Called when the view is about to be hidden or the user moves elsewhere. */
  leave(): void {
    this.drafts.flush();
    this.chat.part(PromptEdits).flush();
  }

  /** Called when the store closes for this window. */
  storeLost(): void {
    const { drafts, unsaved } = this;
    const key = drafts.place;
    this.left = { key, text: drafts.text.peek(), isSaved: unsaved.isSaved(key) };
  }

  /** Called when the store is open again, with the draft that it has for the session shown. Gives it what it refused
   *  meanwhile, and takes what another window made of a draft that was on disk. */
  storeRegained(shown: ShownSession | null, newDraft: ComposerContent): void {
    const { drafts, unsaved, left } = this;
    unsaved.giveAgain();
    if (left === null) return;
    this.left = null;
    const key = shown?.session.id ?? newSessionDraft;
    const { text, parts } = draftIn(shown, newDraft);
    const own = drafts.text.peek();
    if (key !== drafts.place || drafts.isSent.peek()) return;
    const wasSaved = left.key === key && (left.isSaved || unsaved.isKnown(key, left.text));
    if (wasSaved && left.text === own) {
      if (text !== own) drafts.show(key, text, parts);
    } else if (wasSaved && left.text !== '' && own.startsWith(left.text)) {
      // Only what was typed since then is not there.
      drafts.edit(joinedDraft([text, own.slice(left.text.length).trimStart()]));
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
    const { drafts, unsaved, sender, switches, askAgain } = this;
    const { requests, memory } = this.chat;
    const key = shown?.session.id ?? newSessionDraft;
    const { text, parts } = draftIn(shown, newDraft);
    if (!seenBefore) {
      const { place } = drafts;
      const isUntouched = drafts.text.peek() === '' && drafts.parts.peek().length === 0;
      const kept = isRead ? unsaved.take(key, storedPrompts(shown), isUntouched) : null;
      const newest = (host: string): string => (kept === null ? host : newerDraft(kept, host));
      // Keep text that was typed while the store was opening. `storeRegained` keeps what was typed while it was away.
      if (isUntouched) {
        drafts.show(key, text, parts);
        drafts.edit(newest(text));
      } else if (key !== drafts.place) drafts.carryTo(key, newest(text), parts);
      if (isRead) unsaved.arrive();
      if (!isUntouched && key === place && this.left === null) drafts.arriveLate(text, parts, newest);
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
    const { folds, scrollPositions } = this;
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
