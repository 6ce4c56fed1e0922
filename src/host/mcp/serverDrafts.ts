import * as vscode from 'vscode';
import type { ServerDefinition, ServerSource } from '../../tools/mcp/serverDefinition';
import { readServerFile, readServerSetting, type ServerFile } from '../../tools/mcp/serverFile';
import { fileWithServer, type Insertion, settingWithServer } from '../../tools/mcp/serverInsertion';
import type { ServerEntry } from '../../tools/mcp/typedServer';
import { fileIn, settingName, shownFile } from './serverFiles';

/** A new server as its place would define it, and what saves it there. */
export type ServerDraft =
  | { readonly kind: 'draft'; readonly definition: ServerDefinition; readonly save: () => Promise<void> }
  | { readonly kind: 'unusable'; readonly sentence: string };

/** A place that can define a new server. */
export interface DraftPlace {
  readonly label: string;
  readonly detail: string;
  readonly draft: (name: string, entry: ServerEntry) => Promise<ServerDraft>;
}

/** Folders whose servers can run: those on disk. */
export function serverFolders(): readonly vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
}

/** Returns the places for a new server: the file of each open folder, and the user's settings. */
export function draftPlaces(): readonly DraftPlace[] {
  const folders = serverFolders();
  return [
    ...folders.map((folder) => ({
      label:
        folders.length === 1 ? vscode.l10n.t('This Folder') : vscode.l10n.t('Folder {name}', { name: folder.name }),
      detail: vscode.l10n.t('In {file}, for everyone who uses the folder.', { file: shownFile(folder) }),
      draft: (name: string, entry: ServerEntry) => draftInFolder(folder, name, entry),
    })),
    {
      label: vscode.l10n.t('All Folders'),
      detail: vscode.l10n.t('In your settings ({setting}).', { setting: settingName }),
      draft: async (name, entry) => draftInSettings(name, entry),
    },
  ];
}

/** Opens the file of a folder, and creates it if it is missing. */
export async function openServerFile(folder: vscode.WorkspaceFolder): Promise<void> {
  const file = fileIn(folder);
  if ((await contentOf(file)) === null) await write(file, '{\n  "servers": {}\n}\n');
  await vscode.window.showTextDocument(file);
}

async function draftInFolder(folder: vscode.WorkspaceFolder, name: string, entry: ServerEntry): Promise<ServerDraft> {
  const [file, shown] = [fileIn(folder), shownFile(folder)];
  if (vscode.workspace.textDocuments.some(({ uri, isDirty }) => isDirty && uri.toString() === file.toString()))
    return {
      kind: 'unusable',
      sentence: vscode.l10n.t('{file} has unsaved changes. Save it, then add the server again.', { file: shown }),
    };
  const source: ServerSource = { kind: 'folder', folder: folder.uri.fsPath, file: shown };
  return drafted(fileWithServer((await contentOf(file)) ?? '', name, entry), name, shown, {
    read: (content) => readServerFile(content, source, shown),
    save: (content) => write(file, content),
  });
}

function draftInSettings(name: string, entry: ServerEntry): ServerDraft {
  const value: unknown = vscode.workspace.getConfiguration().inspect(settingName)?.globalValue;
  return drafted(settingWithServer(value, name, entry), name, settingName, {
    read: readServerSetting,
    save: async (changed) => {
      await vscode.workspace.getConfiguration().update(settingName, changed, vscode.ConfigurationTarget.Global);
    },
  });
}

/** Reads the server from the changed content: other parts of a file may concern it too. */
function drafted<T>(
  insertion: Insertion<T>,
  name: string,
  place: string,
  { read, save }: { readonly read: (content: T) => ServerFile; readonly save: (content: T) => Promise<void> },
): ServerDraft {
  if (insertion.kind === 'taken')
    return {
      kind: 'unusable',
      sentence: vscode.l10n.t('{place} already has an MCP server “{name}”. Choose another name.', { place, name }),
    };
  const content = insertion.kind === 'inserted' ? insertion.value : null;
  const definition = content === null ? undefined : read(content).servers.find((server) => server.name === name);
  return content === null || definition === undefined
    ? {
        kind: 'unusable',
        sentence: vscode.l10n.t('{place} can’t be read. Correct it, then add the server again.', { place }),
      }
    : { kind: 'draft', definition, save: () => save(content) };
}

async function contentOf(file: vscode.Uri): Promise<string | null> {
  const bytes = await Promise.resolve(vscode.workspace.fs.readFile(file)).catch(() => null);
  return bytes === null ? null : new TextDecoder().decode(bytes);
}

async function write(file: vscode.Uri, content: string): Promise<void> {
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(content));
}
