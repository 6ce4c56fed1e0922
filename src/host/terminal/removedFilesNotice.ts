import * as vscode from 'vscode';
import { t, shownList } from '../../base/translate';
import type { Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import { errorMessage } from '../../base/errorMessage';
import type { RemovedFiles } from '../../tools/sandbox/git/gitGuard';
import { filesIn, putBack } from '../../tools/sandbox/removedFiles';
import type { WrittenOrders } from '../../tools/sandbox/writtenOrders';

const namedAtMost = 5;

/** Records files that the user saves, creates and renames in the editor, so that they are not attributed to a
 *  command. */
export function noteEditorWrites(written: WrittenOrders): Disposable {
  const noteAll = (uris: readonly vscode.Uri[]): void => {
    for (const { scheme, fsPath } of uris)
      if (scheme === 'file')
        void filesIn(fsPath)
          .then((files) => Promise.all(files.map((file) => written.noteAsItIs(file))))
          .catch(() => undefined); // already deleted
  };
  return vscode.Disposable.from(
    vscode.workspace.onDidSaveTextDocument(
      (document) => void (document.uri.scheme === 'file' && written.note(document.uri.fsPath, document.getText())),
    ),
    vscode.workspace.onDidCreateFiles(({ files }) => noteAll(files)),
    vscode.workspace.onDidRenameFiles(({ files }) => noteAll(files.map(({ newUri }) => newUri))),
  );
}

/** Notifies the user of files that were moved out of the open folders when a command ended. They include files that
 *  the user created outside the editor during that time, so the user can put them back. */
export async function notifyRemovedFiles(
  { taken, left }: RemovedFiles,
  command: string,
  written: WrittenOrders,
  log: Log,
): Promise<void> {
  const named = (paths: readonly string[]): string =>
    shownList([
      ...paths.slice(0, namedAtMost).map((path) => vscode.workspace.asRelativePath(path)),
      ...(paths.length > namedAtMost ? ['…'] : []),
    ]);
  for (const { path, reason } of left)
    log.warn(`${path} was made while a command ran in the sandbox and could not be taken out: ${reason}`);
  if (left.length > 0) {
    void vscode.window.showErrorMessage(
      t(
        '{files} appeared while “{command}” ran in the sandbox, and couldn’t be removed from the folder. Such files can run code or instruct agents. Check them before you continue.',
        { files: named(left.map(({ path }) => path)), command: shortened(command) },
      ),
    );
  }
  if (taken.length === 0) return;
  const [show, back] = [t('Show'), t('Restore Files')];
  const message = t(
    '{files} appeared while “{command}” ran in the sandbox. Such files can run code or instruct agents, so Hermes moved them out of the folder. Restore them if you created them.',
    { files: named(taken.map(({ path }) => path)), command: shortened(command) },
  );
  for (
    let answer = await vscode.window.showWarningMessage(message, show, back);
    answer !== undefined;
    answer = await vscode.window.showWarningMessage(message, show, back)
  ) {
    if (answer === show) await showAll(taken.map(({ kept }) => kept));
    else return putThemBack(taken, written, log);
  }
}

async function putThemBack(taken: RemovedFiles['taken'], written: WrittenOrders, log: Log): Promise<void> {
  try {
    const left = await putBack(taken);
    const back = taken.filter((each) => !left.includes(each));
    for (const { path } of back) for (const file of await filesIn(path)) await written.noteAsItIs(file);
    if (left.length > 0)
      void vscode.window.showWarningMessage(
        t('{files} couldn’t be restored because files with these names already exist. They are kept here: {places}', {
          files: shownList(left.map(({ path }) => vscode.workspace.asRelativePath(path))),
          places: shownList(left.map(({ kept }) => kept)),
        }),
      );
  } catch (error) {
    const reason = errorMessage(error);
    log.warn(`What was taken out could not be put back: ${reason}`);
    void vscode.window.showErrorMessage(
      t('Some files couldn’t be restored: {reason}. They are kept in {places}.', {
        reason,
        places: shownList(taken.map(({ kept }) => kept)),
      }),
    );
  }
}

async function showAll(places: readonly string[]): Promise<void> {
  const files = (await Promise.all(places.map(filesIn))).flat();
  for (const file of files.slice(0, namedAtMost))
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(file), { preview: false });
}

function shortened(command: string): string {
  const line = command.replace(/\s+/g, ' ').trim();
  return line.length > 60 ? `${line.slice(0, 59).toWellFormed()}…` : line;
}
