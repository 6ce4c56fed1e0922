import type { AskedAgain } from '../../../protocol/chatProtocol';
import type { HostRequests } from '../connection/hostRequests';

export interface VersionNeeds {
  readonly requests: HostRequests;
  readonly showVersion: (turnUid: string) => Promise<unknown>;
  readonly say: (sessionId: string, notice: string | null) => void;
  /** Called when a prompt is sent: the view returns to the newest text. */
  readonly leaving: () => void;
}

/** Asks prompts again, and shows their versions, each with its own continuation. */
export class PromptVersionChoice {
  private askingAgain = false;
  /** The version requested last: its card takes over the focus from the one it replaces. */
  private wanted: string | null = null;

  constructor(private readonly needs: VersionNeeds) {}

  /** Resolves to true when the prompt was sent. The events of its turn add it to the conversation; a second press
   *  meanwhile has no effect. */
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

  /** `turnUid`: the turn at the start of the version. */
  async show(turnUid: string): Promise<void> {
    this.wanted = turnUid;
    if (!(await this.needs.requests.ask(() => this.needs.showVersion(turnUid)))) this.wanted = null;
  }

  /** Returns true, once, when the version that came into view is the requested one. */
  takesFocus(turnUid: string): boolean {
    if (this.wanted !== turnUid) return false;
    this.wanted = null;
    return true;
  }
}
