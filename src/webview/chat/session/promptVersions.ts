import type { AskedAgain } from '../../../protocol/chatProtocol';
import type { HostRequests } from '../connection/hostRequests';

export interface VersionNeeds {
  readonly requests: HostRequests;
  readonly showVersion: (turnUid: string) => Promise<unknown>;
  readonly say: (sessionId: string, notice: string | null) => void;
  /** A prompt goes out: the view returns to the newest text. */
  readonly leaving: () => void;
}

/** Asks prompts again, and shows the versions there are of them, with what followed each. */
export class PromptVersionChoice {
  private askingAgain = false;
  /** The version that was asked for last: its card takes the focus over from the one it replaces. */
  private wanted: string | null = null;

  constructor(private readonly needs: VersionNeeds) {}

  /** Whether it was sent. It takes its place in the conversation by the events of its turn; a second press meanwhile asks for nothing more. */
  async askAgain(request: () => Promise<AskedAgain>): Promise<boolean> {
    const { requests, say, leaving } = this.needs;
    if (this.askingAgain) return false;
    this.askingAgain = true;
    const sent = await requests.ask(async () => {
      const { sessionId, notice } = await request();
      leaving();
      say(sessionId, notice);
    });
    this.askingAgain = false;
    return sent;
  }

  /** `turnUid`: the turn that heads the version. */
  async show(turnUid: string): Promise<void> {
    this.wanted = turnUid;
    if (!(await this.needs.requests.ask(() => this.needs.showVersion(turnUid)))) this.wanted = null;
  }

  /** Whether the version that came into view is the one that was asked for. True once. */
  takesFocus(turnUid: string): boolean {
    if (this.wanted !== turnUid) return false;
    this.wanted = null;
    return true;
  }
}
