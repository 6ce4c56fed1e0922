import type { BusyMode } from '../../../protocol/transcriptTypes';
import { t } from '../../localization';
import type { HostRequests } from '../connection/hostRequests';
import { commandList, type SlashCommand } from './slashCommands';

/** Operations that commands use. */
export interface CommandTarget {
  readonly requests: HostRequests;
  readonly shownSession: string | null;
  readonly isRunning: boolean;
  /** The newest turn of the shown session. */
  readonly lastTurn: string | null;
  sendPrompt(typed: string, text: string, busy: BusyMode): Promise<void>;
  /** Removes the typed command from the composer. */
  clear(typed: string): void;
  rename(title: string): Promise<boolean>;
  stop(): Promise<void>;
  retry(turnUid: string): Promise<void>;
  proposeCompression(focus: string): Promise<void>;
  chooseModel(): void;
  searchSessions(text: string): void;
  exportSession(): void;
  openMemory(): void;
  /** These resolve to true when done; if not, the reason was shown. */
  newSession(): Promise<boolean>;
  reset(): Promise<boolean>;
  resume(text: string): Promise<boolean>;
  branch(title: string): Promise<boolean>;
  undo(count: string): Promise<boolean>;
  /** Puts a command that failed back into the composer, unless something else was typed meanwhile. */
  restore(typed: string): void;
}

/** Runs a composer command. `typed` is the composer's whole text; it is removed once nothing of it can be lost. */
export async function runCommand(
  target: CommandTarget,
  name: SlashCommand['name'],
  text: string,
  typed: string,
): Promise<void> {
  const { requests } = target;
  if (name === 'queue' || name === 'steer') return target.sendPrompt(typed, text, name);
  if (name === 'title') {
    if (target.shownSession === null) requests.refuse(t('There is no session to rename yet. Send a prompt first.'));
    else if (await target.rename(text)) target.clear(typed);
    return;
  }
  target.clear(typed);
  requests.dismiss();
  const orRestore = async (done: Promise<boolean>): Promise<void> => {
    if (!(await done)) target.restore(typed);
  };
  switch (name) {
    case 'stop':
      return target.isRunning ? target.stop() : requests.inform(t('Nothing is running.'));
    case 'new':
      return orRestore(target.newSession());
    case 'reset':
      return orRestore(target.reset());
    case 'resume':
      return orRestore(target.resume(text.trim()));
    case 'branch':
      return orRestore(target.branch(text.trim()));
    case 'undo':
      return orRestore(target.undo(text.trim()));
    case 'search':
      return target.searchSessions(text.trim());
    case 'memory':
      return target.openMemory();
    case 'export':
      return target.shownSession === null
        ? requests.inform(t('There is no session to export yet. Send a prompt first.'))
        : target.exportSession();
    case 'retry':
      return target.lastTurn === null
        ? requests.inform(t('There is no prompt to retry yet.'))
        : target.retry(target.lastTurn);
    case 'compress':
      return target.proposeCompression(text);
    case 'model':
      return target.chooseModel();
    case 'help':
      return requests.inform(t('Commands: {commands}. Type / to see descriptions.', { commands: commandList() }));
    default:
      return name satisfies never;
  }
}
