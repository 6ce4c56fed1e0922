import * as vscode from 'vscode';
import { systemClock } from '../../../base/clock';
import { joinSentences } from '../../../base/messageText';
import { t } from '../../../base/translate';
import { GatewayError } from '../../../gateway/gateway';
import type { CommandTable } from '../../../host/common/commands';
import { describeError } from '../../../host/common/describeError';
import { messageCount, sessionCount } from '../../../host/library/sessionLabels';
import { editorWorkNotice, withProgressWhenLong, type StoppableWork } from '../../../host/notifications/longWork';
import type { BackupSummary } from '../core/manifest';
import type { OtherBackups } from '../core/backups';
import { conversationsIn, timeText, confirmWhole, pickBackup, pickFromBackup, type FoundBackup } from './backupPicks';
import type { BackupWindow } from './storeBackups';
import type { StoreBackups } from './storeBackups';

/** Makes backups on request, and brings sessions back from them. */
export class BackupCommands {
  constructor(
    private readonly window: BackupWindow,
    private readonly backups: Pick<
      StoreBackups,
      'make' | 'list' | 'others' | 'contents' | 'restore' | 'bringBack' | 'folder'
    >,
  ) {}

  private get store(): string {
    return this.window.history.folder;
  }

  get table(): CommandTable {
    return { backUpNow: () => this.backUp(), restoreFromBackup: () => this.restore() };
  }

  private async backUp(): Promise<void> {
    await this.window.history.status.settled();
    const { backup, isNew } = await working(
      t('Backing up your sessions…'),
      t('The backup was canceled. Earlier backups are unchanged.'),
      (signal) => this.backups.make(this.store, 'request', signal),
    );
    const { sessions, messages, madeAt } = backup.manifest;
    inform(
      isNew
        ? t('Backed up {sessions} with {messages}.', {
            sessions: sessionCount(sessions),
            messages: messageCount(messages),
          })
        : t('Nothing has changed since the backup of {time}.', { time: timeText(madeAt) }),
    );
  }

  private async restore(): Promise<void> {
    const { backups, store, window } = this;
    await window.history.status.settled();
    const [{ backups: found }, others] = await Promise.all([backups.list(store), this.others()]);
    if (found.length + others.length === 0)
      return inform(t('No backups were found in {folder}.', { folder: backups.folder(store) }));
    const backup = await pickBackup(found, others);
    if (backup === null) return;
    const [entries, present] = await Promise.all([
      backups.contents(store, backup.id, backup.folder),
      this.presentMessages(),
    ]);
    const choice = await pickFromBackup(backup, conversationsIn(entries, present));
    if (choice === null) return;
    if (choice.kind === 'sessions') return this.bringBack(backup, choice.sessionIds);
    const inBackup = new Set(entries.map(({ id }) => id));
    const here = [...present].filter(([id, messages]) => messages > 0 && !inBackup.has(id)).length;
    if (await confirmWhole(backup, { here })) await this.restoreWhole(backup);
  }

  private async bringBack({ id, folder }: FoundBackup, sessionIds: readonly string[]): Promise<void> {
    if (sessionIds.length === 0) return;
    const { backups, store, window } = this;
    try {
      const { sessions, messages, skipped } = await working(
        t('Bringing sessions back…'),
        t('Bringing back was canceled. Sessions that came back so far are here.'),
        async (signal, onProgress) => {
          await backups.make(store, 'restore', signal);
          const part = { id, folder, conversationsOf: sessionIds };
          const work = backups.bringBack(store, window.gateway.actions, part, signal, onProgress);
          return window.history.connection.during(work);
        },
      );
      const sentence = t('Brought back {sessions} with {messages}.', {
        sessions: sessionCount(sessions),
        messages: messageCount(messages),
      });
      if (skipped === 0) inform(sentence);
      else warn([sentence, t('{count} rows couldn’t be read and remain in the original.', { count: skipped })]);
    } finally {
      window.sessions.refresh();
    }
  }

  private async restoreWhole(backup: BackupSummary): Promise<void> {
    const { window } = this;
    if (window.gateway.turns.running().length > 0)
      throw new GatewayError('busy', t('Hermes is answering. Wait or stop it, then restore the backup.'));
    const title = t('Restoring the backup…');
    // Cannot be canceled: the file is replaced in one step.
    const { quarantined } = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title },
      () => this.whileClosed(() => this.backups.restore(this.store, backup.id)),
    );
    window.sessions.refresh();
    const sentence = t('The backup of {time} was restored.', { time: timeText(backup.madeAt) });
    if (quarantined === null) inform(sentence);
    else warn([sentence, t('The damaged file that was there before is {path}.', { path: quarantined })]);
  }

  /** None when they cannot be listed: the backups of this store are there all the same. */
  private async others(): Promise<readonly OtherBackups[]> {
    try {
      return await this.backups.others(this.store);
    } catch (error) {
      this.window.log.warn(`Backups of other folders could not be listed: ${describeError(error).sentence}`);
      return [];
    }
  }

  /** Closes the store for the work and opens it again. No view shows a session meanwhile. */
  private async whileClosed<T>(work: () => Promise<T>): Promise<T> {
    const { history, activeChat } = this.window;
    history.isReplacing = true;
    try {
      return await history.connection.whileClosed(() => {
        for (const chat of activeChat.all) chat.leaveStore();
        return work();
      });
    } finally {
      history.isReplacing = false;
    }
  }

  /** Messages of each session here; none while the store cannot be read, which is when a backup is needed most. */
  private async presentMessages(): Promise<ReadonlyMap<string, number>> {
    const sizes = await this.window.history.store.storeSizes().catch((error: unknown) => {
      this.window.log.warn(`The sessions here could not be compared with a backup: ${describeError(error).sentence}`);
      return null;
    });
    return new Map(sizes?.sessions.map(({ sessionId, messages }) => [sessionId, messages]));
  }
}

function working<T>(title: string, stopped: string, work: StoppableWork<T>): Promise<T> {
  return withProgressWhenLong(
    { clock: systemClock, notice: editorWorkNotice },
    title,
    new GatewayError('stopped', stopped),
    work,
  );
}

function inform(sentence: string): void {
  void vscode.window.showInformationMessage(sentence);
}

function warn(sentences: readonly string[]): void {
  void vscode.window.showWarningMessage(joinSentences(sentences));
}
