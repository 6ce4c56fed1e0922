import { signal, type ReadonlySignal } from '@preact/signals';
import type { ChangedFile } from '../../../protocol/transcriptTypes';
import type { HostRequests } from '../connection/hostRequests';

/** A prompt is to be asked again, and turns from its own on changed files: what becomes of those is the person's to say. */
export interface AskAgainOffer {
  readonly kind: 'retry' | 'resend';
  readonly turnUid: string;
  readonly files: readonly ChangedFile[];
}

export interface AskAgainNeeds {
  readonly requests: HostRequests;
  /** Whether anything in view says that turns from this one on changed files. */
  readonly changedFiles: (turnUid: string) => boolean;
  readonly filesFrom: (turnUid: string) => Promise<readonly ChangedFile[]>;
  /** `files` false: the conversation only. Whether it was sent. */
  readonly ask: Readonly<Record<AskAgainOffer['kind'], (turnUid: string, files: boolean) => Promise<boolean>>>;
}

/** Retry and Edit & Resend: where files were changed meanwhile, the person is asked what becomes of them first. */
export class AskAgain {
  private readonly offered = signal<AskAgainOffer | null>(null);

  constructor(private readonly needs: AskAgainNeeds) {}

  get offer(): ReadonlySignal<AskAgainOffer | null> {
    return this.offered;
  }

  /** Whether it was sent at once; false also where it waits for the person. */
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

  /** Files that would be reverted; null where that could not be found out, which was said. */
  async filesFrom(turnUid: string): Promise<readonly ChangedFile[] | null> {
    if (!this.needs.changedFiles(turnUid)) return [];
    let files: readonly ChangedFile[] = [];
    const done = await this.needs.requests.ask(async () => void (files = await this.needs.filesFrom(turnUid)));
    return done ? files : null;
  }
}
