import { computed, signal } from '@preact/signals';
import type { ChatResults } from '../../protocol/chatProtocol';
import type { BusyMode, DraftPart } from '../../protocol/transcriptWords';
import { t } from '../localization';
import { afterSubmission } from './composerText';
import type { Drafts } from './drafts';
import type { HostRequests } from './hostRequests';

/** A prompt on its way to the disk. */
export interface PromptOnItsWay {
  readonly uid: string;
  readonly sessionId: string | null;
  readonly text: string;
  readonly parts?: readonly DraftPart[];
  readonly busy?: BusyMode;
}

export interface PromptSenderNeeds {
  readonly requests: HostRequests;
  readonly drafts: Drafts;
  readonly submit: (prompt: PromptOnItsWay) => Promise<ChatResults['submit']>;
  readonly saveDraft: (key: string, text: string, parts?: readonly DraftPart[]) => void;
  readonly newUid: () => string;
  readonly shownSession: () => string | null;
  readonly hasModel: () => boolean;
  /** A prompt goes out: the view returns to the newest text. */
  readonly leaving: () => void;
}

/** Takes prompts from the composer to the disk, one at a time. A prompt leaves the composer only when the host says that it is stored. */
export class PromptSender {
  private readonly inFlight = signal<PromptOnItsWay | null>(null);
  /** The last prompt not known to have arrived: sent again unchanged it keeps its uid, so that it is stored once even if it had. */
  private unconfirmed: PromptOnItsWay | null = null;
  /** The draft of a session that came into view while a prompt was on its way. */
  private draftDue: { readonly key: string; readonly text: string; readonly parts: readonly DraftPart[] } | null = null;

  constructor(private readonly needs: PromptSenderNeeds) {}

  readonly busy = computed(() => this.inFlight.value !== null);

  /** `typed` is what leaves the composer once `text` is on disk. */
  async submit(typed: string, text: string, busy: BusyMode | undefined): Promise<void> {
    const { requests, drafts, hasModel, saveDraft } = this.needs;
    if (!hasModel())
      return requests.refuse(t('No model is chosen yet. Your prompt stays here; choose a model, then send it.'), true);
    const place = drafts.place;
    const parts = drafts.parts.peek();
    await this.send(text, parts, busy, (sessionId) => {
      const key = drafts.place === place ? sessionId : drafts.place;
      // Where the session went on in its next segment meanwhile, the composer knows its newest key.
      if (drafts.isAt(place))
        drafts.submitted(key, afterSubmission(drafts.text.peek(), typed), partsLeft(drafts.parts.peek(), parts));
      // Another session is shown by now; the one left behind must not offer the prompt a second time.
      else saveDraft(place, '', parts.length === 0 ? undefined : []);
    });
  }

  /** Whether the draft of a session that came into view must wait: a prompt of the empty state is on its way into it, and its text stays until
   *  that is known to have arrived. */
  holdsBack(key: string, text: string, parts: readonly DraftPart[]): boolean {
    if (this.inFlight.peek()?.sessionId !== null) return false;
    this.draftDue = { key, text, parts };
    return true;
  }

  private async send(
    text: string,
    parts: readonly DraftPart[],
    busy: BusyMode | undefined,
    stored: (sessionId: string) => void,
  ): Promise<void> {
    const sessionId = this.needs.shownSession();
    const along = parts.length === 0 ? {} : { parts };
    const uid = this.uidOfSame(sessionId, text, parts) ?? this.needs.newUid();
    const prompt = { uid, sessionId, text, ...along, ...(busy === undefined ? {} : { busy }) };
    this.inFlight.value = prompt;
    this.unconfirmed = prompt;
    this.needs.leaving();
    await this.needs.requests.ask(async () => {
      const receipt = await this.needs.submit(prompt);
      this.unconfirmed = null;
      stored(receipt.sessionId);
    });
    this.inFlight.value = null;
    this.showDueDraft();
  }

  private showDueDraft(): void {
    const { drafts } = this.needs;
    const due = this.draftDue;
    this.draftDue = null;
    if (due === null || due.key === drafts.place) return;
    const text = drafts.text.peek();
    drafts.submitted(
      due.key,
      text === '' ? due.text : text,
      drafts.parts.peek().length === 0 ? due.parts : drafts.parts.peek(),
    );
  }

  private uidOfSame(sessionId: string | null, text: string, parts: readonly DraftPart[]): string | null {
    const { unconfirmed } = this;
    if (unconfirmed === null || unconfirmed.text !== text || unconfirmed.sessionId !== sessionId) return null;
    const earlier = unconfirmed.parts ?? [];
    return earlier.length === parts.length && earlier.every((part, index) => part === parts[index])
      ? unconfirmed.uid
      : null;
  }
}

/** What was attached while `sent` was on its way. */
function partsLeft(current: readonly DraftPart[], sent: readonly DraftPart[]): readonly DraftPart[] {
  const left = current.filter((part) => !sent.includes(part));
  return left.length === current.length ? current : left;
}
