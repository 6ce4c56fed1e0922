import type { ChatController } from '../chatController';
import type { CommandTarget } from './commandRunner';
import { afterSubmission } from './composerText';
import type { HostRequests } from '../connection/hostRequests';
import type { PromptSender } from './promptSender';

/** Builds the target of the composer's commands from the chat's current state. */
export function commandTarget(chat: ChatController, requests: HostRequests, sender: PromptSender): CommandTarget {
  const { drafts, switches, needs } = chat;
  const { conversation } = chat.state.peek();
  const shownSession = conversation?.session.id ?? null;
  return {
    requests,
    shownSession,
    isRunning: chat.isBusy.peek(),
    lastTurn: conversation?.messages.findLast((live) => live.turnUid !== null)?.turnUid ?? null,
    sendPrompt: (typed, text, busy) => sender.submit(typed, text, busy),
    // Text typed after the command meanwhile stays.
    clear: (typed) => drafts.replace(afterSubmission(drafts.text.peek(), typed)),
    rename: (title) => chat.rename(title),
    stop: () => chat.stop(),
    retry: (turnUid) => chat.retry(turnUid),
    proposeCompression: (focus) => chat.context.propose(focus),
    chooseModel: () => chat.chooseModel(),
    searchSessions: (text) => needs.host.send('searchSessions', { text }),
    exportSession: () => {
      if (shownSession !== null) needs.host.send('exportSession', { sessionId: shownSession });
    },
    openMemory: () => needs.host.send('openMemory', {}),
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
