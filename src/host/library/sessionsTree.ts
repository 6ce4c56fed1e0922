import * as vscode from 'vscode';
import type { Slot } from '../common/slot';
import { t } from '../../base/translate';
import type { SessionSummary } from '../../transcript/session';
import {
  type GroupKind,
  secondsToMidnight,
  sessionGroups,
  type SessionTreeEntry,
  type SessionGroup,
} from './sessionGroups';
import { reportFailure } from '../common/commands';
import type { LibraryWindow } from './libraryWindow';
import { fromRow } from './sessionCommands';
import type { ListName, SessionListing } from './sessionListing';
import {
  factsOf,
  groupLabel,
  hoverText,
  type SessionMark,
  sessionMarks,
  accessibleLabel,
  titleText,
} from './sessionLabels';

const sessionsViewId = 'hermes.sessions';
/** Seconds between refreshes of the ages, which are shown in minutes. */
const ageSeconds = 60;

/** Last row of a list that has more sessions. */
interface MoreRow {
  readonly kind: 'more';
  readonly group: GroupKind;
}

/** A row below those of this window's sessions. */
interface OtherRow {
  readonly kind: 'other';
}

/** The last group of the view, which a feature adds. */
export interface OtherRows {
  /** Those at the top. Empty: the group is not shown. */
  readonly rows: readonly OtherRow[];
  /** Reads them again. */
  refresh(): void;
  childrenOf(row: OtherRow): Promise<OtherRow[]>;
  itemOf(row: OtherRow): vscode.TreeItem;
  readonly onDidChange: vscode.Event<void>;
  /** Lets the user choose a session among them, and opens it. */
  show(): Promise<void>;
}

type SessionsRow = SessionGroup | SessionTreeEntry | MoreRow | OtherRow;

const uriListType = 'text/uri-list';

/** The sessions view: groups, sessions, and branches below their origins. Renders the contents of the listing. */
export class SessionsTree implements vscode.TreeDataProvider<SessionsRow>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<undefined>();
  private readonly view: vscode.TreeView<SessionsRow>;
  private readonly listening: { dispose(): void };
  private readonly selection = new TreeSelection();
  private readonly refresh = new DeferredRefresh(() => this.renderNow());
  private groups: readonly SessionGroup[] = [];
  /** Content of the rendered rows. Null: render again in any case. */
  private rendered: string | null = null;
  private cancelTick: (() => void) | null = null;
  private followed: string | null = null;
  readonly onDidChangeTreeData = this.changes.event;

  constructor(
    private readonly window: LibraryWindow,
    private readonly listing: SessionListing,
    private readonly others: Pick<Slot<OtherRows>, 'current'>,
  ) {
    this.view = vscode.window.createTreeView<SessionsRow>(sessionsViewId, {
      treeDataProvider: this,
      canSelectMany: true,
      showCollapseAll: true,
      dragAndDropController: {
        dragMimeTypes: [],
        dropMimeTypes: [uriListType],
        handleDrop: async (_row, dropped) => {
          const files = urisIn((await dropped.get(uriListType)?.asString()) ?? '');
          if (files.length > 0)
            window.importer
              .current?.(files)
              .catch((error: unknown) => reportFailure('importSessions', error, window.log));
        },
      },
    });
    this.view.onDidChangeVisibility(() => this.visibilityChanged());
    this.view.onDidChangeSelection(({ selection }) =>
      this.selection.changed(selection.flatMap((row) => (row.kind === 'session' ? [row.sessionId] : []))),
    );
    this.listening = listing.onDidChange(() => this.redraw());
    this.redraw();
    this.visibilityChanged();
  }

  /** Rows that the user selected in the view; its key bindings apply to them. */
  get selected(): readonly SessionTreeEntry[] {
    return this.selection.of(
      this.view.selection.filter((row) => row.kind === 'session'),
      () => rowsBelow(this.groups),
    );
  }

  /** Called when the user opened this row. */
  rowOpened(sessionId: string): void {
    this.selection.opened(sessionId);
  }

  /** Session that the chat shows. */
  private get shown(): string | null {
    const { gateway, activeChat } = this.window;
    return gateway.surfaces.shownSession(activeChat.surfaceId);
  }

  /** Called when the chat may show another session. */
  shownChanged(): void {
    if (this.shown === this.followed || !this.view.visible) return;
    // The row's text for screen readers contains "open".
    this.redraw();
  }

  /** Asks in a QuickPick or InputBox, and defers refreshes until it closes. */
  whileAsking<T>(asks: () => PromiseLike<T>): Promise<T> {
    return this.refresh.while(asks);
  }

  getChildren(row?: SessionsRow): SessionsRow[] | Promise<SessionsRow[]> {
    if (row === undefined) return [...this.groups, ...(this.listing.filter === '' ? this.otherRows : [])];
    switch (row.kind) {
      case 'group':
        return [...row.entries, ...(row.hasMore ? [{ kind: 'more', group: row.group } as const] : [])];
      case 'session':
        return [...row.branches];
      case 'more':
        return [];
      default:
        return this.others.current?.childrenOf(row) ?? [];
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
        return this.others.current?.itemOf(row) ?? new vscode.TreeItem('');
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
    const { shown } = this;
    if (shown === null) this.followed = null;
    if (shown === this.followed || !this.view.visible) return;
    const row = rowsBelow(this.groups).find((entry) => entry.sessionId === shown);
    if (row === undefined) return;
    this.followed = shown;
    // The user already selected this row. A second selection could come late, when they have moved to another row.
    if (this.selected.some(({ sessionId }) => sessionId === shown)) return;
    this.view.reveal(row, { select: true, focus: false, expand: false }).then(undefined, () => (this.followed = null));
  }

  private visibilityChanged(): void {
    this.cancelTick?.();
    this.listing.watch(this.view.visible);
    if (!this.view.visible) return;
    this.others.current?.refresh();
    this.redrawAll();
    this.tick();
  }

  /** Updates ages and days while nothing is stored. */
  private tick(): void {
    const delay = Math.min(ageSeconds, secondsToMidnight(this.window.clock.now()) + 0.1);
    this.cancelTick = this.window.clock.after(delay * 1000, () => {
      this.redraw();
      this.tick();
    });
  }

  private get otherRows(): readonly OtherRow[] {
    return this.others.current?.rows ?? [];
  }

  /** Called when a feature has added rows. */
  othersAdded(): void {
    if (this.view.visible) this.others.current?.refresh();
  }

  /** Called when the rows of the feature have changed. */
  redrawAll(): void {
    this.rendered = null;
    this.redraw();
  }

  private redraw(): void {
    this.refresh.requestRefresh();
  }

  private renderNow(): void {
    const { listing } = this;
    const { state, filter } = listing;
    void vscode.commands.executeCommand('setContext', 'hermes.sessions.state', state.kind);
    void vscode.commands.executeCommand('setContext', 'hermes.sessions.filtered', filter !== '');
    const groups = sessionGroups(listing.lists, this.window.clock.now());
    const rendered = this.labelsOf(groups);
    // Refresh only on change: during a refresh, the editor knows no row, so clicks go nowhere.
    if (rendered !== this.rendered) {
      this.rendered = rendered;
      this.groups = groups;
      this.changes.fire(undefined);
    }
    this.view.message = this.message();
    this.follow();
  }

  /** Everything that the rows show and offer, as one text. */
  private labelsOf(groups: readonly SessionGroup[]): string {
    const now = this.window.clock.now();
    const row = ({ summary, branches }: SessionTreeEntry): unknown => [
      { ...summary, lastActiveAt: Math.floor(summary.lastActiveAt / 60) },
      factsOf(summary, now),
      branches.map(row),
    ];
    const rows = groups.map(({ group, hasMore, entries }) => [group, hasMore, entries.map(row)]);
    return JSON.stringify([this.shown, this.listing.filter !== '', rows]);
  }

  /** Message above the rows. A view with neither rows nor a message shows its welcome text, which covers the other
   *  states. */
  private message(): string {
    const { state, filter } = this.listing;
    if (this.groups.length === 0 && (filter !== '' || this.otherRows.length === 0)) return '';
    return [
      ...(filter === '' ? [] : [t('Filtered by “{text}”.', { text: filter })]),
      ...(state.kind === 'empty' ? [t('No sessions yet in this folder')] : []),
      ...('sentence' in state ? [state.sentence] : []),
    ].join(' ');
  }

  private groupItem({ group }: SessionGroup): vscode.TreeItem {
    const isFiltered = this.listing.filter !== '';
    const isOpen = isFiltered || (group !== 'archived' && group !== 'trash');
    const item = new vscode.TreeItem(
      groupLabel(group),
      isOpen ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed,
    );
    // The editor remembers collapsed rows by id. Groups that a filter expands must not stay expanded.
    item.id = isFiltered ? `filtered ${group}` : group;
    item.contextValue = `group ${group}`;
    return item;
  }

  private moreItem({ group }: MoreRow): vscode.TreeItem {
    const item = new vscode.TreeItem(t('Show More'), vscode.TreeItemCollapsibleState.None);
    item.id = `more ${group}`;
    item.iconPath = new vscode.ThemeIcon('ellipsis');
    item.command = { command: 'hermes.showMoreSessions', title: t('Show More'), arguments: [listOf(group)] };
    return item;
  }

  private sessionItem(row: SessionTreeEntry): vscode.TreeItem {
    const { summary, branches } = row;
    const now = this.window.clock.now();
    const state =
      branches.length === 0 ? vscode.TreeItemCollapsibleState.None : vscode.TreeItemCollapsibleState.Expanded;
    const item = new vscode.TreeItem(titleText(summary), state);
    item.id = `session ${summary.conversationId}`;
    item.description = factsOf(summary, now).join(' · ');
    item.tooltip = hoverText(summary);
    item.accessibilityInformation = {
      label: accessibleLabel(summary, now, summary.id === this.shown),
    };
    item.iconPath = iconOf(summary);
    item.contextValue = contextOf(summary);
    const isTrash = summary.trashedAt !== null;
    item.command = isTrash
      ? { command: 'hermes.openTranscript', title: t('Open Transcript'), arguments: [row] }
      : { command: 'hermes.openSession', title: t('Open in Chat'), arguments: [row, fromRow] };
    return item;
  }
}

function rowsBelow(groups: readonly SessionGroup[]): readonly SessionTreeEntry[] {
  const withBranches = (entry: SessionTreeEntry): readonly SessionTreeEntry[] => [
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

/** Addresses of a `text/uri-list` (RFC 2483), without its comments. */
function urisIn(list: string): readonly vscode.Uri[] {
  return list
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => vscode.Uri.parse(line.trim(), true));
}

/** Tracks the selected sessions of the view. The editor identifies selected rows by handles that it creates again at
 *  every render. So during a render, it reports fewer rows or none, and does not correct that later. */
export class TreeSelection {
  private selectedIds: readonly string[] = [];

  /** Called when the editor reports a changed selection. */
  changed(sessionIds: readonly string[]): void {
    this.selectedIds = sessionIds;
  }

  /** Called when the user opened a row, which selects it. The editor's own report comes before this. */
  opened(sessionId: string): void {
    this.selectedIds = [sessionId];
  }

  /** The selected rows among those that the view shows (`rows`), if the editor currently knows only `known`. */
  of<R extends { readonly sessionId: string }>(known: readonly R[], rows: () => readonly R[]): readonly R[] {
    if (known.length >= this.selectedIds.length) return known;
    const ids = new Set(this.selectedIds);
    return rows().filter(({ sessionId }) => ids.has(sessionId));
  }
}

/** Defers tree refreshes while a QuickPick or InputBox is open: a refresh would steal focus and close it. */
export class DeferredRefresh {
  private asking = 0;
  private isDue = false;

  constructor(private readonly refresh: () => void) {}

  /** Refreshes now, or after the open box has closed. */
  requestRefresh(): void {
    if (this.asking === 0) this.refresh();
    else this.isDue = true;
  }

  async while<T>(asks: () => PromiseLike<T>): Promise<T> {
    this.asking++;
    try {
      return await asks();
    } finally {
      this.asking--;
      if (this.asking === 0 && this.isDue) {
        this.isDue = false;
        this.refresh();
      }
    }
  }
}
