import * as vscode from 'vscode';
import * as v from 'valibot';
import { t } from '../../../base/translate';
import type { CommandTable } from '../../../host/common/commands';
import type { KeptValues } from '../../../tools/programTrust';
import type { HistoryServices } from './historyServices';
import type { SessionImports } from './importSessions';
import { basename } from 'node:path';
import type { Disposable } from '../../../base/disposable';
import type { ExportedConversation } from '../core/import/importing';
import { messageCount, ageLabels } from '../../../host/library/sessionLabels';
import type { ShownCopy, TranscriptFile } from '../../../host/library/transcripts';
import { HistoryFile, type ReadFile } from './historyFile';

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

const key = 'history.fileTabs';
const keptTabs = v.record(v.string(), v.string());

/** Remembers across a window reload which session of a file its tab shows. Files by their address. */
export class ShownFileSessions {
  constructor(private readonly memory: KeptValues) {}

  /** Null: not known. */
  of(file: string): string | null {
    return this.kept()[file] ?? null;
  }

  async shows(file: string, sessionId: string): Promise<void> {
    const kept = this.kept();
    if (kept[file] !== sessionId) await this.memory.update(key, { ...kept, [file]: sessionId });
  }

  async closed(file: string): Promise<void> {
    const others = Object.entries(this.kept()).filter(([each]) => each !== file);
    await this.memory.update(key, Object.fromEntries(others));
  }

  private kept(): Readonly<Record<string, string>> {
    const kept = v.safeParse(keptTabs, this.memory.get(key));
    return kept.success ? kept.output : {};
  }
}

/** A tab that shows the sessions of a file, one at a time, as transcripts. */
export class HistoryFileTab implements TranscriptFile, Disposable {
  private readonly file: HistoryFile;
  private readonly surface: ShownCopy | undefined;
  private latest: ReadFile | null = null;
  private choosing: Promise<string> | null = null;

  constructor(
    private readonly uri: vscode.Uri,
    panel: vscode.WebviewPanel,
    private readonly services: HistoryServices,
    /** Imports sessions of files, as far as the user chooses them. */
    private readonly imports: Pick<SessionImports, 'run'>,
    private readonly memory: ShownFileSessions,
  ) {
    this.file = new HistoryFile(uri, services);
    this.surface = services.transcripts.current?.showCopy(panel, {
      sessions: this.file.store,
      shown: memory.of(this.address) ?? '',
      place: basename(uri.fsPath),
      file: this,
      onSession: (session) => void memory.shows(this.address, session.id),
    });
  }

  state(): ReturnType<TranscriptFile['state']> {
    return { sessions: this.latest?.conversations.length ?? 0, readAt: this.latest?.readAt ?? null };
  }

  /** Asks the user when the file has several sessions and none of them is shown yet. */
  async sessionToShow(shown: string): Promise<string> {
    this.latest = null;
    const read = await this.file.read();
    this.latest = read;
    const { conversations } = read;
    if (conversations.some(({ sessionIds }) => sessionIds.includes(shown))) return shown;
    this.choosing ??= this.choose(conversations)
      .then((chosen) => chosen ?? conversations[0]?.newestId ?? '')
      .finally(() => (this.choosing = null));
    return this.choosing;
  }

  async act(action: Parameters<TranscriptFile['act']>[0]): Promise<void> {
    switch (action) {
      case 'import':
        return this.imports.run([this.uri.fsPath]).catch(this.services.failed('importSessions'));
      case 'chooseSession': {
        const chosen = await this.choose((await this.file.read()).conversations);
        return chosen === null ? undefined : this.surface?.show(chosen);
      }
      case 'reload':
        return this.file.forget();
      case 'openAsText':
        return void (await vscode.commands.executeCommand('vscode.openWith', this.uri, 'default'));
      default:
        return action satisfies never;
    }
  }

  /** Called when the user closed the tab. */
  closed(): void {
    void this.memory.closed(this.address);
    this.dispose();
  }

  dispose(): void {
    this.surface?.dispose();
    this.file.dispose();
  }

  private get address(): string {
    return this.uri.toString();
  }

  /** Null when the user cancels. A single session needs no choice. */
  private async choose(conversations: readonly ExportedConversation[]): Promise<string | null> {
    const [first] = conversations;
    if (first !== undefined && conversations.length === 1) return first.newestId;
    const now = this.services.clock.now();
    const items = conversations.map(({ title, lastActiveAt, messages, newestId }) => ({
      label: title ?? t('Untitled Session'),
      description: [ageLabels(lastActiveAt, now), messageCount(messages)].join(' · '),
      newestId,
    }));
    const chosen = await vscode.window.showQuickPick(items, {
      title: t('Sessions in {folder}', { folder: basename(this.uri.fsPath) }),
      placeHolder: t('Choose a session to read'),
      matchOnDescription: true,
    });
    return chosen?.newestId ?? null;
  }
}
