import { rm } from 'node:fs/promises';
import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import { bringExport, type ImportedExport } from '../core/import/exportImport';
import type { ExportedConversation, OpenedFile } from '../core/import/importing';
import type { HistoryServices, Importer } from './historyServices';
import { pickerTitle } from './importPicks';
import { messageCount, sessionCount } from '../../../host/library/sessionLabels';

type ImportServices = Pick<HistoryServices, 'store' | 'during' | 'openInChat' | 'refresh' | 'failed'>;

interface ConversationItem extends vscode.QuickPickItem {
  readonly conversation: ExportedConversation;
}

/** Imports a file of ours, a `state.db` or an export: preview, import, report. Sessions keep their ids, so a repeated
 *  import adds only what is missing. */
export async function importExportFile(
  path: string,
  importer: Pick<Importer, 'openFile'>,
  services: ImportServices,
): Promise<void> {
  const opened = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: t('Reading sessions…') },
    () => importer.openFile(path),
  );
  try {
    const items = await itemsOf(opened, services.store);
    if (items.length === 0) return inform(nothingNew(opened));
    const chosen = await vscode.window.showQuickPick(items, {
      title: pickerTitle(),
      placeHolder: t('Choose what to import'),
      canPickMany: true,
      matchOnDescription: true,
    });
    if (chosen === undefined || chosen.length === 0) return;
    const sessionIds = chosen.flatMap(({ conversation }) => conversation.sessionIds);
    const brought = await bring({ folder: opened.folder, sessionIds }, services);
    services.refresh();
    // Stopped: the newest one may not be here.
    const newestId = brought.isStopped ? null : (chosen[0]?.conversation.newestId ?? null);
    const newest = newestId === null ? null : (brought.newIds[newestId] ?? newestId);
    // Nobody waits for the answer to the report.
    report(brought, newest, services).catch(services.failed('importSessions'));
  } finally {
    await rm(opened.folder, { recursive: true, force: true });
  }
}

/** Conversations of which something is not here yet. All are chosen at first. */
async function itemsOf(
  { conversations }: OpenedFile,
  store: ImportServices['store'],
): Promise<readonly ConversationItem[]> {
  const items = await Promise.all(
    conversations.map(async (conversation): Promise<ConversationItem | null> => {
      const here = await Promise.all(conversation.sessionIds.map((id) => store.getSession(id)));
      const lastActiveHere = Math.max(...here.map((session) => session?.lastActiveAt ?? 0));
      if (here.every((session) => session !== null) && lastActiveHere >= conversation.lastActiveAt) return null;
      const isGrown = here.some((session) => session !== null);
      const facts = [messageCount(conversation.messages), ...(isGrown ? [t('has new messages')] : [])];
      return {
        label: conversation.title ?? t('Untitled Session'),
        description: facts.join(' · '),
        picked: true,
        conversation,
      };
    }),
  );
  return items.filter((item) => item !== null);
}

/** Sessions that were imported when the user cancels stay. */
async function bring(
  copy: { readonly folder: string; readonly sessionIds: readonly string[] },
  { store, during }: ImportServices,
): Promise<ImportedExport> {
  const stopping = new AbortController();
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: t('Importing sessions…'), cancellable: true },
    (progress, canceled) => {
      canceled.onCancellationRequested(() => stopping.abort());
      const brought = bringExport(store, copy, stopping.signal, ({ done, total }) =>
        progress.report({ message: t('{done} of {total} sessions', { done, total }) }),
      );
      return during(brought);
    },
  );
}

async function report(
  { sessions, messages, skipped, isStopped }: ImportedExport,
  newestId: string | null,
  { openInChat }: ImportServices,
): Promise<void> {
  const sentences = [
    isStopped
      ? t('Import was canceled. Sessions imported so far are here: {count}.', { count: String(sessions) })
      : t('Imported {sessions} with {messages}.', {
          sessions: sessionCount(sessions),
          messages: messageCount(messages),
        }),
    ...(skipped === 0 ? [] : [t('Records left out: {count}.', { count: String(skipped) })]),
  ];
  const open = t('Open Newest');
  const show = skipped > 0 ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
  const chosen = await show(sentences.join(' '), ...(newestId === null ? [] : [open]));
  if (chosen === open && newestId !== null) await openInChat(newestId);
}

function nothingNew({ conversations }: OpenedFile): string {
  return conversations.length === 0
    ? t('No sessions were found there.')
    : t('Already here: {sessions}. There is nothing to import.', {
        sessions: sessionCount(conversations.length),
      });
}

function inform(sentence: string): void {
  void vscode.window.showInformationMessage(sentence);
}
