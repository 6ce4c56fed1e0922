import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/disposable';
import { errorMessage } from '../../../base/errorMessage';
import { notAFile } from '../../../base/notAFile';
import { t } from '../../../base/translate';
import { isMissingFile } from '../../../host/workspace/editorPaths';
import type { ServerDefinition, ServerSource } from '../core/serverDefinition';
import { readCodexFile, readServerFile, readServerSetting, type ServerFile } from '../core/serverFile';

export const settingName = 'hermes.mcp.servers';
/** Files of a folder, the editor's own first. */
const folderFiles = ['.vscode/mcp.json', '.mcp.json'] as const;
/** Files of other agents in the user's home. Their servers are offered once, and start when the user trusts them. */
const agentFiles = ['.claude.json', '.copilot/mcp-config.json', '.codex/config.toml', '.cursor/mcp.json'];

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
  const folders = vscode.workspace.workspaceFolders ?? [];
  const files = [
    ...(await Promise.all(folderFiles.flatMap((name) => folders.map((folder) => readFolder(folder, name))))),
    ...(await Promise.all(agentFiles.map(readAgentFile))),
  ];
  const definitions: ServerDefinition[] = [];
  const problems: ServerProblem[] = [];
  for (const { file, servers, problems: sentences } of [{ file: null, ...readSetting() }, ...files]) {
    problems.push(...sentences.map((sentence) => ({ sentence, file })));
    for (const server of servers) {
      if (definitions.every(({ name }) => name !== server.name)) definitions.push(server);
      // The same server in several of the user's files is no problem.
      else if (server.source.kind !== 'agent')
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
  const watcher = lifetime.register(vscode.workspace.createFileSystemWatcher('**/{.vscode/mcp.json,.mcp.json}'));
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
export function shownFile({ name }: vscode.WorkspaceFolder, file: string = folderFiles[0]): string {
  const several = (vscode.workspace.workspaceFolders ?? []).length > 1;
  return several ? `${name}/${file}` : file;
}

async function readAgentFile(name: string): Promise<ServerFile & { readonly file: string }> {
  const [uri, shown] = [vscode.Uri.file(join(homedir(), name)), `~/${name}`];
  // A file that cannot be read is the other agent's to report.
  const content = await contentOf(uri, shown).catch(() => null);
  const source: ServerSource = { kind: 'agent', path: uri.fsPath, file: shown };
  const read = name.endsWith('.toml') ? readCodexFile : readServerFile;
  const { servers } = content === null ? { servers: [] } : await read(content, source, shown);
  return { servers, problems: [], file: uri.toString() };
}

/** The file that defines the server. Null: the settings. */
export function definingFile({ source }: ServerDefinition): vscode.Uri | null {
  if (source.kind === 'settings') return null;
  if (source.kind === 'agent') return vscode.Uri.file(source.path);
  const name = folderFiles.find((each) => source.file.endsWith(each)) ?? folderFiles[0];
  return fileIn({ uri: vscode.Uri.file(source.folder) }, name);
}

export function fileIn(
  { uri }: Pick<vscode.WorkspaceFolder, 'uri'>,
  name: (typeof folderFiles)[number] = folderFiles[0],
): vscode.Uri {
  return vscode.Uri.joinPath(uri, ...name.split('/'));
}

async function readFolder(
  folder: vscode.WorkspaceFolder,
  name: (typeof folderFiles)[number],
): Promise<ServerFile & { readonly file: string }> {
  const [file, shown] = [fileIn(folder, name), shownFile(folder, name)];
  // Programs start in a folder on disk; a folder that is not on disk cannot start them.
  if (folder.uri.scheme !== 'file') return { servers: [], problems: [], file: file.toString() };
  try {
    const content = await contentOf(file, shown);
    const source: ServerSource = { kind: 'folder', folder: folder.uri.fsPath, file: shown };
    const read = content === null ? { servers: [], problems: [] } : readServerFile(content, source, shown);
    return { ...read, file: file.toString() };
  } catch (error) {
    return { servers: [], problems: [errorMessage(error)], file: file.toString() };
  }
}

/** Null: there is no such file. Rejects with a sentence for the user when it exists and can’t be read. */
export async function contentOf(file: vscode.Uri, shown: string): Promise<string | null> {
  try {
    if (((await vscode.workspace.fs.stat(file)).type & vscode.FileType.File) === 0) throw new Error(notAFile(shown));
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
