import type { AskedAgain } from '../../../protocol/chatProtocol';
import type { ScreenRequests } from '../state/screenRequests';
import type { ChatPartNeeds } from '../state/chatPart';
import type { SessionSwitchController } from './sessionSwitchController';

export interface VersionNeeds extends Pick<ChatPartNeeds, 'host' | 'requests'> {
  readonly switches: SessionSwitchController;
  readonly screen: ScreenRequests;
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
    const { requests, switches, screen } = this.needs;
    if (this.askingAgain) return false;
    this.askingAgain = true;
    const sent = await requests.ask(async () => {
      const { sessionId, notice } = await request();
      screen.showNewest();
      switches.say(sessionId, notice);
    });
    this.askingAgain = false;
    return sent;
  }

  /** `turnUid`: the turn at the start of the version. */
  async show(turnUid: string): Promise<void> {
    const { host, requests } = this.needs;
    this.wanted = turnUid;
    if (!(await requests.ask(() => host.request('showVersion', { turnUid })))) this.wanted = null;
  }

  /** Returns true, once, when the version that came into view is the requested one. */
  takesFocus(turnUid: string): boolean {
    if (this.wanted !== turnUid) return false;
    this.wanted = null;
    return true;
  }
}
