import { basename } from 'node:path';
import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { errorMessage } from '../../base/errorMessage';
import type { ServerDefinition, ServerSource } from '../../tools/mcp/serverDefinition';
import { readServerFile, readServerSetting, type ServerFile } from '../../tools/mcp/serverFile';
import { isMissingFile } from '../workspace/missingFile';

export const settingName = 'hermes.mcp.servers';

/** A problem, and the file in which to correct it. Null: the settings. */
export interface ServerProblem {
  readonly sentence: string;
  readonly file: string | null;
}

interface WrittenServers {
  readonly definitions: readonly ServerDefinition[];
  readonly problems: readonly ServerProblem[];
}

/** Reads every server that the user's settings and the open folders define. Each name counts once, the user's own
 *  settings first, so that a repository cannot replace a server that the user knows. */
export async function readWrittenServers(): Promise<WrittenServers> {
  const files = await Promise.all((vscode.workspace.workspaceFolders ?? []).map(readFolder));
  const definitions: ServerDefinition[] = [];
  const problems: ServerProblem[] = [];
  for (const { file, servers, problems: sentences } of [{ file: null, ...readSetting() }, ...files]) {
    problems.push(...sentences.map((sentence) => ({ sentence, file })));
    for (const server of servers) {
      if (definitions.every(({ name }) => name !== server.name)) definitions.push(server);
      else
        problems.push({
          sentence: t('The MCP server “{name}” in {file} is ignored because another server has the same name.', {
            name: server.name,
            file: file ?? settingName,
          }),
          file,
        });
    }
  }
  return { definitions, problems };
}

/** Calls back when the result of `readWrittenServers` may have changed. */
export function watchWrittenServers(changed: () => void): Disposable {
  const lifetime = new DisposableStore();
  const watcher = lifetime.register(vscode.workspace.createFileSystemWatcher('**/.vscode/mcp.json'));
  for (const event of [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete])
    lifetime.register(event(changed));
  lifetime.register(vscode.workspace.onDidChangeWorkspaceFolders(changed));
  lifetime.register(vscode.workspace.onDidGrantWorkspaceTrust(changed));
  lifetime.register(
    vscode.workspace.onDidChangeConfiguration((event) =>
      event.affectsConfiguration(settingName) ? changed() : undefined,
    ),
  );
  return lifetime;
}

/** Reads only the user's own settings. */
function readSetting(): ServerFile {
  return readServerSetting(vscode.workspace.getConfiguration().inspect(settingName)?.globalValue);
}

/** Place where a server of a folder is defined, as users see it. */
export function shownFile({ name }: vscode.WorkspaceFolder): string {
  const several = (vscode.workspace.workspaceFolders ?? []).length > 1;
  return several ? `${name}/.vscode/mcp.json` : '.vscode/mcp.json';
}

export function fileIn({ uri }: vscode.WorkspaceFolder): vscode.Uri {
  return vscode.Uri.joinPath(uri, '.vscode', 'mcp.json');
}

async function readFolder(each: vscode.WorkspaceFolder): Promise<ServerFile & { readonly file: string }> {
  const { uri } = each;
  const [file, shown] = [fileIn(each), shownFile(each)];
  // Programs start in a folder on disk; a folder that is not on disk cannot start them.
  if (uri.scheme !== 'file') return { servers: [], problems: [], file: file.toString() };
  try {
    const content = await contentOf(file, shown);
    const source: ServerSource = { kind: 'folder', folder: uri.fsPath, file: shown };
    const read = content === null ? { servers: [], problems: [] } : readServerFile(content, source, shown);
    return { ...read, file: file.toString() };
  } catch (error) {
    return { servers: [], problems: [errorMessage(error)], file: file.toString() };
  }
}

/** Null: there is no such file. Rejects with a sentence for the user when it exists and can’t be read. */
export async function contentOf(file: vscode.Uri, shown: string): Promise<string | null> {
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  } catch (error) {
    if (isMissingFile(error)) return null;
    throw new Error(t('{file} can’t be read: {reason}', { file: shown, reason: errorMessage(error) }), {
      cause: error,
    });
  }
}

/** Describes where the server is defined. */
export function fileOf({ source }: ServerDefinition): string {
  return source.kind === 'settings' ? t('your settings') : source.file;
}

/** Open folders by name. Of two with the same name, the first. */
export function openFolders(): ReadonlyMap<string, string> {
  const folders = new Map<string, string>();
  for (const { name, uri } of vscode.workspace.workspaceFolders ?? []) {
    for (const each of [name, basename(uri.fsPath)])
      if (uri.scheme === 'file' && !folders.has(each)) folders.set(each, uri.fsPath);
  }
  return folders;
}
