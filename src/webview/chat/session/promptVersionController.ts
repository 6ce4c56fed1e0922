import type { AskedAgain } from '../../../protocol/chatProtocol';
import type { ScreenRequests } from '../state/screenRequests';
import type { ChatPartDeps } from '../state/chatPart';
import type { SessionSwitchController } from './sessionSwitchController';

interface VersionDeps extends Pick<ChatPartDeps, 'host' | 'requests'> {
  readonly switches: SessionSwitchController;
  readonly screen: ScreenRequests;
}

/** Asks prompts again, and shows their versions, each with its own continuation. */
export class PromptVersionController {
  private askingAgain = false;
  /** The version requested last: its card takes over the focus from the one it replaces. */
  private wanted: string | null = null;

  constructor(private readonly deps: VersionDeps) {}

  /** Resolves to true when the prompt was sent. The events of its turn add it to the conversation; a second press
   *  meanwhile has no effect. */
  async askAgain(request: () => Promise<AskedAgain>): Promise<boolean> {
    const { requests, switches, screen } = this.deps;
    if (this.askingAgain) return false;
    this.askingAgain = true;
    const sent = await requests.ask(async () => {
      const { sessionId, notice } = await request();
      screen.showNewest();
      switches.setNotice(sessionId, notice);
    });
    this.askingAgain = false;
    return sent;
  }

  /** `turnUid`: the turn at the start of the version. */
  async show(turnUid: string): Promise<void> {
    const { host, requests } = this.deps;
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
