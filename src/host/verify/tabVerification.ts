import type { VerificationCourse } from '../../gateway/verify/verification';
import type { verifyCommands, VerifyProgress, verifyRequests, VerifyResults } from '../../protocol/verifyProtocol';
import type { Verification } from '../../transcript/verification';
import type { CommandHandlers, RequestHandlers } from '../webviews/viewEndpoint';

/** What a transcript tab asks to have a session verified. */
export interface TranscriptVerification {
  /** Null: stopped. */
  verify(sessionId: string, course: VerificationCourse): Promise<Verification | null>;
  /** What a chat view still has of what it showed of this message goes to the clipboard; otherwise it is said that none has. */
  copyShown(messageUid: string): Promise<void>;
}

/** What is told to the tab's page. */
interface TabPage {
  asked(): void;
  progress(progress: VerifyProgress): void;
}

/** One tab's part in verifying: at most one at a time, stopped with the page. */
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

  /** The person asked for it outside the tab, whose page may not be up yet. */
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
    const course = (this.running = new AbortController());
    try {
      return await this.verification.verify(sessionId, {
        signal: course.signal,
        onProgress: (progress) => this.page.progress(progress),
      });
    } finally {
      if (this.running === course) this.running = null;
    }
  }
}
