import { signal, type ReadonlySignal } from '@preact/signals';
import type { ChangedFile } from '../../../transcript/changedFile';
import type { Chat } from '../state/chat';
import { FilesToRevert } from './sessionSwitchController';
import { PromptEdits, PromptVersionController } from './promptEdits';

/** Offer to ask a prompt again when its turn or later ones changed files: the user decides about those files. */
export interface AskAgainOffer {
  readonly kind: 'retry' | 'resend';
  readonly turnUid: string;
  readonly files: readonly ChangedFile[];
}

/** Retry and Edit & Resend: if files have changed meanwhile, first asks the user what to do with them. */
export class AskAgain {
  private readonly offered = signal<AskAgainOffer | null>(null);
  readonly offer: ReadonlySignal<AskAgainOffer | null> = this.offered;

  constructor(
    private readonly chat: Chat,
    private readonly files = chat.part(FilesToRevert),
    private readonly versions = chat.part(PromptVersionController),
    private readonly edits = chat.part(PromptEdits),
  ) {}

  async retry(turnUid: string): Promise<void> {
    await this.again('retry', turnUid);
    if (this.offered.peek() === null) this.chat.focusComposer();
  }

  /** Asks for a new key for the turn's model, and retries the turn once it is stored. */
  async withNewKey(turnUid: string): Promise<void> {
    const { host, requests } = this.chat;
    let isReplaced = false;
    await requests.ask(async () => (isReplaced = await host.request('replaceKey', { turnUid })));
    if (isReplaced) await this.retry(turnUid);
  }

  /** Continues the last answer where it was cut off. Leaves the composer's text alone. */
  async continueAnswer(turnUid: string): Promise<void> {
    const { host, isBusy } = this.chat;
    if (!isBusy.peek()) await this.versions.askAgain(() => host.request('continueTurn', { turnUid }));
  }

  /** Resolves to true when the prompt was sent immediately; to false also when it waits for the user. */
  async again(kind: AskAgainOffer['kind'], turnUid: string): Promise<boolean> {
    const files = await this.files.from(turnUid);
    if (files === null) return false;
    if (files.length === 0) return this.ask(kind, turnUid, false);
    this.offered.value = { kind, turnUid, files };
    return false;
  }

  async answer(files: boolean): Promise<boolean> {
    const offer = this.offered.peek();
    this.withdraw();
    return offer !== null && this.ask(offer.kind, offer.turnUid, files);
  }

  withdraw(): void {
    this.offered.value = null;
  }

  /** `files` false: the conversation only. Resolves to true when the prompt was sent. */
  private ask(kind: AskAgainOffer['kind'], turnUid: string, files: boolean): Promise<boolean> {
    return kind === 'resend'
      ? this.edits.resend(turnUid, files)
      : this.versions.askAgain(() => this.chat.host.request('retry', files ? { turnUid, files } : { turnUid }));
  }
}
