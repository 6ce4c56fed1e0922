import * as vscode from 'vscode';
import { editorWalkthrough } from '../firstSteps/editorWalkthrough';
import { AnswerNotices, type AnswerNoticeDeps } from '../notifications/answerNotices';
import { ApprovalNotices } from '../notifications/approvalNotices';
import { StatusBar } from '../notifications/statusBar';
import { StatusPresenter } from '../notifications/statusPresenter';
import type { WindowChats } from './createChats';
import type { WindowConversations } from './createConversations';
import type { WindowTools } from './createTools';
import type { WindowSessions } from './createSessions';
import type { WindowBasics } from './windowBasics';

/** Notifications of this window. */
const windowNotices: Pick<AnswerNoticeDeps, 'isWindowFocused' | 'notify'> = {
  isWindowFocused: () => vscode.window.state.focused,
  notify: (kind, message, ...buttons) =>
    kind === 'info'
      ? vscode.window.showInformationMessage(message, ...buttons)
      : vscode.window.showWarningMessage(message, ...buttons),
};

/** Notifications, the status bar and the walkthrough of a window. */
export interface WindowNotices {
  readonly approvalNotices: ApprovalNotices;
  readonly walkthrough: ReturnType<typeof editorWalkthrough>;
  /** Brings the status bar and the walkthrough up to date. */
  readonly showStatus: () => void;
}

export function createNotices(
  parts: WindowBasics & WindowTools & WindowConversations & WindowChats & WindowSessions,
): WindowNotices {
  const { own, context, settings, history, gateway, activeChat, panel, opener, sync, clock, log } = parts;
  const common = {
    gateway,
    log,
    clock,
    when: () => settings.current.notifications,
    isInSight: (sessionId: string) =>
      activeChat.all.some((each) => each.isVisible() && each.shownSession === sessionId),
    open: (sessionId: string) => opener.open(sessionId, null, 'chat'),
  };
  const approvalNotices = own(
    new ApprovalNotices({
      ...common,
      notify: (message, ...buttons) => vscode.window.showInformationMessage(message, ...buttons),
    }),
  );
  own(
    new AnswerNotices({
      ...common,
      ...windowNotices,
      sessions: history.store,
      turnOff: () => settings.saveNotifications('never'),
    }),
  );
  const status = own(
    new StatusPresenter({
      gateway,
      sessions: history.store,
      clock,
      bar: own(new StatusBar()),
      facts: () => ({
        commands: parts.terminal.inBackground.filter(({ end }) => end === null),
        waiting: approvalNotices.count,
        store: history.status.shown.kind,
        model: panel.modelState.chosen,
        sync: sync.line,
      }),
      shownSession: () => panel.shownSession,
    }),
  );
  own(parts.terminal.running.onDidChange(() => status.show()));
  const walkthrough = own(editorWalkthrough(context, gateway, history.store));
  const showStatus = (): void => {
    status.show();
    walkthrough.modelChosen(panel.modelState.chosen !== null);
    walkthrough.crashDemoRun((parts.crashDemo.current?.current ?? null) !== null);
  };
  return { approvalNotices, walkthrough, showStatus };
}
