import * as vscode from 'vscode';
import type { Log } from '../base/log';
import type { Gateway } from '../gateway/gateway';
import type { SessionStore } from '../store/sessionStore';
import type { ChatEditor } from './chatHandlers';
import type { ChatView } from './chatView';
import { errorWords, isExpected } from './errorWords';
import type { StoreDesk } from './storeDesk';

export interface CommandNeeds {
  readonly gateway: Gateway;
  readonly sessions: Pick<SessionStore, 'getSession'>;
  readonly store: StoreDesk;
  readonly chat: ChatView;
  readonly chatSurfaceId: string;
  readonly editor: ChatEditor;
  readonly setUpModel: () => Promise<void>;
  readonly log: Log;
}

/** The commands of the palette and the view's toolbar. A command that fails says so in a notification, with its next step in the sentence. */
export function registerCommands(needs: CommandNeeds): vscode.Disposable {
  const { gateway, chat, editor, chatSurfaceId } = needs;
  const shown = (): string | null => gateway.shownSession(chatSurfaceId);
  const commands: Readonly<Record<string, () => Promise<void>>> = {
    newSession: async () => {
      await gateway.switchSession(chatSurfaceId, { reason: 'new_session' });
      await chat.focus();
    },
    resumeSession: async () => {
      await needs.store.settled();
      const before = shown();
      await editor.pickSession(chatSurfaceId);
      if (shown() !== before) await chat.focus();
    },
    renameSession: () => renameSession(needs, shown()),
    openTranscript: async () => {
      const sessionId = shown();
      if (sessionId === null) inform(vscode.l10n.t('No session is shown. Resume one, then open its transcript.'));
      else await editor.openTranscript(sessionId, null);
    },
    stop: async () => {
      const sessionId = shown();
      const runs = gateway.runningTurns().some((turn) => turn.sessionId === sessionId);
      if (sessionId === null || !runs) inform(vscode.l10n.t('Nothing is running in the session that is shown.'));
      else await gateway.stop(sessionId);
    },
    setUpModel: () => needs.setUpModel(),
    selectModel: () => editor.pickModel(shown()),
    focusChat: () => chat.focus(),
    openSettings: () => editor.openSettings(''),
    showLog: async () => editor.showLog(),
  };
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([name, run]) =>
      vscode.commands.registerCommand(`hermes.${name}`, () => run().catch((error: unknown) => reportFailure(name, error, needs.log))),
    ),
  );
}

async function renameSession(needs: CommandNeeds, sessionId: string | null): Promise<void> {
  const session = sessionId === null ? null : await needs.sessions.getSession(sessionId);
  if (session === null) return inform(vscode.l10n.t('No session is shown. Resume one, then rename it.'));
  const title = await vscode.window.showInputBox({
    title: vscode.l10n.t('Rename Session'),
    value: session.title ?? '',
    prompt: vscode.l10n.t('A title for this session'),
    validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('A title cannot be empty.') : undefined),
  });
  if (title !== undefined) await needs.gateway.renameSession(session.id, title.trim());
}

function inform(sentence: string): void {
  void vscode.window.showInformationMessage(sentence);
}

/** Shows a failure with what can be done about it. */
export function reportFailure(what: string, error: unknown, log: Log): void {
  const { sentence } = errorWords(error);
  if (isExpected(error)) log.warn(`${what}: ${sentence}`);
  else log.error(`${what} failed`, error);
  const showLog = vscode.l10n.t('Show Log');
  vscode.window.showErrorMessage(sentence, showLog).then(
    (chosen) => (chosen === showLog ? vscode.commands.executeCommand('hermes.showLog') : undefined),
    (failure: unknown) => log.error('A notification could not be shown', failure),
  );
}
