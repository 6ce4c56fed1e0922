import { signal, type ReadonlySignal } from '@preact/signals';
import type { ChangedFile } from '../../../protocol/transcriptTypes';
import type { HostRequests } from '../connection/hostRequests';

/** Offer to ask a prompt again when its turn or later ones changed files: the user decides about those files. */
export interface AskAgainOffer {
  readonly kind: 'retry' | 'resend';
  readonly turnUid: string;
  readonly files: readonly ChangedFile[];
}

export interface AskAgainNeeds {
  readonly requests: HostRequests;
  /** Returns true when anything in view shows that turns from this one on changed files. */
  readonly changedFiles: (turnUid: string) => boolean;
  readonly filesFrom: (turnUid: string) => Promise<readonly ChangedFile[]>;
  /** `files` false: the conversation only. Resolves to true when the prompt was sent. */
  readonly ask: Readonly<Record<AskAgainOffer['kind'], (turnUid: string, files: boolean) => Promise<boolean>>>;
}

/** Retry and Edit & Resend: if files have changed meanwhile, first asks the user what to do with them. */
export class AskAgain {
  private readonly offered = signal<AskAgainOffer | null>(null);

  constructor(private readonly needs: AskAgainNeeds) {}

  get offer(): ReadonlySignal<AskAgainOffer | null> {
    return this.offered;
  }

  /** Resolves to true when the prompt was sent immediately; to false also when it waits for the user. */
  async again(kind: AskAgainOffer['kind'], turnUid: string): Promise<boolean> {
    const files = await this.filesFrom(turnUid);
    if (files === null) return false;
    if (files.length === 0) return this.needs.ask[kind](turnUid, false);
    this.offered.value = { kind, turnUid, files };
    return false;
  }

  async answer(files: boolean): Promise<boolean> {
    const offer = this.offered.peek();
    this.withdraw();
    return offer !== null && this.needs.ask[offer.kind](offer.turnUid, files);
  }

  withdraw(): void {
    this.offered.value = null;
  }

  /** Resolves to the files that would be reverted, or to null when that is unknown; the reason was shown. */
  async filesFrom(turnUid: string): Promise<readonly ChangedFile[] | null> {
    if (!this.needs.changedFiles(turnUid)) return [];
    let files: readonly ChangedFile[] = [];
    const done = await this.needs.requests.ask(async () => void (files = await this.needs.filesFrom(turnUid)));
    return done ? files : null;
  }
}
