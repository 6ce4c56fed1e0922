import * as vscode from 'vscode';
import { t } from '../../base/translate';
import type { Log } from '../../base/log';
import { describeError, isExpected } from './describeError';

/** Commands by their name after "hermes.". Arguments come from menus and views; each command validates its own. */
export type CommandTable = Readonly<Record<string, (...args: readonly unknown[]) => Promise<void>>>;

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
  const showLog = t('Show Log');
  vscode.window.showErrorMessage(sentence, showLog).then(
    (chosen) => (chosen === showLog ? vscode.commands.executeCommand('hermes.showLog') : undefined),
    (failure: unknown) => log.error('A notification could not be shown', failure),
  );
}
