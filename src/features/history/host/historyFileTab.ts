import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Disposable } from '../../../base/disposable';
import { t } from '../../../base/translate';
import type { ExportedConversation } from '../core/import/importing';
import { messageCount, ageLabels } from '../../../host/library/sessionLabels';
import type { ShownCopy, TranscriptFile } from '../../../host/library/transcripts';
import { HistoryFile, type ReadFile } from './historyFile';
import type { HistoryServices } from './historyServices';
import type { SessionImports } from './importSessions';
import type { ShownFileSessions } from './shownFileSessions';

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
