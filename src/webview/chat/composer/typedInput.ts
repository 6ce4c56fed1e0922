import type { BusyMode } from '../../../transcript/steering';
import { stillHolds } from '../drafts/composerText';
import { Drafts } from '../drafts/drafts';
import { PromptSender } from '../drafts/promptSender';
import { SessionSwitchController } from '../session/sessionSwitchController';
import type { Chat } from '../state/chat';
import { Attachments } from './attachments';
import { lazyComposer } from './lazyComposer';
import { parseSlash, refusalText } from './slashCommands';

/** Handles Enter in the composer. */
export class TypedInput {
  /** True while the submitted text waits for an earlier request. */
  private isWaiting = false;
  /** True when Enter was pressed meanwhile. */
  private isDueAgain = false;

  constructor(
    private readonly chat: Chat,
    private readonly drafts = chat.part(Drafts),
    private readonly sender = chat.part(PromptSender),
    private readonly switches = chat.part(SessionSwitchController),
  ) {}

  /** Sends the text, or runs it if it is a command. Text sent before another prompt is on disk follows that prompt.
   *  `busy`: overrides the setting for prompts sent while a turn runs. */
  async submit(busy?: BusyMode): Promise<void> {
    const { drafts } = this;
    const typed = drafts.text.peek();
    if (drafts.isSent.peek() || (typed.trim() === '' && drafts.parts.peek().length === 0)) return;
    if (this.isWaiting) {
      this.isDueAgain = true;
      return;
    }
    for (let earlier = this.earlier(typed); earlier !== null; earlier = this.earlier(typed))
      if (!(await this.waited(earlier, typed))) return;
    const done = this.carryOut(typed, busy);
    const isDue = this.isDueAgain;
    this.isDueAgain = false;
    if (isDue) await this.submit();
    await done;
  }

  private async carryOut(typed: string, busy: BusyMode | undefined): Promise<void> {
    const input = parseSlash(typed, this.chat.state.peek());
    switch (input.kind) {
      case 'prompt':
        return this.sender.submit(typed, typed, busy);
      case 'command':
        // Without a wait when its code is there: a key pressed right after must find the composer empty.
        return (lazyComposer.peek() ?? (await lazyComposer.load())).runCommand(
          this.chat,
          input.name,
          input.text,
          typed,
        );
      case 'serverPrompt':
        return this.chat.part(Attachments).serverPrompt(input.name, input.text, typed);
      default:
        this.chat.requests.refuse(refusalText(input, this.chat.state.peek()));
    }
  }

  /** Resolves when the typed text may run. A command waits until earlier prompts are on disk. After a command that
   *  shows another session, everything is meant for that session. If that command is refused, the text stays. */
  private earlier(typed: string): Promise<boolean> | null {
    const isCommand = (): boolean => parseSlash(typed, this.chat.state.peek()).kind === 'command';
    const { sender, switches } = this;
    return sender.busy.peek() && isCommand() ? sender.idle : switches.underWay;
  }

  private async waited(earlier: Promise<boolean>, typed: string): Promise<boolean> {
    this.isWaiting = true;
    try {
      const isUnchanged = (await earlier) && stillHolds(this.drafts.text.peek(), typed);
      if (!isUnchanged) this.isDueAgain = false;
      return isUnchanged;
    } finally {
      this.isWaiting = false;
    }
  }
}
