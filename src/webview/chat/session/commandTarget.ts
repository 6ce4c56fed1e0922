import type { CommandTarget } from '../composer/commandRunner';
import { afterSubmission } from '../composer/composerText';
import type { Drafts } from '../composer/drafts';
import type { PromptSender } from '../composer/promptSender';
import type { SessionContext } from './sessionContext';
import type { SessionSwitchController } from './sessionSwitchController';
import type { ChatPartDeps } from '../state/chatPart';

/** Parts of the chat that the composer's commands use. */
export interface CommandTargetDeps extends Pick<ChatPartDeps, 'host' | 'requests' | 'view'> {
  readonly drafts: Drafts;
  readonly sender: PromptSender;
  readonly switches: SessionSwitchController;
  readonly context: SessionContext;
  /** The controller's own operations. */
  readonly chat: Pick<CommandTarget, 'rename' | 'stop' | 'retry' | 'chooseModel'>;
}

/** Builds the target of the composer's commands from the chat's current state. */
export function commandTarget(deps: CommandTargetDeps): CommandTarget {
  const { host, requests, view, drafts, sender, switches, context, chat } = deps;
  const { conversation, sessionId: shownSession } = view;
  return {
    requests,
    shownSession,
    isRunning: view.isBusy.peek(),
    lastTurn: conversation?.messages.findLast((live) => live.turnUid !== null)?.turnUid ?? null,
    sendPrompt: (typed, text, busy) => sender.submit(typed, text, busy),
    // Text typed after the command meanwhile stays.
    clear: (typed) => drafts.replace(afterSubmission(drafts.text.peek(), typed)),
    rename: (title) => chat.rename(title),
    stop: () => chat.stop(),
    retry: (turnUid) => chat.retry(turnUid),
    proposeCompression: (focus) => context.propose(focus),
    chooseModel: () => chat.chooseModel(),
    searchSessions: (text) => host.send('searchSessions', { text }),
    exportSession: () => {
      if (shownSession !== null) host.send('exportSession', { sessionId: shownSession });
    },
    openMemory: () => host.send('openMemory', {}),
    newSession: () => switches.to({ reason: 'new_session' }),
    reset: () => switches.to({ reason: 'reset' }),
    resume: (text) => switches.resume(text),
    branch: (title) => switches.branch(null, title),
    undo: (count) => switches.undo(count),
    restore: (typed) => {
      if (drafts.text.peek() === '') drafts.edit(typed);
    },
  };
}
