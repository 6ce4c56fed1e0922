import type { Clock } from '../../../base/clock';
import * as vscode from 'vscode';
import { shownList, t } from '../../../base/translate';
import type { Log } from '../../../base/log';
import type { SessionSummary } from '../../../transcript/session';
import { describeError } from '../../../host/common/describeError';
import {
  ageLabels,
  sessionCount,
  factsOf,
  hoverText,
  titleText,
  folderName,
  folderPath,
} from '../../../host/library/sessionLabels';
import type { OtherRows } from '../../../host/library/sessionsTree';
import type { OtherFolder, OtherFolders } from './otherFolders';

const sessionLimit = 200;

type OtherFolderRow = { readonly kind: 'other' } & (
  | { readonly level: 'all' }
  | { readonly level: 'folder'; readonly folder: OtherFolder }
  | { readonly level: 'session'; readonly folder: OtherFolder; readonly session: SessionSummary }
  | { readonly level: 'note'; readonly sentence: string }
);

/** The group "Other Folders" of the sessions view: folders, and their sessions when one is expanded. */
export class OtherFolderRows implements OtherRows, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  private readonly listening: { dispose(): void };
  private folders: readonly OtherFolder[] = [];
  /** Cached rows below each folder: the view requests them again at every render. */
  private readonly below = new Map<string, Promise<OtherFolderRow[]>>();
  private reading: Promise<void> | null = null;
  /** Emitted when the list of folders has changed. */
  readonly onDidChange = this.changes.event;

  constructor(
    private readonly others: Pick<OtherFolders, 'list' | 'sessionsOf' | 'onDidChange'>,
    private readonly clock: Pick<Clock, 'now'>,
    readonly show: () => Promise<void>,
    private readonly log: Log,
  ) {
    this.listening = others.onDidChange(() => this.refresh());
  }

  /** The group's row. Empty when there are no folders. */
  get rows(): readonly OtherFolderRow[] {
    return this.folders.length === 0 ? [] : [{ kind: 'other', level: 'all' }];
  }

  /** Reads the list again. */
  refresh(): void {
    this.reading ??= this.read().finally(() => (this.reading = null));
  }

  async childrenOf(row: OtherFolderRow): Promise<OtherFolderRow[]> {
    if (row.level === 'all') return this.folders.map((folder) => ({ kind: 'other', level: 'folder', folder }));
    if (row.level !== 'folder') return [];
    const { folder } = row;
    if (folder.problem !== null) return [{ kind: 'other', level: 'note', sentence: folder.problem }];
    const known = this.below.get(folder.folder) ?? this.sessionsBelow(folder);
    this.below.set(folder.folder, known);
    return known;
  }

  itemOf(row: OtherFolderRow): vscode.TreeItem {
    switch (row.level) {
      case 'all': {
        const item = new vscode.TreeItem(t('Other Folders'), vscode.TreeItemCollapsibleState.Collapsed);
        item.id = 'other folders';
        item.contextValue = 'otherFolders';
        return item;
      }
      case 'folder':
        return this.folderItem(row.folder);
      case 'session':
        return this.sessionItem(row);
      case 'note': {
        const item = new vscode.TreeItem(row.sentence, vscode.TreeItemCollapsibleState.None);
        item.tooltip = row.sentence;
        item.iconPath = new vscode.ThemeIcon('warning');
        return item;
      }
      default:
        return row satisfies never;
    }
  }

  dispose(): void {
    this.listening.dispose();
    this.changes.dispose();
  }

  private async sessionsBelow(folder: OtherFolder): Promise<OtherFolderRow[]> {
    try {
      const sessions = await this.others.sessionsOf(folder.folder, sessionLimit);
      return sessions.map((session) => ({ kind: 'other', level: 'session', folder, session }));
    } catch (error) {
      this.below.delete(folder.folder);
      return [{ kind: 'other', level: 'note', sentence: describeError(error).sentence }];
    }
  }

  private folderItem(folder: OtherFolder): vscode.TreeItem {
    const item = new vscode.TreeItem(folderName(folder), vscode.TreeItemCollapsibleState.Collapsed);
    item.id = `other ${folder.folder}`;
    item.description = folderFacts(folder, this.clock.now());
    item.tooltip = [folderPath(folder), ...(folder.problem === null ? [] : [folder.problem])].join('\n');
    item.accessibilityInformation = { label: shownList([folderPath(folder), item.description]) };
    item.iconPath = new vscode.ThemeIcon(folder.problem === null ? 'folder' : 'warning');
    item.contextValue = folder.problem === null ? 'otherFolder readable' : 'otherFolder';
    return item;
  }

  private sessionItem(row: OtherFolderRow & { readonly level: 'session' }): vscode.TreeItem {
    const { session, folder } = row;
    const item = new vscode.TreeItem(titleText(session), vscode.TreeItemCollapsibleState.None);
    item.id = `other ${folder.folder} ${session.conversationId}`;
    item.description = factsOf(session, this.clock.now()).join(' · ');
    item.tooltip = hoverText(session);
    item.accessibilityInformation = {
      label: shownList([titleText(session), ...factsOf(session, this.clock.now()), folderName(folder)]),
    };
    item.iconPath = new vscode.ThemeIcon('comment');
    item.contextValue = 'otherSession';
    item.command = { command: 'hermes.openOtherSession', title: t('Open Transcript'), arguments: [row] };
    return item;
  }

  private async read(): Promise<void> {
    try {
      const found = await this.others.list();
      const isSame = JSON.stringify(found) === JSON.stringify(this.folders);
      if (isSame) return;
      this.folders = found;
      this.below.clear();
      this.changes.fire();
    } catch (error) {
      this.log.warn(`Sessions of other folders could not be looked for: ${describeError(error).sentence}`);
    }
  }
}

/** Text after the name of a folder. */
export function folderFacts(store: OtherFolder, now: number): string {
  const facts = [
    store.problem === null ? sessionCount(store.sessions) : t('couldn’t be read'),
    ageLabels(store.lastActiveAt, now),
    ...(store.inUse ? [t('open in another window')] : []),
    ...((store.broughtAt ?? 0) >= store.lastActiveAt ? [t('copied')] : []),
  ];
  return facts.join(' · ');
}
