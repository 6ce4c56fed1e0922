import { t } from '../../localization';
import { afterSubmission } from '../drafts/composerText';
import { Drafts } from '../drafts/drafts';
import { PromptSender } from '../drafts/promptSender';
import { AskAgain } from '../session/askAgain';
import { SessionContext } from '../session/sessionContext';
import { SessionSwitchController } from '../session/sessionSwitchController';
import type { Chat } from '../state/chat';
import { commandList, type SlashCommand } from './slashCommands';

/** Runs a composer command. `typed` is the composer's whole text; it is removed once nothing of it can be lost. */
export async function runCommand(chat: Chat, name: SlashCommand['name'], text: string, typed: string): Promise<void> {
  const { host, requests, sessionId } = chat;
  const drafts = chat.part(Drafts);
  const switches = chat.part(SessionSwitchController);
  // Text typed after the command meanwhile stays.
  const clear = (): void => drafts.replace(afterSubmission(drafts.text.peek(), typed));
  if (name === 'queue' || name === 'steer') return chat.part(PromptSender).submit(typed, text, name);
  if (name === 'title') {
    if (sessionId === null) requests.refuse(t('There is no session yet. Send a prompt first.'));
    else if (await chat.ask(() => host.request('rename', { sessionId, title: text }))) clear();
    return;
  }
  clear();
  requests.dismiss();
  // A command that failed returns to the composer, unless something else was typed meanwhile.
  const orRestore = async (done: Promise<boolean>): Promise<void> => {
    if (!(await done) && drafts.text.peek() === '') drafts.edit(typed);
  };
  switch (name) {
    case 'stop':
      return chat.isBusy.peek() ? chat.stop() : requests.inform(t('Nothing is running.'));
    case 'new':
      return orRestore(switches.to({ reason: 'new_session' }));
    case 'reset':
      return orRestore(switches.to({ reason: 'reset' }));
    case 'resume':
      return orRestore(switches.resume(text.trim()));
    case 'branch':
      return orRestore(switches.branch(null, text.trim()));
    case 'undo':
      return orRestore(switches.undo(text.trim()));
    case 'search':
      return host.send('featureCommand', { command: 'searchSessions', argument: text.trim() });
    case 'memory':
      return host.send('featureCommand', { command: 'openMemory' });
    case 'export':
      return sessionId === null
        ? requests.inform(t('There is no session yet. Send a prompt first.'))
        : host.send('featureCommand', { command: 'exportSession', argument: { sessionId } });
    case 'retry': {
      const last = chat.conversation?.messages.findLast((live) => live.turnUid !== null)?.turnUid ?? null;
      return last === null ? requests.inform(t('There is no prompt to retry yet.')) : chat.part(AskAgain).retry(last);
    }
    case 'compress':
      return chat.part(SessionContext).propose(text);
    case 'model':
      return chat.ui.chooseModel();
    case 'help':
      return requests.inform(
        t('Commands: {commands}. Type / to see descriptions.', { commands: commandList(chat.state.peek()) }),
      );
    default:
      return name satisfies never;
  }
}
