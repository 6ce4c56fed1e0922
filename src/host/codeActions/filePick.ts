import * as vscode from 'vscode';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';
import { WorkspacePaths } from '../../tools/workspacePaths';

/** Maximum number of files offered, most recently modified first: code most likely concerns a recently modified
 *  file. */
const mostFiles = 5000;

/** Lets the user pick a file of the open folders; `first` comes before the others. Resolves to the absolute path.
 *  Null: none was picked. */
export async function pickFile(files: WorkspaceFiles, first: string | null): Promise<string | null> {
  const paths = new WorkspacePaths(files);
  const items = files
    .findFiles({ pattern: '**/*', order: 'modified', maxFiles: mostFiles }, AbortSignal.timeout(20_000))
    .then((found) =>
      [...new Set([...(first === null ? [] : [first]), ...found.paths])].map((path) => ({
        label: paths.display(path),
        path,
      })),
    );
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Apply to File'),
    placeHolder: vscode.l10n.t('The file this code belongs to. You see the change before it is made.'),
  });
  return picked?.path ?? null;
}
