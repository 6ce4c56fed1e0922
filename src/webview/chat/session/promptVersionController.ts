import type { AskedAgain } from '../../../protocol/chatProtocol';
import type { Chat } from '../state/chat';
import { SessionSwitchController } from './sessionSwitchController';

/** Asks prompts again, and shows their versions, each with its own continuation. */
export class PromptVersionController {
  private askingAgain = false;
  /** The version requested last: its card takes over the focus from the one it replaces. */
  private wanted: string | null = null;

  constructor(
    private readonly chat: Chat,
    private readonly switches = chat.part(SessionSwitchController),
  ) {}

  /** Resolves to true when the prompt was sent. The events of its turn add it to the conversation; a second press
   *  meanwhile has no effect. */
  async askAgain(request: () => Promise<AskedAgain>): Promise<boolean> {
    if (this.askingAgain) return false;
    this.askingAgain = true;
    const sent = await this.chat.ask(async () => {
      const { sessionId, notice } = await request();
      this.chat.ui.jumpToEnd.value++;
      this.switches.setNotice(sessionId, notice);
    });
    this.askingAgain = false;
    return sent;
  }

  /** `turnUid`: the turn at the start of the version. */
  async show(turnUid: string): Promise<void> {
    this.wanted = turnUid;
    if (!(await this.chat.ask(() => this.chat.host.request('showVersion', { turnUid })))) this.wanted = null;
  }

  /** Returns true, once, when the version that came into view is the requested one. */
  takesFocus(turnUid: string): boolean {
    if (this.wanted !== turnUid) return false;
    this.wanted = null;
    return true;
  }
}
