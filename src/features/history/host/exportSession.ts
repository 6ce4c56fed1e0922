import { randomUUID, generateKeyPairSync } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from '../../../base/clock';
import { GatewayError } from '../../../gateway/gateway';
import { isEvidence } from '../core/export/evidence';
import { exportInThread } from '../core/export/exportClient';
import { evidencePath } from '../core/export/evidenceFile';
import type { ExportedFile, ExportFormat } from '../core/export/exportFile';
import type { ThreadRequest } from '../core/export/exportMessages';
import { exportName } from '../../../transcript/readable/transcriptExport';
import type { ExportScope } from '../core/export/sessionScope';
import type { WorkProgress } from '../../../store/slicedWork';
import type { Session } from '../../../transcript/session';
import { editorWorkNotice } from '../../../host/notifications/editorWorkNotice';
import { withProgressWhenLong } from '../../../host/notifications/longWork';
import { pickExport, type ExportChoice } from './exportPicks';
import { t } from '../../../base/translate';

type ExportRun = (
  store: string,
  request: ThreadRequest,
  signal: AbortSignal,
  onProgress: (progress: WorkProgress) => void,
) => Promise<ExportedFile>;

export interface ExportDeps {
  /** Folder of the store with the sessions. */
  readonly store: () => string;
  /** Writes a file in a thread. */
  readonly run: ExportRun;
  /** Folder for files on their way to a place that only the editor reaches. */
  readonly copies: string;
  readonly signingKey: () => Promise<string>;
  /** Notes the file, so that forgetting the sessions reaches it. */
  readonly noteExport: (path: string, sessionIds: readonly string[]) => void;
}

/** Parts of an export that belong to the machine, not to a store. */
export function windowExports(
  distFolder: string,
  { globalStorageUri, secrets }: Pick<vscode.ExtensionContext, 'globalStorageUri' | 'secrets'>,
): Pick<ExportDeps, 'run' | 'copies' | 'signingKey'> {
  const copies = join(globalStorageUri.fsPath, 'reading');
  const key = new SigningKey(secrets);
  return {
    run: (store, request, signal, onProgress) =>
      exportInThread(join(distFolder, 'exportWorker.js'), { store, copies, request }, { signal, onProgress }),
    copies,
    signingKey: () => key.get(),
  };
}

/** Asks for format, options and file, and writes the sessions there. */
export async function exportSessions(
  sessions: readonly Pick<Session, 'id' | 'title'>[],
  deps: ExportDeps,
): Promise<void> {
  const [only] = sessions;
  if (only === undefined) return;
  const name = sessions.length === 1 ? exportName(only) : t('Sessions');
  await exportScope(t('Export Session'), { kind: 'sessions', ids: sessions.map(({ id }) => id) }, name, deps);
}

/** As `exportSessions`, for every session of this folder. */
export async function exportAllSessions(deps: ExportDeps): Promise<void> {
  const name = exportName({ id: t('Sessions'), title: vscode.workspace.name ?? null });
  await exportScope(t('Export All Sessions'), { kind: 'all' }, name, deps);
}

async function exportScope(title: string, scope: ExportScope, name: string, deps: ExportDeps): Promise<void> {
  const choice = await pickExport(title);
  if (choice === null) return;
  const uri = await askFile(title, name, choice.format);
  if (uri === undefined) return;
  const evidence = choice.isSigned ? { privateKey: await deps.signingKey() } : null;
  const stopped = new GatewayError('stopped', t('Export was canceled. Nothing was written.'));
  const file = await withProgressWhenLong(
    { clock: systemClock, notice: editorWorkNotice },
    t('Exporting sessions…'),
    stopped,
    (signal, onProgress) =>
      writeTo(uri, deps, (path) =>
        deps.run(deps.store(), requestOf(choice, scope, path, evidence), signal, onProgress),
      ),
  );
  if (uri.scheme === 'file') deps.noteExport(uri.fsPath, file.sessionIds);
  await report(uri, choice, file);
}

function requestOf(
  { format, leftOut, masksSecrets }: ExportChoice,
  scope: ExportScope,
  path: string,
  evidence: ThreadRequest['evidence'],
): ThreadRequest {
  return { format, scope, path, leftOut, masksSecrets, evidence, language: vscode.env.language };
}

/** Writes to the chosen place. One that only the editor reaches gets a copy of the whole file. */
async function writeTo(
  uri: vscode.Uri,
  { copies }: Pick<ExportDeps, 'copies'>,
  write: (path: string) => Promise<ExportedFile>,
): Promise<ExportedFile> {
  if (uri.scheme === 'file') return write(uri.fsPath);
  const folder = join(copies, `export-${randomUUID()}`);
  await mkdir(folder, { recursive: true });
  try {
    const path = join(folder, basename(uri.path));
    const file = await write(path);
    const evidence = uri.with({ path: evidencePath(uri.path) });
    if (!file.hasEvidence) await removeEvidence(evidence);
    await vscode.workspace.fs.copy(vscode.Uri.file(path), uri, { overwrite: true });
    if (file.hasEvidence)
      await vscode.workspace.fs.copy(vscode.Uri.file(evidencePath(path)), evidence, { overwrite: true });
    return file;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes evidence of an earlier file. Leaves any other file that has this name. */
async function removeEvidence(uri: vscode.Uri): Promise<void> {
  const { fs } = vscode.workspace;
  const bytes = await Promise.resolve(fs.readFile(uri)).catch(() => null);
  if (bytes !== null && isEvidence(Buffer.from(bytes).toString('utf8'))) await fs.delete(uri);
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
  { sessions, maskedSecrets, hasEvidence }: ExportedFile,
): Promise<void> {
  const path = vscode.workspace.asRelativePath(uri);
  const sentences = [
    sessions === 1
      ? t('Session exported to {path}.', { path })
      : t('Sessions exported to {path}: {count}.', { path, count: String(sessions) }),
    ...(maskedSecrets === 0 ? [] : [t('Secrets masked: {count}.', { count: String(maskedSecrets) })]),
    ...(hasEvidence ? [t('Evidence: {path}.', { path: basename(evidencePath(uri.path)) })] : []),
  ];
  const open = t('Open');
  // The editor does not show databases.
  const buttons = format === 'hermes' ? [] : [open];
  if ((await vscode.window.showInformationMessage(sentences.join(' '), ...buttons)) !== open) return;
  if (format === 'html') await vscode.env.openExternal(uri);
  else await vscode.commands.executeCommand('vscode.open', uri);
}

const secretName = 'hermes.exportSigningKey';

/** Ed25519 key, PEM, that signs the evidence of exports. It is made when first needed, and kept in secret storage. */
export class SigningKey {
  private made: Promise<string> | null = null;

  constructor(private readonly secrets: Pick<vscode.SecretStorage, 'get' | 'store'>) {}

  get(): Promise<string> {
    return (this.made ??= this.readOrMake().catch((error: unknown) => {
      this.made = null;
      throw error;
    }));
  }

  private async readOrMake(): Promise<string> {
    const kept = await this.secrets.get(secretName);
    if (kept !== undefined) return kept;
    const { privateKey } = generateKeyPairSync('ed25519');
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    await this.secrets.store(secretName, key);
    // Another window may have stored its own meanwhile.
    return (await this.secrets.get(secretName)) ?? key;
  }
}
