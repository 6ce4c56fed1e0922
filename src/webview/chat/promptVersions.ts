import type { HostRequests } from './hostRequests';

/** Shows other versions of a prompt, with what followed them. */
export class PromptVersionChoice {
  /** The version that was asked for last: its card takes the focus over from the one it replaces. */
  private asked: string | null = null;

  constructor(
    private readonly requests: HostRequests,
    private readonly showVersion: (turnUid: string) => Promise<unknown>,
  ) {}

  /** `turnUid`: the turn that heads the version. */
  async show(turnUid: string): Promise<void> {
    this.asked = turnUid;
    if (!(await this.requests.ask(() => this.showVersion(turnUid)))) this.asked = null;
  }

  /** Whether the version that came into view is the one that was asked for. True once. */
  takesFocus(turnUid: string): boolean {
    if (this.asked !== turnUid) return false;
    this.asked = null;
    return true;
  }
}
