import * as vscode from 'vscode';
import type { AnswerNoticeDeps } from './answerNotices';

/** Notifications of this window. */
export const windowNotices: Pick<AnswerNoticeDeps, 'isWindowFocused' | 'notify'> = {
  isWindowFocused: () => vscode.window.state.focused,
  notify: (kind, message, ...buttons) =>
    kind === 'info'
      ? vscode.window.showInformationMessage(message, ...buttons)
      : vscode.window.showWarningMessage(message, ...buttons),
};
