import { basename } from 'node:path';
import * as vscode from 'vscode';
import { Owner } from '../../base/disposable';
import { t } from '../../base/translate';
import type { StoreNotice } from '../../protocol/chatProtocol';
import type { StoreStatus } from '../storage/storeStatus';
import { type WorkspaceOverride, workspaceOverrides } from './settings';
import type { SettingsWatcher } from './settingsWatcher';

/** Shows in the chat which settings have no effect, and why: unreadable values, and settings that a workspace may
 *  not set. */
export class SettingsNotices extends Owner {
  constructor(
    private readonly settings: Pick<SettingsWatcher, 'problems' | 'onDidChange'>,
    private readonly storeStatus: Pick<StoreStatus, 'setNotices'>,
  ) {
    super();
    this.lifetime.register(settings.onDidChange(() => this.notifyProblems()));
    this.lifetime.register(onDidChangeWorkspaceSettings(() => void this.notifyOverrides()));
    this.notifyProblems();
    void this.notifyOverrides();
  }

  private notifyProblems(): void {
    this.storeStatus.setNotices(
      'settings',
      this.settings.problems.map(({ setting, sentence }) => ({
        sentence,
        actions: [{ action: `openSettings:${setting}`, label: t('Open Settings') }],
      })),
    );
  }

  private async notifyOverrides(): Promise<void> {
    const overrides = await readWorkspaceOverrides();
    if (!this.lifetime.isDisposed)
      this.storeStatus.setNotices(
        'workspace settings',
        overrides.map((override) => overrideNotice(override)),
      );
  }
}

function overrideNotice({ setting, file }: WorkspaceOverride): StoreNotice {
  return {
    sentence: t(
      '{file} sets `{setting}`, but Hermes ignores it: a workspace can’t decide where prompts, keys, or sessions go. To use it, add it to your user settings.',
      { file, setting },
    ),
    actions: [{ action: `openUserSettings:${setting}`, label: t('Open User Settings') }],
  };
}

/** Reads the settings files of the open workspace for settings that a workspace cannot set. A missing file sets
 *  nothing. */
async function readWorkspaceOverrides(): Promise<readonly WorkspaceOverride[]> {
  const found = await Promise.all(
    settingsFiles().map(async ({ uri, name }) => workspaceOverrides(name, await readText(uri))),
  );
  return found.flat();
}

/** Calls the listener when settings of the workspace were written, or folders were opened or closed. */
function onDidChangeWorkspaceSettings(listener: () => void): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher('**/{.vscode/settings.json,*.code-workspace}');
  return vscode.Disposable.from(
    watcher,
    watcher.onDidChange(listener),
    watcher.onDidCreate(listener),
    watcher.onDidDelete(listener),
    vscode.workspace.onDidChangeWorkspaceFolders(listener),
  );
}

function settingsFiles(): readonly { readonly uri: vscode.Uri; readonly name: string }[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const several = folders.length > 1;
  const perFolder = folders.map((folder) => ({
    uri: vscode.Uri.joinPath(folder.uri, '.vscode', 'settings.json'),
    name: several ? `${folder.name}/.vscode/settings.json` : '.vscode/settings.json',
  }));
  const workspaceFile = vscode.workspace.workspaceFile;
  const saved =
    workspaceFile === undefined || workspaceFile.scheme === 'untitled'
      ? []
      : [{ uri: workspaceFile, name: basename(workspaceFile.path) }];
  return [...perFolder, ...saved];
}

async function readText(uri: vscode.Uri): Promise<string> {
  const bytes = await Promise.resolve(vscode.workspace.fs.readFile(uri)).catch(() => new Uint8Array());
  return new TextDecoder().decode(bytes);
}
