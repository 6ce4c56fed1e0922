import type { EarlierPrompt } from '../../../protocol/composerProtocol';
import { answerText } from '../../../transcript/message';
import { isWritten, mentionsAgain } from '../../../transcript/promptHistory';
import type { DraftPart } from '../../../transcript/draftPart';
import type { Chat } from '../state/chat';
import { withParts } from '../drafts/draftParts';
import { Drafts } from '../drafts/drafts';

/** State of browsing earlier prompts. */
interface Browsing {
  readonly place: string;
  readonly sessionId: string;
  /** Newest first. */
  prompts: readonly EarlierPrompt[];
  /** Position from which to request more from the host; undefined when there are no earlier prompts. */
  before: number | undefined;
  index: number;
  /** Text and parts from before browsing. */
  readonly text: string;
  readonly parts: readonly DraftPart[];
  /** Text last put into the composer: if the user changes it, it becomes a new prompt. */
  written: string;
}

/** Browses the shown session's prompts in the composer one by one, with the draft at their end. Prompts the view has
 *  appear immediately; the host supplies earlier ones. Attachments of the draft stay. Attachments of an earlier
 *  prompt return if they can be read again. */
export class PromptHistory {
  private browsing: Browsing | null = null;
  private isAsking = false;

  constructor(
    private readonly chat: Chat,
    private readonly drafts = chat.part(Drafts),
  ) {}

  /** True when the composer holds an earlier prompt, unchanged. */
  get isOpen(): boolean {
    const { browsing } = this;
    return browsing !== null && browsing.place === this.drafts.place && browsing.written === this.drafts.text.peek();
  }

  /** Shows the previous prompt. Resolves to true when it is shown, to false when there is none. */
  async older(): Promise<boolean> {
    const browsing = this.isOpen ? this.browsing : this.begin();
    if (browsing === null || this.isAsking) return false;
    if (browsing.index + 1 >= browsing.prompts.length) await this.more(browsing);
    if (this.browsing !== browsing || !this.isUntouched(browsing) || browsing.index + 1 >= browsing.prompts.length)
      return false;
    browsing.index++;
    this.write(browsing);
    return true;
  }

  /** Shows the next prompt or, after the newest one, the draft. */
  newer(): void {
    const { browsing } = this;
    if (browsing === null || !this.isOpen) return;
    if (browsing.index === 0) return this.leave();
    browsing.index--;
    this.write(browsing);
  }

  /** Returns to the draft. */
  leave(): void {
    const { browsing } = this;
    if (browsing === null || !this.isOpen) return;
    this.browsing = null;
    this.drafts.edit(browsing.text);
    this.drafts.take(browsing.parts);
  }

  private begin(): Browsing | null {
    const { drafts } = this;
    const { conversation } = this.chat;
    const text = drafts.text.peek();
    if (conversation === null || text !== '') return null;
    const { messages, hasEarlier, session } = conversation;
    const rows = messages.flatMap(({ row }) =>
      row !== null && isWritten(row)
        ? [{ uid: row.uid, text: answerText(row.parts), mentions: mentionsAgain(row.parts) }]
        : [],
    );
    const before = hasEarlier ? messages.find(({ row }) => row !== null)?.row?.position : undefined;
    this.browsing = {
      place: drafts.place,
      sessionId: session.id,
      prompts: onceEach(rows.toReversed()),
      before,
      index: -1,
      text,
      parts: drafts.parts.peek(),
      written: text,
    };
    return this.browsing;
  }

  private async more(browsing: Browsing): Promise<void> {
    this.isAsking = true;
    try {
      while (
        browsing.before !== undefined &&
        browsing.index + 1 >= browsing.prompts.length &&
        this.browsing === browsing
      ) {
        const { sessionId, before } = browsing;
        const page = await this.chat.host.request('promptHistory', { sessionId, before });
        browsing.prompts = onceEach([...browsing.prompts, ...page.prompts]);
        browsing.before = page.before ?? undefined;
      }
    } finally {
      this.isAsking = false;
    }
  }

  private isUntouched(browsing: Browsing): boolean {
    return this.drafts.place === browsing.place && this.drafts.text.peek() === browsing.written;
  }

  private write(browsing: Browsing): void {
    const prompt = browsing.prompts[browsing.index];
    if (prompt === undefined) return;
    browsing.written = prompt.text;
    this.drafts.edit(prompt.text);
    this.drafts.take(withParts(browsing.parts, prompt.mentions).parts);
  }
}

/** Keeps one of several equal prompts in a row. */
function onceEach(prompts: readonly EarlierPrompt[]): readonly EarlierPrompt[] {
  return prompts.filter(({ text }, index) => text !== prompts[index - 1]?.text);
}
