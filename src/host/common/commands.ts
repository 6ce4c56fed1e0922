import * as vscode from 'vscode';
import type { Log } from '../../base/log';
import type { ChatEditor } from '../chat/chatHandlers';
import type { ChatView } from '../chat/chatView';
import { describeError, isExpected } from './describeError';

/** Commands by their name after "hermes.". Arguments come from menus and views; each command validates its own. */
export type CommandTable = Readonly<Record<string, (...args: readonly unknown[]) => Promise<void>>>;

export interface WindowCommandNeeds {
  readonly chat: Pick<ChatView, 'focus'>;
  /** Session that the chat shows. */
  readonly shown: () => string | null;
  readonly editor: ChatEditor;
  readonly setUpModel: () => Promise<void>;
  readonly setUpMemory: () => Promise<void>;
}

/** Commands for models, memory, settings and the log. */
export function windowCommands({ chat, shown, editor, setUpModel, setUpMemory }: WindowCommandNeeds): CommandTable {
  return {
    setUpModel: () => setUpModel(),
    setUpMemory: () => setUpMemory(),
    selectModel: () => editor.pickModel(shown()),
    focusChat: () => chat.focus(),
    openSettings: () => editor.openSettings(''),
    showLog: async () => editor.showLog(),
  };
}

/** Registers the commands. A failed command shows a notification whose sentence includes the next step. */
export function registerCommands(commands: CommandTable, log: Log): vscode.Disposable {
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([name, run]) =>
      vscode.commands.registerCommand(`hermes.${name}`, (...args: readonly unknown[]) =>
        run(...args).catch((error: unknown) => reportFailure(name, error, log)),
      ),
    ),
  );
}

/** Logs a failure and shows it in a notification with Show Log. */
export function reportFailure(what: string, error: unknown, log: Log): void {
  const { sentence } = describeError(error);
  if (isExpected(error)) log.warn(`${what}: ${sentence}`);
  else log.error(`${what} failed`, error);
  const showLog = vscode.l10n.t('Show Log');
  vscode.window.showErrorMessage(sentence, showLog).then(
    (chosen) => (chosen === showLog ? vscode.commands.executeCommand('hermes.showLog') : undefined),
    (failure: unknown) => log.error('A notification could not be shown', failure),
  );
}
