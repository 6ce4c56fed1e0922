import type { VerificationOptions } from '../../gateway/verify/verifySession';
import type { verifyCommands, VerifyProgress, verifyRequests, VerifyResults } from '../../protocol/verifyProtocol';
import type { Verification } from '../../transcript/verification';
import type { CommandHandlers, RequestHandlers } from '../webviews/viewEndpoint';

/** Verification functions for a transcript tab. */
export interface TranscriptVerification {
  /** Null: the user stopped it. */
  verify(sessionId: string, options: VerificationOptions): Promise<Verification | null>;
  /** Copies the text of this message as shown, from a chat view that still has it. Otherwise notifies the user that
   *  none has. */
  copyShown(messageUid: string): Promise<void>;
}

/** Notifications to the tab's page. */
interface TabPage {
  asked(): void;
  progress(progress: VerifyProgress): void;
}

/** Verification in one tab: at most one run at a time, stopped when the page unloads. */
export class TabVerification {
  private running: AbortController | null = null;
  private isDue = false;
  private isReady = false;
  readonly commands: CommandHandlers<typeof verifyCommands>;
  readonly requests: RequestHandlers<typeof verifyRequests, VerifyResults>;

  constructor(
    private readonly verification: TranscriptVerification,
    private readonly page: TabPage,
  ) {
    this.commands = {
      cancelVerify: () => this.stop(),
      copyShown: ({ messageUid }) => verification.copyShown(messageUid),
    };
    this.requests = { verify: ({ sessionId }) => this.verify(sessionId) };
  }

  /** Called when the user requested verification outside the tab, whose page may not be loaded yet. */
  ask(): void {
    this.isDue = true;
    if (this.isReady) this.pageReady();
  }

  pageReady(): void {
    this.isReady = true;
    if (this.isDue) this.page.asked();
    this.isDue = false;
  }

  pageUnloaded(): void {
    this.isReady = false;
    this.stop();
  }

  private stop(): void {
    this.running?.abort();
  }

  private async verify(sessionId: string): Promise<Verification | null> {
    this.stop();
    const running = (this.running = new AbortController());
    try {
      return await this.verification.verify(sessionId, {
        signal: running.signal,
        onProgress: (progress) => this.page.progress(progress),
      });
    } finally {
      if (this.running === running) this.running = null;
    }
  }
}
