import * as vscode from 'vscode';

export type TakenBack = 'conversation' | 'files';

/** Asks the user what to revert when the removed turns have changed files. Null: the user canceled. */
export async function askWhatGoesBack(question: string, detail: string, files: number): Promise<TakenBack | null> {
  const conversation = vscode.l10n.t('Conversation Only');
  const both =
    files === 1
      ? vscode.l10n.t('Conversation and 1 File')
      : vscode.l10n.t('Conversation and {count} Files', { count: String(files) });
  const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, both, conversation);
  return answer === both ? 'files' : answer === conversation ? 'conversation' : null;
}
