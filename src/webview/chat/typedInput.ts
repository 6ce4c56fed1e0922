import type { BusyMode } from '../../protocol/transcriptWords';
import type { ChatController } from './chatController';
import { runCommand } from './commandRunner';
import { commandTarget } from './commandTarget';
import { stillHolds } from './composerText';
import type { HostRequests } from './hostRequests';
import type { PromptSender } from './promptSender';
import { parseSlash, refusalWords } from './slashCommands';

/** What Enter does with what stands in the composer. */
export class TypedInput {
  /** What was sent waits for another session to be shown. */
  private isWaiting = false;

  constructor(
    private readonly chat: ChatController,
    private readonly requests: HostRequests,
    private readonly sender: PromptSender,
  ) {}

  /** Sends the text, or does what it says where it is a command. A prompt leaves the composer only when the host says that it is on disk. `busy`: what
   *  becomes of a prompt while a turn runs, where that is not left to the setting. */
  async submit(busy?: BusyMode): Promise<void> {
    const { chat } = this;
    const typed = chat.drafts.text.peek();
    if ((typed.trim() === '' && chat.drafts.parts.peek().length === 0) || this.sender.busy.peek() || this.isWaiting)
      return;
    if (chat.switches.underWay !== null && !(await this.isMeantFor(chat.switches.underWay, typed))) return;
    const input = parseSlash(typed, chat.promptFiles.peek());
    switch (input.kind) {
      case 'prompt':
        return this.sender.submit(typed, typed, busy);
      case 'command':
        return runCommand(commandTarget(chat, this.requests, this.sender), input.name, input.text, typed);
      default:
        this.requests.refuse(refusalWords(input));
    }
  }

  /** Typed behind a command that shows another session, it is meant for that one; where that is refused, the text stays. */
  private async isMeantFor(underWay: Promise<boolean>, typed: string): Promise<boolean> {
    this.isWaiting = true;
    try {
      return (await underWay) && stillHolds(this.chat.drafts.text.peek(), typed);
    } finally {
      this.isWaiting = false;
    }
  }
}
