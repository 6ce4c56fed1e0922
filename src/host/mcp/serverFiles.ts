import { basename } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { ServerDefinition } from '../../tools/mcp/serverDefinition';
import { readServerFile, readServerSetting, type ServerFile } from '../../tools/mcp/serverFile';

const settingName = 'hermes.mcp.servers';

/** A problem, and where it can be corrected: the file, or null for the settings. */
export interface ServerProblem {
  readonly sentence: string;
  readonly file: string | null;
}

export interface WrittenServers {
  readonly definitions: readonly ServerDefinition[];
  readonly problems: readonly ServerProblem[];
}

/** Every server that the person's settings and the open folders define. A name counts once: the person's own settings first, so that a repository
 *  cannot put itself in the place of a server they know. */
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
          sentence: vscode.l10n.t(
            'The MCP server “{name}” in {file} is ignored because another server has the same name.',
            {
              name: server.name,
              file: file ?? settingName,
            },
          ),
          file,
        });
    }
  }
  return { definitions, problems };
}

/** Calls back when what `readWrittenServers` reads may say something else. */
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

/** Only what the person set for themselves counts. */
function readSetting(): ServerFile {
  return readServerSetting(vscode.workspace.getConfiguration().inspect(settingName)?.globalValue);
}

async function readFolder({ uri, name }: vscode.WorkspaceFolder): Promise<ServerFile & { readonly file: string }> {
  const file = vscode.Uri.joinPath(uri, '.vscode', 'mcp.json');
  const several = (vscode.workspace.workspaceFolders ?? []).length > 1;
  const shown = several ? `${name}/.vscode/mcp.json` : '.vscode/mcp.json';
  // Programs are started on disk: a folder that is not there has nowhere to start them.
  if (uri.scheme !== 'file') return { servers: [], problems: [], file: file.toString() };
  const bytes = await Promise.resolve(vscode.workspace.fs.readFile(file)).catch(() => null);
  const read =
    bytes === null
      ? { servers: [], problems: [] }
      : readServerFile(new TextDecoder().decode(bytes), { kind: 'folder', folder: uri.fsPath, file: shown }, shown);
  return { ...read, file: file.toString() };
}

/** Where it is written down, in words. */
export function fileOf({ source }: ServerDefinition): string {
  return source.kind === 'settings' ? vscode.l10n.t('your settings') : source.file;
}

/** Open folders by their names; the first of two with the same name. */
export function openFolders(): ReadonlyMap<string, string> {
  const folders = new Map<string, string>();
  for (const { name, uri } of vscode.workspace.workspaceFolders ?? []) {
    for (const each of [name, basename(uri.fsPath)])
      if (uri.scheme === 'file' && !folders.has(each)) folders.set(each, uri.fsPath);
  }
  return folders;
}
