import * as vscode from 'vscode';
import { t } from '../../base/translate';
import type { BackupSummary } from '../../history/backup/backups';
import type { LabelContext } from '../sessions/sessionLabels';
import { backupTexts, conversationFacts, timeText, type BackupConversation } from './backupLabels';

/** Lets the user choose a backup. Null when the user cancels. */
export async function pickBackup(
  backups: readonly BackupSummary[],
  context: LabelContext,
): Promise<BackupSummary | null> {
  const items = backups.map((backup) => ({ ...backupTexts(backup, context), backup }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: t('Restore from Backup'),
    placeHolder: t('Choose a backup to see its sessions'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.backup ?? null;
}

/** Result of `pickFromBackup`: conversations, by the id of a session of each, or the whole history. */
export type BackupChoice =
  { readonly kind: 'sessions'; readonly sessionIds: readonly string[] } | { readonly kind: 'whole' };

interface ConversationItem extends vscode.QuickPickItem {
  readonly sessionId: string;
}

/** Shows the sessions of a backup and lets the user choose some, or the whole history with the button. Those that are
 *  missing from the present history are chosen first. Null when the user cancels. */
export async function pickFromBackup(
  backup: BackupSummary,
  conversations: readonly BackupConversation[],
  context: LabelContext,
): Promise<BackupChoice | null> {
  const picker = vscode.window.createQuickPick<ConversationItem>();
  const items = conversations.map((conversation) => ({
    label: conversation.title ?? t('Untitled Session'),
    description: conversationFacts(conversation, context),
    sessionId: conversation.sessionId,
  }));
  const missing = new Set(conversations.flatMap(({ state, sessionId }) => (state === 'here' ? [] : [sessionId])));
  picker.title = t('Sessions in the Backup of {time}', { time: timeText(backup.madeAt, context) });
  picker.placeholder = t('Choose sessions to bring back, or use the button to restore everything');
  picker.canSelectMany = picker.matchOnDescription = true;
  picker.items = items;
  picker.selectedItems = items.filter(({ sessionId }) => missing.has(sessionId));
  picker.buttons = [{ iconPath: new vscode.ThemeIcon('replace-all'), tooltip: t('Restore Everything…') }];
  try {
    return await new Promise<BackupChoice | null>((resolve) => {
      picker.onDidAccept(() =>
        resolve({ kind: 'sessions', sessionIds: picker.selectedItems.map(({ sessionId }) => sessionId) }),
      );
      picker.onDidTriggerButton(() => resolve({ kind: 'whole' }));
      picker.onDidHide(() => resolve(null));
      picker.show();
    });
  } finally {
    picker.dispose();
  }
}

/** Asks before the present history is replaced. */
export async function confirmWhole(
  backup: BackupSummary,
  only: { readonly here: number },
  context: LabelContext,
): Promise<boolean> {
  const restore = t('Restore Everything');
  const answer = await vscode.window.showWarningMessage(
    t('Replace all sessions with the backup of {time}?', { time: timeText(backup.madeAt, context) }),
    {
      modal: true,
      detail: [
        ...(only.here === 0 ? [] : [t('Sessions that are here and not in the backup: {count}.', { count: only.here })]),
        t('The present sessions are backed up first, so you can return to them.'),
      ].join('\n\n'),
    },
    restore,
  );
  return answer === restore;
}
