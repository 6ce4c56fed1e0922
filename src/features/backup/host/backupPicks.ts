import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import type { BackupSummary } from '../core/manifest';
import type { OtherBackups } from '../core/otherBackups';
import { backupTexts, conversationFacts, otherBackupTexts, timeText, type BackupConversation } from './backupLabels';

/** A backup of this store, or of one at another path. */
export interface FoundBackup extends BackupSummary {
  /** Folder that holds it. Undefined: that of this store. */
  readonly folder?: string | undefined;
}

interface BackupItem extends vscode.QuickPickItem {
  readonly backup?: FoundBackup;
}

/** Lets the user choose a backup: those of this store first. Null when the user cancels. */
export async function pickBackup(
  own: readonly BackupSummary[],
  others: readonly OtherBackups[],
): Promise<FoundBackup | null> {
  const items: BackupItem[] = [
    ...own.map((backup) => ({ ...backupTexts(backup), backup })),
    ...(others.length === 0 ? [] : [{ label: t('Other Folders'), kind: vscode.QuickPickItemKind.Separator }]),
    ...others.flatMap((other) =>
      other.backups.map((backup) => ({
        ...otherBackupTexts(backup, other),
        backup: { ...backup, folder: other.folder },
      })),
    ),
  ];
  const chosen = await vscode.window.showQuickPick(items, {
    title: t('Restore from Backup'),
    placeHolder: t('Choose a backup to see its sessions'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.backup ?? null;
}

/** Result of `pickFromBackup`: conversations, by the id of a session of each, or the whole history. */
type BackupChoice = { readonly kind: 'sessions'; readonly sessionIds: readonly string[] } | { readonly kind: 'whole' };

interface ConversationItem extends vscode.QuickPickItem {
  readonly sessionId: string;
}

/** Shows the sessions of a backup and lets the user choose some, or the whole history with the button, which a backup
 *  of another store lacks. Those that are missing from the present history are chosen first. Null when the user
 *  cancels. */
export async function pickFromBackup(
  backup: FoundBackup,
  conversations: readonly BackupConversation[],
): Promise<BackupChoice | null> {
  const picker = vscode.window.createQuickPick<ConversationItem>();
  const items = conversations.map((conversation) => ({
    label: conversation.title ?? t('Untitled Session'),
    description: conversationFacts(conversation),
    sessionId: conversation.sessionId,
  }));
  const missing = new Set(conversations.flatMap(({ state, sessionId }) => (state === 'here' ? [] : [sessionId])));
  picker.title = t('Sessions in the Backup of {time}', { time: timeText(backup.madeAt) });
  // Short: the number of chosen sessions is shown beside it.
  picker.placeholder = t('Sessions to bring back');
  picker.canSelectMany = picker.matchOnDescription = true;
  picker.items = items;
  picker.selectedItems = items.filter(({ sessionId }) => missing.has(sessionId));
  const whole: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('replace-all'),
    tooltip: t('Restore Everything…'),
  };
  picker.buttons = backup.folder === undefined ? [whole] : [];
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
export async function confirmWhole(backup: BackupSummary, only: { readonly here: number }): Promise<boolean> {
  const restore = t('Restore Everything');
  const answer = await vscode.window.showWarningMessage(
    t('Replace all sessions with the backup of {time}?', { time: timeText(backup.madeAt) }),
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
