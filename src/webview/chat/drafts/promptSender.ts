import { computed, signal } from '@preact/signals';
import type { BusyMode } from '../../../transcript/steering';
import type { DraftPart } from '../../../transcript/draftPart';
import { t } from '../../localization';
import { noParts, partsLeft } from './draftParts';
import type { Chat } from '../state/chat';
import { Drafts } from './drafts';

/** Prompt being sent to disk. */
interface PromptOnItsWay {
  readonly uid: string;
  readonly sessionId: string | null;
  readonly text: string;
  readonly parts?: readonly DraftPart[];
  readonly busy?: BusyMode;
}

/** Sends prompts from the composer to disk, one at a time, in the order of submission. A prompt stays part of the
 *  composer's draft until the host confirms that it is stored. */
export class PromptSender {
  /** The prompt being sent and those queued after it. */
  private readonly sending = signal<readonly PromptOnItsWay[]>([]);
  private emptied: Promise<boolean> = Promise.resolve(true);
  /** Draft of a session that came into view while a prompt was being sent. */
  private draftDue: { readonly key: string; readonly text: string; readonly parts: readonly DraftPart[] } | null = null;

  constructor(
    private readonly chat: Chat,
    private readonly drafts = chat.part(Drafts),
  ) {}

  readonly busy = computed(() => this.sending.value.length > 0);

  /** Resolves when nothing is being sent: true when everything sent is stored. */
  get idle(): Promise<boolean> {
    return this.emptied;
  }

  /** Removes `typed` from the composer once `text` is on disk. Resolves when nothing is being sent. */
  async submit(typed: string, text: string, busy: BusyMode | undefined): Promise<void> {
    const { chat, drafts } = this;
    if (chat.state.peek().model.chosen === null)
      return chat.requests.refuse(t('Choose a model first. Your prompt is kept.'), true);
    const parts = this.newParts();
    const { sessionId } = chat;
    const prompt = {
      uid: drafts.send(typed, parts),
      sessionId,
      text,
      ...(parts.length === 0 ? {} : { parts }),
      ...(busy === undefined ? {} : { busy }),
    };
    const isFirst = this.sending.peek().length === 0;
    this.sending.value = [...this.sending.peek(), prompt];
    chat.ui.jumpToEnd.value++;
    if (isFirst) this.emptied = this.sendAll();
    await this.emptied;
  }

  /** True when the draft of a session that came into view must wait: a prompt from the empty state is being sent to
   *  that session, and its text stays until it has arrived. */
  holdsBack(key: string, text: string, parts: readonly DraftPart[]): boolean {
    if (this.sending.peek()[0]?.sessionId !== null) return false;
    this.draftDue = { key, text, parts };
    return true;
  }

  private async sendAll(): Promise<boolean> {
    try {
      for (let next = this.sending.peek()[0]; next !== undefined; next = this.sending.peek()[0])
        if (!(await this.send(next))) return false;
      return true;
    } finally {
      // Prompts sent after a refused one return after it.
      this.drafts.returned(this.sending.peek().map(({ uid }) => uid));
      this.sending.value = [];
      this.showDueDraft();
    }
  }

  private send(prompt: PromptOnItsWay): Promise<boolean> {
    const { chat, drafts } = this;
    return chat.ask(async () => {
      const { sessionId } = await chat.host.request('submit', {
        ...prompt,
        // The composer it was typed into, and its text there.
        draft: drafts.draftOf(prompt.uid) ?? { key: drafts.place, text: prompt.text },
      });
      // Prompts sent after the first prompt of a session were meant for that session.
      const [, ...later] = this.sending.peek();
      this.sending.value =
        prompt.sessionId !== null
          ? later
          : later.map((each) => (each.sessionId === null ? { ...each, sessionId } : each));
      drafts.stored(prompt.uid, sessionId);
    });
  }

  private showDueDraft(): void {
    const { drafts } = this;
    const due = this.draftDue;
    this.draftDue = null;
    if (due === null || due.key === drafts.place) return;
    const text = drafts.text.peek();
    const parts = drafts.parts.peek();
    drafts.moveTo(due.key);
    drafts.replace(text === '' ? due.text : text, parts.length === 0 ? due.parts : parts);
  }

  /** Attachments that were not sent yet. */
  private newParts(): readonly DraftPart[] {
    const sent = this.sending.peek().flatMap(({ parts }) => parts ?? []);
    const left = partsLeft(this.drafts.parts.peek(), sent);
    return left.length === 0 ? noParts : left;
  }
}
