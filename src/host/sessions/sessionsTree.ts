import * as vscode from 'vscode';
import type { Clock } from '../../base/clock';
import type { Translate } from '../../base/translate';
import type { SessionSummary } from '../../transcript/session';
import {
  type GroupKind,
  secondsToMidnight,
  sessionGroups,
  type SessionEntry,
  type SessionGroup,
} from './sessionGroups';
import { fromRow } from './sessionCommands';
import type { OtherFolderRow, OtherFolderRows } from '../otherFolders/otherFolderRows';
import { DeferredRefresh } from './deferredRefresh';
import { RowSelection } from './rowSelection';
import type { ListName, SessionListing } from './sessionListing';
import {
  factsOf,
  groupWords,
  hoverWords,
  type SessionMark,
  sessionMarks,
  spokenWords,
  titleWords,
  type WordContext,
} from './sessionLabels';

export const sessionsViewId = 'hermes.sessions';
/** Seconds between refreshes of the ages, which are shown in minutes. */
const ageSeconds = 60;

/** Last row of a list that has more sessions. */
interface MoreRow {
  readonly kind: 'more';
  readonly group: GroupKind;
}
export type SessionsRow = SessionGroup | SessionEntry | MoreRow | OtherFolderRow;

export interface SessionsTreeNeeds {
  readonly listing: SessionListing;
  readonly clock: Clock;
  /** Session that the chat shows. */
  readonly shown: () => string | null;
  /** The last group. */
  readonly others: Pick<OtherFolderRows, 'rows' | 'refresh' | 'childrenOf' | 'itemOf' | 'onDidChange'>;
  readonly t: Translate;
}

/** The sessions view: groups, sessions, and branches below their origins. Renders the contents of the listing. */
export class SessionsTree implements vscode.TreeDataProvider<SessionsRow>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<undefined>();
  private readonly view: vscode.TreeView<SessionsRow>;
  private readonly listening: { dispose(): void };
  private readonly selection = new RowSelection();
  private readonly rest = new DeferredRefresh(() => this.drawNow());
  private groups: readonly SessionGroup[] = [];
  /** Content of the rendered rows. Null: render again in any case. */
  private drawn: string | null = null;
  private cancelTick: (() => void) | null = null;
  private followed: string | null = null;
  readonly onDidChangeTreeData = this.changes.event;

  constructor(private readonly needs: SessionsTreeNeeds) {
    this.view = vscode.window.createTreeView<SessionsRow>(sessionsViewId, {
      treeDataProvider: this,
      canSelectMany: true,
      showCollapseAll: true,
    });
    this.view.onDidChangeVisibility(() => this.visibilityChanged());
    this.view.onDidChangeSelection(({ selection }) =>
      this.selection.changed(selection.flatMap((row) => (row.kind === 'session' ? [row.sessionId] : []))),
    );
    const listening = [
      needs.listing.onDidChange(() => this.redraw()),
      needs.others.onDidChange(() => this.redrawAll()),
    ];
    this.listening = { dispose: () => listening.forEach((each) => each.dispose()) };
    this.redraw();
    this.visibilityChanged();
  }

  /** Rows that the user selected in the view; its key bindings apply to them. */
  get selected(): readonly SessionEntry[] {
    return this.selection.of(
      this.view.selection.filter((row) => row.kind === 'session'),
      () => rowsBelow(this.groups),
    );
  }

  /** Called when the user opened this row. */
  rowOpened(sessionId: string): void {
    this.selection.opened(sessionId);
  }

  /** Called when the chat may show another session. */
  shownChanged(): void {
    if (this.needs.shown() === this.followed || !this.view.visible) return;
    // The row's text for screen readers contains "open".
    this.redraw();
  }

  /** Asks in a QuickPick or InputBox, and defers refreshes until it closes. */
  whileAsking<T>(asks: () => PromiseLike<T>): Promise<T> {
    return this.rest.while(asks);
  }

  getChildren(row?: SessionsRow): SessionsRow[] | Promise<SessionsRow[]> {
    if (row === undefined) return [...this.groups, ...(this.needs.listing.filter === '' ? this.needs.others.rows : [])];
    switch (row.kind) {
      case 'group':
        return [...row.entries, ...(row.hasMore ? [{ kind: 'more', group: row.group } as const] : [])];
      case 'session':
        return [...row.branches];
      case 'more':
        return [];
      default:
        return this.needs.others.childrenOf(row);
    }
  }

  getParent(row: SessionsRow): SessionsRow | undefined {
    // Only sessions are ever revealed.
    if (row.kind !== 'session' && row.kind !== 'more') return undefined;
    const group = this.groups.find((each) => each.group === row.group);
    if (row.kind === 'more' || group === undefined) return group;
    return (
      rowsBelow([group]).find((entry) => entry.branches.some((branch) => branch.sessionId === row.sessionId)) ?? group
    );
  }

  getTreeItem(row: SessionsRow): vscode.TreeItem {
    switch (row.kind) {
      case 'group':
        return this.groupItem(row);
      case 'more':
        return this.moreItem(row);
      case 'session':
        return this.sessionItem(row);
      default:
        return this.needs.others.itemOf(row);
    }
  }

  dispose(): void {
    this.cancelTick?.();
    this.listening.dispose();
    this.view.dispose();
    this.changes.dispose();
  }

  /** Selects the session that the chat shows. */
  private follow(): void {
    const shown = this.needs.shown();
    if (shown === null) this.followed = null;
    if (shown === this.followed || !this.view.visible) return;
    const row = rowsBelow(this.groups).find((entry) => entry.sessionId === shown);
    if (row === undefined) return;
    this.followed = shown;
    // The user already selected this row. A second selection could come late, when they have moved to another row.
    if (this.selected.some(({ sessionId }) => sessionId === shown)) return;
    this.view.reveal(row, { select: true, focus: false, expand: false }).then(undefined, () => (this.followed = null));
  }

  private get words(): WordContext {
    return { t: this.needs.t, language: vscode.env.language, now: this.needs.clock.now() };
  }

  private visibilityChanged(): void {
    this.cancelTick?.();
    this.needs.listing.watch(this.view.visible);
    if (!this.view.visible) return;
    this.needs.others.refresh();
    this.redrawAll();
    this.tick();
  }

  /** Updates ages and days while nothing is stored. */
  private tick(): void {
    const delay = Math.min(ageSeconds, secondsToMidnight(this.needs.clock.now()) + 0.1);
    this.cancelTick = this.needs.clock.after(delay * 1000, () => {
      this.redraw();
      this.tick();
    });
  }

  private redrawAll(): void {
    this.drawn = null;
    this.redraw();
  }

  private redraw(): void {
    this.rest.drawSoon();
  }

  private drawNow(): void {
    const { listing, clock } = this.needs;
    const { state, filter } = listing;
    void vscode.commands.executeCommand('setContext', 'hermes.sessions.state', state.kind);
    void vscode.commands.executeCommand('setContext', 'hermes.sessions.filtered', filter !== '');
    const groups = sessionGroups(listing.lists, clock.now());
    const drawn = this.wordsOf(groups);
    // Refresh only on change: during a refresh, the editor knows no row, so clicks go nowhere.
    if (drawn !== this.drawn) {
      this.drawn = drawn;
      this.groups = groups;
      this.changes.fire(undefined);
    }
    this.view.message = this.message();
    this.follow();
  }

  /** Everything that the rows show and offer, as one text. */
  private wordsOf(groups: readonly SessionGroup[]): string {
    const { words } = this;
    const row = ({ summary, branches }: SessionEntry): unknown => [
      { ...summary, lastActiveAt: Math.floor(summary.lastActiveAt / 60) },
      factsOf(summary, words),
      branches.map(row),
    ];
    const rows = groups.map(({ group, hasMore, entries }) => [group, hasMore, entries.map(row)]);
    return JSON.stringify([this.needs.shown(), this.needs.listing.filter !== '', rows]);
  }

  /** Message above the rows. A view with neither rows nor a message shows its welcome text, which covers the other
   *  states. */
  private message(): string {
    const { listing, others, t } = this.needs;
    const { state, filter } = listing;
    if (this.groups.length === 0 && (filter !== '' || others.rows.length === 0)) return '';
    return [
      ...(filter === '' ? [] : [t('Filtered by “{text}”.', { text: filter })]),
      ...(state.kind === 'empty' ? [t('No sessions yet in this folder')] : []),
      ...('sentence' in state ? [state.sentence] : []),
    ].join(' ');
  }

  private groupItem({ group }: SessionGroup): vscode.TreeItem {
    const isFiltered = this.needs.listing.filter !== '';
    const isOpen = isFiltered || (group !== 'archived' && group !== 'trash');
    const item = new vscode.TreeItem(
      groupWords(group, this.needs.t),
      isOpen ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed,
    );
    // The editor remembers collapsed rows by id. Groups that a filter expands must not stay expanded.
    item.id = isFiltered ? `filtered ${group}` : group;
    item.contextValue = `group ${group}`;
    return item;
  }

  private moreItem({ group }: MoreRow): vscode.TreeItem {
    const item = new vscode.TreeItem(this.needs.t('Show More'), vscode.TreeItemCollapsibleState.None);
    item.id = `more ${group}`;
    item.iconPath = new vscode.ThemeIcon('ellipsis');
    item.command = { command: 'hermes.showMoreSessions', title: this.needs.t('Show More'), arguments: [listOf(group)] };
    return item;
  }

  private sessionItem(row: SessionEntry): vscode.TreeItem {
    const { summary, branches } = row;
    const { words } = this;
    const state =
      branches.length === 0 ? vscode.TreeItemCollapsibleState.None : vscode.TreeItemCollapsibleState.Expanded;
    const item = new vscode.TreeItem(titleWords(summary, words.t), state);
    item.id = `session ${summary.conversationId}`;
    item.description = factsOf(summary, words).join(' · ');
    item.tooltip = hoverWords(summary, words);
    item.accessibilityInformation = {
      label: spokenWords(summary, { ...words, isShown: summary.id === this.needs.shown() }),
    };
    item.iconPath = iconOf(summary);
    item.contextValue = contextOf(summary);
    const isTrash = summary.trashedAt !== null;
    item.command = isTrash
      ? { command: 'hermes.openTranscript', title: words.t('Open Transcript'), arguments: [row] }
      : { command: 'hermes.openSession', title: words.t('Open in Chat'), arguments: [row, fromRow] };
    return item;
  }
}

function rowsBelow(groups: readonly SessionGroup[]): readonly SessionEntry[] {
  const withBranches = (entry: SessionEntry): readonly SessionEntry[] => [
    entry,
    ...entry.branches.flatMap(withBranches),
  ];
  return groups.flatMap(({ entries }) => entries.flatMap(withBranches));
}

function listOf(group: GroupKind): ListName {
  return group === 'archived' || group === 'trash' ? group : 'active';
}

/** Words that the manifest's menus match: `viewItem =~ /\bpinned\b/`. */
function contextOf(session: SessionSummary): string {
  const place = session.trashedAt !== null ? 'trashed' : session.archived ? 'archived' : 'active';
  const state = session.lastTurn?.state;
  const isBusy = state === 'running' || state === 'waiting';
  return ['session', place, session.pinned ? 'pinned' : 'unpinned', isBusy ? 'busy' : 'idle'].join(' ');
}

function iconOf(session: SessionSummary): vscode.ThemeIcon {
  const [mark] = sessionMarks(session);
  if (mark !== undefined) return markIcon(mark);
  if (session.private) return new vscode.ThemeIcon('lock');
  return new vscode.ThemeIcon(session.branchOf === null ? 'comment' : 'git-branch');
}

function markIcon(mark: SessionMark): vscode.ThemeIcon {
  switch (mark) {
    case 'problem':
    case 'failed':
      return new vscode.ThemeIcon('error', new vscode.ThemeColor('list.errorForeground'));
    case 'waiting':
      return new vscode.ThemeIcon('bell-dot', new vscode.ThemeColor('list.warningForeground'));
    case 'running':
      return new vscode.ThemeIcon('loading~spin');
    case 'interrupted':
      return new vscode.ThemeIcon('circle-slash');
    case 'unread':
      return new vscode.ThemeIcon('circle-filled', new vscode.ThemeColor('notificationsInfoIcon.foreground'));
    default:
      return mark satisfies never;
  }
}
