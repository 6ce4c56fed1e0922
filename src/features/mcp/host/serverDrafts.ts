import { isJsonObject } from '../../../transcript/json';
import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import { errorMessage } from '../../../base/errorMessage';
import type { ServerDefinition, ServerSource } from '../core/serverDefinition';
import { readServerFile, readServerSetting, type ServerFile } from '../core/serverFile';
import type { ServerEntry } from '../core/typedServer';
import { contentOf, fileIn, settingName, shownFile } from './serverFiles';
import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser';

/** A new server as its place would define it. `save` adds it to the content that the place has by then, and rejects
 *  with an `Error` whose message is a sentence for the user. */
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
      label: folders.length === 1 ? t('This Folder') : t('Folder {name}', { name: folder.name }),
      detail: t('In {file}, for everyone who uses the folder.', { file: shownFile(folder) }),
      draft: (name: string, entry: ServerEntry) => draftInFolder(folder, name, entry),
    })),
    {
      label: t('All Folders'),
      detail: t('In your settings ({setting}).', { setting: settingName }),
      draft: (name, entry) => draftInSettings(name, entry),
    },
  ];
}

/** Opens the file of a folder, and creates it if it is missing. */
export async function openServerFile(folder: vscode.WorkspaceFolder): Promise<void> {
  const file = fileIn(folder);
  if ((await contentOf(file, shownFile(folder))) === null) await write(file, '{\n  "servers": {}\n}\n');
  await vscode.window.showTextDocument(file);
}

async function draftInFolder(folder: vscode.WorkspaceFolder, name: string, entry: ServerEntry): Promise<ServerDraft> {
  const [file, shown] = [fileIn(folder), shownFile(folder)];
  const source: ServerSource = { kind: 'folder', folder: folder.uri.fsPath, file: shown };
  return drafted(name, shown, {
    insert: async () => {
      const isOpenUnsaved = ({ uri, isDirty }: vscode.TextDocument): boolean =>
        isDirty && uri.toString() === file.toString();
      if (vscode.workspace.textDocuments.some(isOpenUnsaved)) return { kind: 'unsaved' };
      return fileWithServer((await contentOf(file, shown)) ?? '', name, entry);
    },
    read: (content) => readServerFile(content, source, shown),
    save: (content) => write(file, content),
  });
}

async function draftInSettings(name: string, entry: ServerEntry): Promise<ServerDraft> {
  return drafted(name, settingName, {
    insert: async () =>
      settingWithServer(vscode.workspace.getConfiguration().inspect(settingName)?.globalValue, name, entry),
    read: readServerSetting,
    save: async (changed) => {
      await vscode.workspace.getConfiguration().update(settingName, changed, vscode.ConfigurationTarget.Global);
    },
  });
}

/** `insert`: returns the place's present content with the server added. */
interface Place<T> {
  readonly insert: () => Promise<Insertion<T> | { readonly kind: 'unsaved' }>;
  readonly read: (content: T) => ServerFile;
  readonly save: (content: T) => Promise<void>;
}

/** Reads the server from the changed content: other parts of a file may concern it too. */
async function drafted<T>(name: string, shown: string, place: Place<T>): Promise<ServerDraft> {
  const changed = async (): Promise<{ readonly content: T; readonly definition: ServerDefinition }> => {
    const insertion = await place.insert();
    if (insertion.kind !== 'inserted') throw new Error(reasonNotInserted(insertion.kind, name, shown));
    const definition = place.read(insertion.value).servers.find((server) => server.name === name);
    if (definition === undefined) throw new Error(reasonNotInserted('unreadable', name, shown));
    return { content: insertion.value, definition };
  };
  const save = async (): Promise<void> => {
    // The user may have edited the place while the server was tested.
    const { content } = await changed();
    await place.save(content).catch((cause: unknown) => {
      throw new Error(t('{place} can’t be saved: {reason}', { place: shown, reason: errorMessage(cause) }), { cause });
    });
  };
  try {
    return { kind: 'draft', definition: (await changed()).definition, save };
  } catch (error) {
    return { kind: 'unusable', sentence: errorMessage(error) };
  }
}

function reasonNotInserted(kind: 'taken' | 'unreadable' | 'unsaved', name: string, place: string): string {
  switch (kind) {
    case 'taken':
      return t('{place} already has an MCP server “{name}”. Choose another name.', { place, name });
    case 'unsaved':
      return t('{file} has unsaved changes. Save it, then add the server again.', { file: place });
    case 'unreadable':
      return t('{place} can’t be read. Correct it, then add the server again.', { place });
  }
}

async function write(file: vscode.Uri, content: string): Promise<void> {
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(content));
}

/** taken: it defines a server with this name. unreadable: it is not an object with "servers". */
export type Insertion<T> = { readonly kind: 'inserted'; readonly value: T } | { readonly kind: 'taken' | 'unreadable' };

/** Adds a server to the content of an `mcp.json`. Keeps comments and everything else. */
export function fileWithServer(content: string, name: string, entry: ServerEntry): Insertion<string> {
  const errors: ParseError[] = [];
  const value: unknown = parse(content, errors, { allowTrailingComma: true, allowEmptyContent: true });
  if (errors.length > 0 || (value !== undefined && !isJsonObject(value))) return { kind: 'unreadable' };
  if (value === undefined)
    return { kind: 'inserted', value: `${JSON.stringify({ servers: { [name]: entry } }, null, 2)}\n` };
  if (value.servers !== undefined && !isJsonObject(value.servers)) return { kind: 'unreadable' };
  if (value.servers !== undefined && Object.hasOwn(value.servers, name)) return { kind: 'taken' };
  const indent = /^([ \t]+)\S/m.exec(content)?.[1] ?? '  ';
  const formattingOptions = { insertSpaces: !indent.startsWith('\t'), tabSize: indent.length, eol: '\n' };
  return {
    kind: 'inserted',
    value: applyEdits(content, modify(content, ['servers', name], entry, { formattingOptions })),
  };
}

/** Adds a server to the value of the setting, in the shape that it has: with "servers", or only the servers. */
export function settingWithServer(
  value: unknown,
  name: string,
  entry: ServerEntry,
): Insertion<Readonly<Record<string, unknown>>> {
  const added = { [name]: entry };
  if (value === undefined || value === null) return { kind: 'inserted', value: { servers: added } };
  if (!isJsonObject(value) || (value.servers !== undefined && !isJsonObject(value.servers)))
    return { kind: 'unreadable' };
  const isBare = value.servers === undefined && Object.keys(value).some((key) => key !== 'inputs');
  const servers = isBare ? value : (value.servers ?? {});
  if (Object.hasOwn(servers, name)) return { kind: 'taken' };
  return {
    kind: 'inserted',
    value: isBare ? { ...value, ...added } : { ...value, servers: { ...servers, ...added } },
  };
}
