import * as vscode from 'vscode';
import type { WorkNotice } from './longWork';

/** Shows the editor's progress notification for long work, with a bar and Cancel. */
export const editorWorkNotice: WorkNotice = {
  show(title, ended, stop, onProgress) {
    void vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      (progress, cancelled) => {
        cancelled.onCancellationRequested(stop);
        let shown = 0;
        onProgress(({ done, total }) => {
          const percent = total === 0 ? 0 : Math.floor((100 * done) / total);
          if (percent <= shown) return;
          progress.report({ increment: percent - shown, message: `${percent} %` });
          shown = percent;
        });
        return ended;
      },
    );
  },
};
