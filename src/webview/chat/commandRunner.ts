import type { BusyMode } from '../../protocol/transcriptWords';
import { t } from '../localization';
import type { HostRequests } from './hostRequests';
import { commandList, type SlashCommand } from './slashCommands';

/** What commands are carried out on. */
export interface CommandTarget {
  readonly requests: HostRequests;
  readonly shownSession: string | null;
  readonly isRunning: boolean;
  /** The newest turn of the session that is shown. */
  readonly lastTurn: string | null;
  sendPrompt(typed: string, text: string, busy: BusyMode): Promise<void>;
  /** Takes what was typed out of the composer. */
  clear(typed: string): void;
  rename(title: string): Promise<boolean>;
  stop(): Promise<void>;
  retry(turnUid: string): Promise<void>;
  proposeCompression(focus: string): Promise<void>;
  newSession(): void;
  showAllSessions(): void;
  chooseModel(): void;
}

/** Carries out a command of the composer. `typed` is all that stands there; it leaves once it is known that nothing of it can be lost. */
export async function runCommand(target: CommandTarget, name: SlashCommand['name'], text: string, typed: string): Promise<void> {
  const { requests } = target;
  if (name === 'queue' || name === 'steer') return target.sendPrompt(typed, text, name);
  if (name === 'title') {
    if (target.shownSession === null) requests.refuse(t('There is no session to name yet. Send a prompt first.'));
    else if (await target.rename(text)) target.clear(typed);
    return;
  }
  target.clear(typed);
  requests.dismiss();
  switch (name) {
    case 'stop':
      return target.isRunning ? target.stop() : requests.inform(t('Nothing is running.'));
    case 'new':
      return target.newSession();
    case 'resume':
      return target.showAllSessions();
    case 'retry':
      return target.lastTurn === null ? requests.inform(t('There is no prompt to ask again yet.')) : target.retry(target.lastTurn);
    case 'compress':
      return target.proposeCompression(text);
    case 'model':
      return target.chooseModel();
    case 'help':
      return requests.inform(t('Commands: {commands}. Each is described when you type /.', { commands: commandList() }));
    default:
      return name satisfies never;
  }
}
