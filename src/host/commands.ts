import * as vscode from 'vscode';
import type { Log } from '../base/log';
import { type Gateway, GatewayError } from '../gateway/gateway';
import type { SessionStore } from '../store/sessionStore';
import type { HandoffTokens } from '../transcript/handoff';
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
  readonly setUpMemory: () => Promise<void>;
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
    compressSession: () => compressSession(needs, shown()),
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
    setUpMemory: () => needs.setUpMemory(),
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

/** Says first what it would save; while it runs it can be stopped. */
async function compressSession({ gateway, store }: CommandNeeds, sessionId: string | null): Promise<void> {
  await store.settled();
  if (sessionId === null) return inform(vscode.l10n.t('No session is shown. Resume one, then compress it.'));
  const preview = await gateway.compressionPreview(sessionId);
  if (preview === null) return inform(vscode.l10n.t('There is nothing to compress yet: what is there is kept as it is.'));
  const focus = await vscode.window.showInputBox({
    title: vscode.l10n.t('Compress Session'),
    prompt: vscode.l10n.t('The model summarises the earlier part: about {before} → {after} tokens. Nothing is deleted.', savedWords(preview)),
    placeHolder: vscode.l10n.t('What should the summary keep above all? (optional)'),
  });
  if (focus === undefined) return;
  const title = vscode.l10n.t('Hermes is summarising the earlier part of this session…');
  const outcome = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, (_progress, cancelled) => {
    cancelled.onCancellationRequested(() => void gateway.stop(sessionId));
    return gateway.compress(sessionId, focus.trim() === '' ? null : focus).catch((error: unknown) => {
      if (error instanceof GatewayError && error.causeClass === 'notCompressed') return error.message;
      throw error;
    });
  });
  if (typeof outcome === 'string') return inform(outcome);
  const saved = savedWords(outcome.tokens);
  if (outcome.madeBy === 'summary') inform(vscode.l10n.t('The earlier part is summarised: about {before} → {after} tokens.', saved));
  else inform(vscode.l10n.t('The model gave no summary, so the earlier part was shortened: about {before} → {after} tokens.', saved));
}

function savedWords({ before, after }: HandoffTokens): { readonly before: string; readonly after: string } {
  const count = new Intl.NumberFormat(vscode.env.language, { notation: 'compact', maximumFractionDigits: 1 });
  return { before: count.format(before), after: count.format(after) };
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
