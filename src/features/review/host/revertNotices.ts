import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { ChangedFiles } from '../core/changedFiles';
import type { RevertedFile } from '../core/revertRecords';
import { describeError } from '../../../host/common/describeError';
import { turnsOf } from './sessionTurns';

/** Undoing the newest revert: offered by a notification where no chat row can offer it, and by a command. */
export class RevertNotices {
  constructor(
    private readonly store: Pick<SessionStore, 'readTranscript'>,
    private readonly changed: ChangedFiles,
  ) {}

  /** Runs a revert that names this session. Offers to undo it if it changed files. */
  async watched<T>(sessionId: string, revert: () => Promise<T>): Promise<T> {
    const earlier = (await this.changed.newestRevert([sessionId]))[0]?.revert;
    const result = await revert();
    const newest = await this.changed.newestRevert([sessionId]);
    if (newest[0] !== undefined && newest[0].revert !== earlier) void this.offer(newest);
    return result;
  }

  /** Undoes the newest revert of a session. */
  async undoNewest(sessionId: string | null): Promise<void> {
    const turns = sessionId === null ? [] : await turnsOf(this.store, sessionId);
    const sessions = new Set([...(sessionId === null ? [] : [sessionId]), ...turns.map((turn) => turn.sessionId)]);
    const newest = await this.changed.newestRevert([...sessions]);
    if (newest.length === 0) {
      void vscode.window.showInformationMessage(t('There is no revert to undo in this session.'));
      return;
    }
    await this.undo(newest);
  }

  private async offer(files: readonly RevertedFile[]): Promise<void> {
    const undo = t('Undo Revert');
    const chosen = await vscode.window.showInformationMessage(revertedWords(files.length), undo);
    if (chosen !== undo) return;
    await this.undo(files).catch((error: unknown) =>
      vscode.window.showErrorMessage(
        t('Couldn’t undo the revert: {reason}', { reason: describeError(error).sentence }),
      ),
    );
  }

  private async undo(files: readonly RevertedFile[]): Promise<void> {
    const { sentence } = await this.changed.undoRevert(files);
    if (sentence !== null) void vscode.window.showWarningMessage(sentence);
    else vscode.window.setStatusBarMessage(t('The revert was undone.'), 5000);
  }
}

function revertedWords(files: number): string {
  return files === 1 ? t('Reverted 1 file.') : t('Reverted {count} files.', { count: String(files) });
}
