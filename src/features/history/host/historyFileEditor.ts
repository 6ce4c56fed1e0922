import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import type { CommandTable } from '../../../host/common/commands';
import type { KeptValues } from '../../../tools/programTrust';
import { HistoryFileTab, ShownFileSessions } from './historyFileTab';
import type { HistoryServices } from './historyServices';
import type { SessionImports } from './importSessions';

export const historyFileViewType = 'hermes.historyFile';

/** Editor for files with sessions: shows them as transcripts, read-only. The editor offers it beside others, and
 *  restores its tabs after a window reload. */
export class HistoryFileEditor implements vscode.CustomReadonlyEditorProvider, vscode.Disposable {
  private readonly tabs = new Set<HistoryFileTab>();

  private readonly memory: ShownFileSessions;

  constructor(
    private readonly services: HistoryServices,
    private readonly imports: Pick<SessionImports, 'run'>,
    workspaceState: KeptValues,
  ) {
    this.memory = new ShownFileSessions(workspaceState);
  }

  get commands(): CommandTable {
    return { openHistoryFile: () => this.open() };
  }

  /** The file is read when the tab's page asks for its sessions, so that it can show why that failed. */
  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => undefined };
  }

  resolveCustomEditor({ uri }: vscode.CustomDocument, panel: vscode.WebviewPanel): void {
    const tab = new HistoryFileTab(uri, panel, this.services, this.imports, this.memory);
    this.tabs.add(tab);
    panel.onDidDispose(() => {
      if (this.tabs.delete(tab)) tab.closed();
    });
  }

  /** Keeps the tabs open: they are filled again after the window reloads. */
  dispose(): void {
    for (const tab of this.tabs) tab.dispose();
    this.tabs.clear();
  }

  private async open(): Promise<void> {
    const [file] =
      (await vscode.window.showOpenDialog({
        filters: { [t('Sessions')]: ['json', 'jsonl', 'db', 'zst'], [t('All Files')]: ['*'] },
      })) ?? [];
    if (file !== undefined) await vscode.commands.executeCommand('vscode.openWith', file, historyFileViewType);
  }
}
