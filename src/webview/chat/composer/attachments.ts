import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { joinSentences } from '../../../base/messageText';
import type { Attached, FoundMentions, Mention } from '../../../protocol/attachmentProtocol';
import type { DraftPart } from '../../../transcript/draftPart';
import { t, shownList } from '../../localization';
import { RefusedRequest } from '../../rpc';
import { afterSubmission, stillHolds, type MentionAt, withMention, withoutSign } from '../drafts/composerText';
import { partLabel, withParts } from '../drafts/draftParts';
import { Drafts } from '../drafts/drafts';
import type { Chat } from '../state/chat';

/** Long pasted text that is attached rather than inserted into the composer. */
interface PastedText {
  readonly part: DraftPart & { readonly kind: 'attachment' };
  /** Text of the composer before the paste, and the caret in it. */
  readonly typed: string;
  readonly caret: number;
}

/** Maximum number of mentions offered at once. */
const offeredMentions = 30;

/** Attachments of the prompt being written. */
export class Attachments {
  private readonly pasted = signal<PastedText | null>(null);
  /** True while a server is asked for a prompt. */
  private isAsking = false;

  constructor(
    private readonly chat: Chat,
    private readonly drafts = chat.part(Drafts),
  ) {}

  get parts(): ReadonlySignal<readonly DraftPart[]> {
    return this.drafts.parts;
  }

  /** The text attached by the last paste, for as long as it stays attached. */
  readonly lastPasted: ReadonlySignal<PastedText | null> = computed(() => {
    const pasted = this.pasted.value;
    return pasted !== null && this.parts.value.includes(pasted.part) ? pasted : null;
  });

  /** Returns mentions that match this text: those known immediately or, if `whole`, all of them. Returns none when
   *  the host refuses to search. */
  async search(text: string, whole: boolean): Promise<FoundMentions> {
    try {
      const query = { text, limit: offeredMentions };
      return await this.chat.host.request('mentions', whole ? { ...query, whole } : query);
    } catch (error) {
      if (error instanceof RefusedRequest) return { mentions: [], isWhole: true };
      throw error;
    }
  }

  /** Inserts the mention into the text and attaches it; returns the new caret position. Reads the source immediately
   *  if it may be gone when the prompt is sent. */
  mention({ source, label, kind }: Mention, at: MentionAt): number {
    const { drafts } = this;
    const written = withMention(drafts.text.peek(), at, label);
    drafts.edit(written.text);
    if (kind === 'selection' || kind === 'terminal') void this.pin(source);
    else if (source.startsWith('template:')) void this.fill(source, label);
    else this.add([{ kind: 'mention', source, label }]);
    return written.caret;
  }

  /** Announces what was added and reports what could not be. */
  add(added: readonly DraftPart[], problems: readonly string[] = []): void {
    const { chat, drafts } = this;
    const taken = withParts(drafts.parts.peek(), added);
    const fresh = taken.parts.slice(drafts.parts.peek().length);
    drafts.take(taken.parts);
    if (fresh.length > 0) chat.ui.announce(t('Attached: {names}', { names: shownList(fresh.map(partLabel)) }));
    const sentences = [...problems, ...taken.problems];
    if (sentences.length > 0) chat.requests.refuse(joinSentences(sentences));
  }

  remove(part: DraftPart): void {
    const { chat, drafts } = this;
    drafts.take(drafts.parts.peek().filter((other) => other !== part));
    if (part.kind === 'mention') drafts.edit(withoutSign(drafts.text.peek(), part.label));
    chat.ui.announce(t('Removed: {name}', { name: partLabel(part) }));
  }

  /** Returns true when there was an attachment to remove. */
  removeLast(): boolean {
    const last = this.parts.peek().at(-1);
    if (last !== undefined) this.remove(last);
    return last !== undefined;
  }

  async pin(source: string): Promise<void> {
    await this.chat.ask(async () => {
      const pinned = await this.chat.host.request('pin', { source });
      if (pinned.kind === 'problem') this.add([], [pinned.problem]);
      else if (pinned.kind !== 'canceled') this.add([pinned]);
    });
  }

  /** Mentions what the user filled a template in with, in place of the template. */
  private async fill(source: string, label: string): Promise<void> {
    const { chat, drafts } = this;
    const { place } = drafts;
    const pinned = await chat.host.request('pin', { source }).catch(() => null);
    if (!drafts.isAt(place)) return;
    const isFilled = pinned?.kind === 'mention';
    const text = drafts.text.peek();
    const sign = `@${label}`;
    drafts.edit(isFilled ? text.replace(sign, () => `@${pinned.label}`) : withoutSign(text, label));
    if (isFilled) this.add([pinned]);
    else if (pinned?.kind === 'problem') this.add([], [pinned.problem]);
    chat.focusComposer();
  }

  /** Attaches what a server wrote, in place of the typed command. Servers may take long: in another session's draft, or
   *  where another text was typed or sent meanwhile, nothing is attached. */
  async serverPrompt(name: string, text: string, typed: string): Promise<void> {
    const { chat, drafts } = this;
    if (this.isAsking) return;
    this.isAsking = true;
    const { place } = drafts;
    await chat.ask(async () => {
      const { parts, problems } = await chat.host.request('serverPrompt', { name, text });
      const current = drafts.text.peek();
      if (!drafts.isAt(place) || !stillHolds(current, typed)) return;
      if (parts.length > 0) drafts.replace(afterSubmission(current, typed));
      this.add(parts, problems);
    });
    this.isAsking = false;
    chat.focusComposer();
  }

  async attachFiles(): Promise<void> {
    await this.take(() => this.chat.host.request('attachFiles', {}));
    this.chat.focusComposer();
  }

  async dropped(uris: readonly string[]): Promise<void> {
    await this.take(() => this.chat.host.request('dropped', { uris }));
  }

  /** Attaches a long text instead of inserting it at the caret. */
  paste(text: string, caret: number): void {
    const others = this.parts.peek().filter((part) => part.kind === 'attachment' && part.source === 'pasted').length;
    const label = others === 0 ? t('Pasted text') : t('Pasted text {number}', { number: others + 1 });
    const part = { kind: 'attachment' as const, label, source: 'pasted', text };
    this.add([part]);
    this.pasted.value = this.parts.peek().includes(part) ? { part, typed: this.drafts.text.peek(), caret } : null;
  }

  /** Inserts the pasted text into the composer where the caret was, instead of attaching it. Returns the new caret
   *  position, or null when there is no such text. */
  pasteAsText(): number | null {
    const pasted = this.lastPasted.peek();
    if (pasted === null) return null;
    const { drafts } = this;
    const typed = drafts.text.peek();
    const at = typed.startsWith(pasted.typed.slice(0, pasted.caret)) ? pasted.caret : typed.length;
    this.pasted.value = null;
    drafts.edit(typed.slice(0, at) + pasted.part.text + typed.slice(at));
    drafts.take(drafts.parts.peek().filter((part) => part !== pasted.part));
    return at + pasted.part.text.length;
  }

  private async take(ask: () => Promise<Attached>): Promise<void> {
    await this.chat.ask(async () => {
      const { parts, problems } = await ask();
      this.add(parts, problems);
    });
  }
}
