import { signal, type ReadonlySignal } from '@preact/signals';
import type { ChangedFile } from '../../../protocol/transcriptTypes';
import type { ChatHost } from '../connection/chatHost';
import type { FilesToRevert } from './filesToRevert';
import type { PromptEdits } from './promptEdits';
import type { PromptVersionController } from './promptVersionController';

/** Offer to ask a prompt again when its turn or later ones changed files: the user decides about those files. */
export interface AskAgainOffer {
  readonly kind: 'retry' | 'resend';
  readonly turnUid: string;
  readonly files: readonly ChangedFile[];
}

interface AskAgainDeps {
  readonly host: ChatHost;
  readonly files: FilesToRevert;
  readonly versions: PromptVersionController;
  readonly edits: PromptEdits;
}

/** Retry and Edit & Resend: if files have changed meanwhile, first asks the user what to do with them. */
export class AskAgain {
  private readonly offered = signal<AskAgainOffer | null>(null);

  constructor(private readonly deps: AskAgainDeps) {}

  get offer(): ReadonlySignal<AskAgainOffer | null> {
    return this.offered;
  }

  /** Resolves to true when the prompt was sent immediately; to false also when it waits for the user. */
  async again(kind: AskAgainOffer['kind'], turnUid: string): Promise<boolean> {
    const files = await this.deps.files.from(turnUid);
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
    const { host, versions, edits } = this.deps;
    return kind === 'resend'
      ? edits.resend(turnUid, files)
      : versions.askAgain(() => host.request('retry', files ? { turnUid, files } : { turnUid }));
  }
}
