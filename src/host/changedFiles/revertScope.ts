import * as vscode from 'vscode';
import { t } from '../../base/translate';

export type RevertScope = 'conversation' | 'files';

/** Asks the user what to revert when the removed turns have changed files. Null: the user canceled. */
export async function pickRevertScope(question: string, detail: string, files: number): Promise<RevertScope | null> {
  const conversation = t('Conversation Only');
  const both =
    files === 1 ? t('Conversation and 1 File') : t('Conversation and {count} Files', { count: String(files) });
  const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, both, conversation);
  return answer === both ? 'files' : answer === conversation ? 'conversation' : null;
}
