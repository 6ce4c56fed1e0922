import type { BusyMode } from '../../protocol/transcriptTypes';
import { stillHolds } from './composer/composerText';
import type { commandTarget, CommandTargetDeps } from './session/commandTarget';
import type { runCommand } from './composer/commandRunner';
import type { LaterCode } from './connection/laterCode';
import { parseSlash, refusalText } from './composer/slashCommands';

type TypedCommand = Extract<ReturnType<typeof parseSlash>, { readonly kind: 'command' }>;

/** Code that runs commands, loaded after the first paint. */
export interface CommandSteps {
  readonly runCommand: typeof runCommand;
  readonly commandTarget: typeof commandTarget;
}

interface TypedInputDeps extends CommandTargetDeps {
  readonly later: LaterCode<CommandSteps>;
}

/** Handles Enter in the composer. */
export class TypedInput {
  /** True while the submitted text waits for an earlier request. */
  private isWaiting = false;
  /** True when Enter was pressed meanwhile. */
  private isDueAgain = false;

  constructor(private readonly deps: TypedInputDeps) {}

  /** Sends the text, or runs it if it is a command. Text sent before another prompt is on disk follows that prompt.
   *  `busy`: overrides the setting for prompts sent while a turn runs. */
  async submit(busy?: BusyMode): Promise<void> {
    const { drafts } = this.deps;
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
    const input = parseSlash(typed, this.deps.view.promptFiles.peek());
    switch (input.kind) {
      case 'prompt':
        return this.deps.sender.submit(typed, typed, busy);
      case 'command':
        return this.run(input, typed);
      default:
        this.deps.requests.refuse(refusalText(input));
    }
  }

  private async run({ name, text }: TypedCommand, typed: string): Promise<void> {
    const { parts, load } = this.deps.later;
    if (parts.peek() === null) await load();
    const later = parts.peek();
    if (later !== null) await later.runCommand(later.commandTarget(this.deps), name, text, typed);
  }

  /** Resolves when the typed text may run. A command waits until earlier prompts are on disk. After a command that
   *  shows another session, everything is meant for that session. If that command is refused, the text stays. */
  private earlier(typed: string): Promise<boolean> | null {
    const isCommand = (): boolean => parseSlash(typed, this.deps.view.promptFiles.peek()).kind === 'command';
    const { sender, switches } = this.deps;
    return sender.busy.peek() && isCommand() ? sender.idle : switches.underWay;
  }

  private async waited(earlier: Promise<boolean>, typed: string): Promise<boolean> {
    this.isWaiting = true;
    try {
      const isUnchanged = (await earlier) && stillHolds(this.deps.drafts.text.peek(), typed);
      if (!isUnchanged) this.isDueAgain = false;
      return isUnchanged;
    } finally {
      this.isWaiting = false;
    }
  }
}
