import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from '../../../base/clock';
import { t } from '../../../base/translate';
import { GatewayError } from '../../../gateway/gateway';
import { editorWorkNotice, withProgressWhenLong } from '../../../host/notifications/longWork';
import type { WorkProgress } from '../../../store/slicedWork';
import { exportName } from '../../../transcript/readable/transcriptExport';
import type { Session } from '../../../transcript/session';
import { exportInThread } from '../core/export/exportClient';
import type { ExportedFile, ExportFormat, ExportRequest } from '../core/export/exportFile';
import type { ExportScope } from '../core/export/sessionScope';
import type { LeftOut } from '../core/export/readable/recordReading';

/** Answers of the two pickers. */
interface ExportChoice {
  readonly format: ExportFormat;
  readonly leftOut: LeftOut;
  readonly masksSecrets: boolean;
}

type Option = 'toolOutput' | 'thinking' | 'images' | 'hidden' | 'mask';

/** Options of each format, in the order of the picker. */
const optionsOf: { readonly [F in ExportFormat]: readonly Option[] } = {
  json: ['mask'],
  markdown: ['toolOutput', 'thinking', 'hidden', 'mask'],
  html: ['toolOutput', 'thinking', 'images', 'hidden', 'mask'],
  openai: ['toolOutput', 'thinking', 'images', 'mask'],
  hermes: ['toolOutput', 'thinking', 'images', 'hidden', 'mask'],
};

const chosenAtFirst: ReadonlySet<Option> = new Set(['toolOutput', 'thinking', 'images', 'mask']);

/** Asks for the format, then for its options. Null when the user cancels. */
async function pickExport(title: string): Promise<ExportChoice | null> {
  const form = await vscode.window.showQuickPick(formatItems(), { title, placeHolder: t('Choose a format') });
  if (form === undefined) return null;
  const { format } = form;
  const items = optionsOf[format].map((option) => optionItem(option, format));
  const chosen = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: t('Choose what to include'),
    canPickMany: true,
  });
  return chosen === undefined ? null : choiceOf(format, new Set(chosen.map(({ option }) => option)));
}

/** An option that a format does not have counts as its default. */
function choiceOf(format: ExportFormat, chosen: ReadonlySet<Option>): ExportChoice {
  const has = (option: Option): boolean => (optionsOf[format].includes(option) ? chosen : chosenAtFirst).has(option);
  return {
    format,
    leftOut: {
      toolOutput: !has('toolOutput'),
      thinking: !has('thinking'),
      images: !has('images'),
      hidden: !has('hidden'),
    },
    masksSecrets: has('mask'),
  };
}

interface FormatItem extends vscode.QuickPickItem {
  readonly format: ExportFormat;
}

function formatItems(): FormatItem[] {
  return [
    { label: 'JSON', description: t('Everything, to import again'), format: 'json' },
    { label: 'Markdown', description: t('A document to read'), format: 'markdown' },
    { label: 'HTML', description: t('A page to read or print'), format: 'html' },
    { label: 'OpenAI JSONL', description: t('Messages for programs, one session per line'), format: 'openai' },
    { label: t('Hermes Database'), description: t('A state.db of Hermes Agent'), format: 'hermes' },
  ];
}

interface OptionItem extends vscode.QuickPickItem {
  readonly option: Option;
}

function optionItem(option: Option, format: ExportFormat): OptionItem {
  const labels: Readonly<Record<Option, string>> = {
    toolOutput: t('Tool Output'),
    thinking: t('Thinking'),
    images: t('Images'),
    hidden: t('Hidden Messages'),
    mask: t('Mask Secrets'),
  };
  const descriptions: Partial<Record<Option, string>> = {
    hidden: t('Also earlier versions of prompts'),
    ...(format === 'json' ? { mask: t('The file is complete only without this') } : {}),
  };
  const description = descriptions[option];
  const item = { label: labels[option], picked: chosenAtFirst.has(option), option };
  return description === undefined ? item : { ...item, description };
}

/** Way of exports of one store. */
type StoreExport = ReturnType<typeof threadExport> & {
  /** Notes the file, so that forgetting the sessions reaches it. */
  readonly noteExport: (path: string, sessionIds: readonly string[]) => void;
};

/** Exports of the store in a folder, in a thread. */
export function threadExport(
  distFolder: string,
  { globalStorageUri }: Pick<vscode.ExtensionContext, 'globalStorageUri'>,
  store: string,
) {
  const copies = join(globalStorageUri.fsPath, 'reading');
  return {
    /** Folder for files on their way to a place that only the editor reaches. */
    copies,
    run: (request: ExportRequest, signal: AbortSignal, onProgress: (progress: WorkProgress) => void) =>
      exportInThread(join(distFolder, 'exportWorker.js'), { store, copies, request }, { signal, onProgress }),
  };
}

/** Asks for format, options and file, and writes the sessions there. */
export async function exportSessions(
  sessions: readonly Pick<Session, 'id' | 'title'>[],
  way: StoreExport,
): Promise<void> {
  const [only] = sessions;
  if (only === undefined) return;
  const name = sessions.length === 1 ? exportName(only) : t('Sessions');
  await exportScope(t('Export Session'), { kind: 'sessions', ids: sessions.map(({ id }) => id) }, name, way);
}

/** As `exportSessions`, for every session of this folder. */
export async function exportAllSessions(way: StoreExport): Promise<void> {
  const name = exportName({ id: t('Sessions'), title: vscode.workspace.name ?? null });
  await exportScope(t('Export All Sessions'), { kind: 'all' }, name, way);
}

async function exportScope(title: string, scope: ExportScope, name: string, way: StoreExport): Promise<void> {
  const choice = await pickExport(title);
  if (choice === null) return;
  const uri = await askFile(title, name, choice.format);
  if (uri === undefined) return;
  const stopped = new GatewayError('stopped', t('Export was canceled. Nothing was written.'));
  const file = await withProgressWhenLong(
    { clock: systemClock, notice: editorWorkNotice },
    t('Exporting sessions…'),
    stopped,
    (signal, onProgress) =>
      writeTo(uri, way.copies, (path) => way.run(requestOf(choice, scope, path), signal, onProgress)),
  );
  if (uri.scheme === 'file') way.noteExport(uri.fsPath, file.sessionIds);
  await report(uri, choice, file);
}

function requestOf({ format, leftOut, masksSecrets }: ExportChoice, scope: ExportScope, path: string): ExportRequest {
  return { format, scope, path, leftOut, masksSecrets, language: vscode.env.language };
}

/** Writes to the chosen place. One that only the editor reaches gets a copy of the whole file. */
async function writeTo(
  uri: vscode.Uri,
  copies: string,
  write: (path: string) => Promise<ExportedFile>,
): Promise<ExportedFile> {
  if (uri.scheme === 'file') return write(uri.fsPath);
  const folder = join(copies, `export-${randomUUID()}`);
  await mkdir(folder, { recursive: true });
  try {
    const path = join(folder, basename(uri.path));
    const file = await write(path);
    await vscode.workspace.fs.copy(vscode.Uri.file(path), uri, { overwrite: true });
    return file;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const endings: { readonly [F in ExportFormat]: { readonly name: string; readonly ending: string } } = {
  json: { name: 'JSON', ending: 'json' },
  markdown: { name: 'Markdown', ending: 'md' },
  html: { name: 'HTML', ending: 'html' },
  openai: { name: 'JSONL', ending: 'jsonl' },
  hermes: { name: 'SQLite', ending: 'db' },
};

async function askFile(title: string, name: string, format: ExportFormat): Promise<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const { name: kind, ending } = endings[format];
  return vscode.window.showSaveDialog({
    title,
    filters: { [kind]: [ending] },
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, `${name}.${ending}`) }),
  });
}

async function report(
  uri: vscode.Uri,
  { format }: ExportChoice,
  { sessions, maskedSecrets }: ExportedFile,
): Promise<void> {
  const path = vscode.workspace.asRelativePath(uri);
  const sentences = [
    sessions === 1
      ? t('Session exported to {path}.', { path })
      : t('Sessions exported to {path}: {count}.', { path, count: String(sessions) }),
    ...(maskedSecrets === 0 ? [] : [t('Secrets masked: {count}.', { count: String(maskedSecrets) })]),
  ];
  const open = t('Open');
  // The editor does not show databases.
  const buttons = format === 'hermes' ? [] : [open];
  if ((await vscode.window.showInformationMessage(sentences.join(' '), ...buttons)) !== open) return;
  if (format === 'html') await vscode.env.openExternal(uri);
  else await vscode.commands.executeCommand('vscode.open', uri);
}
