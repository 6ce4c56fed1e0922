import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { systemClock } from '../../base/clock';
import { GatewayError, type Gateway } from '../../gateway/gateway';
import type { SessionStore, TranscriptPage } from '../../store/sessionStore';
import type { WorkProgress } from '../../store/slicedWork';
import { editorWorkNotice } from '../notifications/editorWorkNotice';
import { withProgressWhenLong } from '../notifications/longWork';
import { maskedMessage, maskedSession, maskedTurn } from '../../history/export/readable/maskedRecord';
import {
  exportName,
  jsonExport,
  markdownExport,
  type ExportedSession,
} from '../../history/export/readable/transcriptExport';

const pageSize = 500;

interface ExportDeps {
  readonly gateway: Pick<Gateway, 'readTranscript'>;
  readonly sessions: Pick<SessionStore, 'getSession'>;
  readonly now: () => number;
  /** Notes the file, so that forgetting the session reaches it. */
  readonly noteExport: (path: string, sessionIds: readonly string[]) => void;
}

interface ExportForm extends vscode.QuickPickItem {
  readonly format: 'markdown' | 'json';
  readonly withHidden: boolean;
  readonly to: 'file' | 'editor';
}

/** Asks for format and destination, and writes the session there. */
export async function exportSession(sessionId: string, deps: ExportDeps): Promise<void> {
  const form = await vscode.window.showQuickPick(exportForms(), {
    title: t('Export Session'),
    placeHolder: t('Choose a format'),
  });
  if (form === undefined) return;
  const stopped = new GatewayError('stopped', t('Export was canceled. Nothing was written.'));
  const record = await withProgressWhenLong(
    { clock: systemClock, notice: editorWorkNotice },
    t('Exporting the session…'),
    stopped,
    (...course) => readRecord(sessionId, form.withHidden, deps, ...course),
  );
  if (record === null) return;
  const text =
    form.format === 'json' ? jsonExport(record) : markdownExport(record, { t, language: vscode.env.language });
  if (form.to === 'editor')
    await vscode.window.showTextDocument(
      await vscode.workspace.openTextDocument({ content: text, language: form.format }),
    );
  else await saveAs(text, form.format, record, deps.noteExport);
}

/** Reads the whole session page by page and masks secrets. Null: it no longer exists. Rejects with the abort reason
 *  when stopped. */
async function readRecord(
  sessionId: string,
  includeHidden: boolean,
  { gateway, sessions, now }: ExportDeps,
  signal: AbortSignal,
  onProgress: (progress: WorkProgress) => void,
): Promise<ExportedSession | null> {
  const session = await sessions.getSession(sessionId);
  if (session === null) return null;
  const pages: TranscriptPage[] = [];
  let [done, total] = [0, 0];
  for (let before: number | undefined; ;) {
    signal.throwIfAborted();
    const page = await gateway.readTranscript({
      sessionId,
      limit: pageSize,
      includeHidden,
      isCounted: before === undefined,
      ...(before === undefined ? {} : { before }),
    });
    // Mask page by page, so that a long session blocks nothing.
    pages.push({
      ...page,
      messages: page.messages.map((message) => maskedMessage(message)),
      turns: page.turns.map((turn) => maskedTurn(turn)),
    });
    total = Math.max(total, page.total);
    onProgress({ done: (done += page.messages.length), total });
    before = page.messages[0]?.position;
    if (!page.hasEarlier || before === undefined) break;
  }
  pages.reverse();
  const turns = new Map(pages.flatMap((page) => page.turns.map((turn) => [turn.uid, turn])));
  return {
    session: maskedSession(session),
    messages: pages.flatMap((page) => page.messages),
    turns: [...turns.values()],
    versions: pages.flatMap((page) => page.versions),
    exportedAt: now(),
  };
}

async function saveAs(
  text: string,
  format: ExportForm['format'],
  { session }: ExportedSession,
  noteExport: ExportDeps['noteExport'],
): Promise<void> {
  const ending = format === 'json' ? 'json' : 'md';
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const uri = await vscode.window.showSaveDialog({
    title: t('Export Session'),
    filters: format === 'json' ? { JSON: ['json'] } : { Markdown: ['md'] },
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, `${exportName(session)}.${ending}`) }),
  });
  if (uri === undefined) return;
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  if (uri.scheme === 'file') noteExport(uri.fsPath, [session.id]);
  const open = t('Open');
  const chosen = await vscode.window.showInformationMessage(
    t('Session exported to {path}.', { path: vscode.workspace.asRelativePath(uri) }),
    open,
  );
  if (chosen === open) await vscode.commands.executeCommand('vscode.open', uri);
}

function exportForms(): ExportForm[] {
  const everything = t('Includes earlier versions and hidden messages');
  const shown = t('Only what the chat shows');
  const toEditor = (label: string): string => t('{format} in a New Editor', { format: label });
  return [
    { label: t('Markdown File…'), description: shown, format: 'markdown', withHidden: false, to: 'file' },
    { label: t('JSON File…'), description: shown, format: 'json', withHidden: false, to: 'file' },
    {
      label: t('JSON File with Hidden Messages…'),
      description: everything,
      format: 'json',
      withHidden: true,
      to: 'file',
    },
    { label: toEditor('Markdown'), description: shown, format: 'markdown', withHidden: false, to: 'editor' },
    { label: toEditor('JSON'), description: shown, format: 'json', withHidden: false, to: 'editor' },
    {
      label: t('JSON with Hidden Messages in a New Editor'),
      description: everything,
      format: 'json',
      withHidden: true,
      to: 'editor',
    },
  ];
}
