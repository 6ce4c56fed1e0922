import * as v from 'valibot';
import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import type { OtherStore } from '../../../store/library/otherStore';
import { describeError } from '../../../host/common/describeError';
import type { ShownCopy } from '../../../host/library/transcripts';
import type { WindowContext } from '../../../host/window/windowContext';
import type { OpenCopies, OpenCopy } from './openCopies';
import type { OtherFolders } from './otherFolders';
import { folderName } from '../../../host/library/sessionLabels';

export const otherTranscriptViewType = 'hermes.otherTranscript';

/** State that the tab's page keeps across a window reload. */
const keptState = v.object({ sessionId: v.string() });

/** A session of another folder. */
export interface OtherSession {
  readonly store: OtherStore;
  readonly sessionId: string;
}

interface OpenTab {
  readonly folder: OtherStore;
  readonly panel: vscode.WebviewPanel;
  readonly surface: ShownCopy;
  readonly copy: OpenCopy;
  /** Session under which the tab is remembered. */
  remembered: string;
}

/** Editor tabs that show sessions of other folders from private copies: read-only, as of when the tab was opened.
 *  After a window reload, they are restored from a new copy, with the sessions as they are then. */
export class OtherTranscripts implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private readonly tabs = new Set<OpenTab>();

  private readonly memory: OtherTabMemory;

  constructor(
    private readonly window: Pick<
      WindowContext,
      'context' | 'programs' | 'transcripts' | 'exporter' | 'opener' | 'log'
    >,
    private readonly others: OtherFolders,
    private readonly copies: OpenCopies,
  ) {
    this.memory = new OtherTabMemory(window.context.workspaceState);
  }

  /** Session of the active tab. */
  get active(): OtherSession | null {
    const tab = [...this.tabs].find(({ panel }) => panel.active);
    return tab === undefined ? null : { store: tab.folder, sessionId: tab.surface.sessionId };
  }

  async open({ store, sessionId }: OtherSession): Promise<void> {
    const shown = [...this.tabs].find(
      ({ folder, surface }) => folder.folder === store.folder && surface.sessionId === sessionId,
    );
    if (shown !== undefined) return shown.panel.reveal();
    const copy = await this.copyOf(store);
    const panel = vscode.window.createWebviewPanel(
      otherTranscriptViewType,
      t('Transcript'),
      vscode.ViewColumn.Active,
      this.window.programs.options,
    );
    this.fill(panel, { store, sessionId }, copy);
  }

  /** Restores a tab. Closes it if its folder no longer has a readable history. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const kept = v.safeParse(keptState, state);
    const folder = kept.success ? this.memory.folderOf(kept.output.sessionId) : null;
    try {
      const store = folder === null ? null : await this.others.named(folder);
      if (!kept.success || store === null) return panel.dispose();
      this.fill(panel, { store, sessionId: kept.output.sessionId }, await this.copyOf(store));
    } catch (error) {
      this.window.log.warn(
        `A session of ${folder ?? 'another folder'} could not be opened again: ${describeError(error).sentence}`,
      );
      panel.dispose();
    }
  }

  /** Exports a session of another folder to a place that the user chooses. */
  async export({ store, sessionId }: OtherSession): Promise<void> {
    const copy = await this.copies.open(store.folder);
    const session = await copy.store.getSession(sessionId).finally(() => copy.close());
    if (session === null) return void vscode.window.showWarningMessage(t('This session no longer exists.'));
    await this.window.exporter.current?.([session], store.folder);
  }

  /** Copies a session to this folder, and opens it. */
  async copyHere({ store, sessionId }: OtherSession): Promise<void> {
    const folder = folderName(store);
    const title = t('Copying a session from {folder}…', { folder });
    const { newIds } = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () =>
      this.others.bringSession(store.folder, sessionId),
    );
    await this.window.opener.open(newIds[sessionId] ?? sessionId, null, 'chat');
    void vscode.window.showInformationMessage(
      t('The session was copied to this folder. The original in {folder} is unchanged.', { folder }),
    );
  }

  /** Keeps the tabs open: they are filled again after the window reloads. */
  dispose(): void {
    for (const { surface, copy } of this.tabs) {
      surface.dispose();
      copy.close();
    }
    this.tabs.clear();
  }

  private async copyOf(store: OtherStore): Promise<OpenCopy> {
    const title = t('Reading sessions from {folder}…', { folder: this.nameOf(store) });
    return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () =>
      this.copies.open(store.folder),
    );
  }

  private nameOf(store: OtherStore): string {
    return folderName(store);
  }

  private fill(panel: vscode.WebviewPanel, { store, sessionId }: OtherSession, copy: OpenCopy): void {
    const name = this.nameOf(store);
    const { current } = this.window.transcripts;
    if (current === null) return copy.close();
    const tab: OpenTab = {
      folder: store,
      panel,
      surface: current.showCopy(panel, {
        sessions: copy.store,
        shown: sessionId,
        place: name,
        folder: {
          path: store.label?.path ?? name,
          openHere: (shown) => this.copyHere({ store, sessionId: shown }),
          export: (shown) => this.export({ store, sessionId: shown }),
        },
        onSession: ({ id, title }) => {
          this.remember(tab, id);
          const named = t('Transcript: {title} ({folder})', { title: title ?? t('Untitled Session'), folder: name });
          if (panel.title !== named) panel.title = named;
        },
      }),
      copy,
      remembered: sessionId,
    };
    const { surface } = tab;
    this.tabs.add(tab);
    void this.memory.opened({ folder: store.folder, sessionId });
    panel.onDidDispose(() => {
      if (!this.tabs.delete(tab)) return;
      surface.dispose();
      copy.close();
      void this.memory.closed({ folder: store.folder, sessionId: tab.remembered });
    });
  }

  /** Remembers the new session when the user switches a tab to another branch. */
  private remember(tab: OpenTab, sessionId: string): void {
    const { folder } = tab.folder;
    const before = tab.remembered;
    if (before === sessionId) return;
    tab.remembered = sessionId;
    void this.memory.closed({ folder, sessionId: before });
    void this.memory.opened({ folder, sessionId });
  }
}

const key = 'otherFolders.tabs';
const keptTabs = v.array(v.object({ folder: v.string(), sessionId: v.string() }));

type KeptTab = v.InferOutput<typeof keptTabs>[number];

/** The used part of the editor's workspace storage (`Memento`). */
export interface WorkspaceMemory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** Remembers the folder of each session shown in this window's tabs across a reload: the pages know only the
 *  session. */
export class OtherTabMemory {
  constructor(private readonly memory: WorkspaceMemory) {}

  /** Folder of the store from which a tab read this session. Null: not known. */
  folderOf(sessionId: string): string | null {
    return this.kept().find((tab) => tab.sessionId === sessionId)?.folder ?? null;
  }

  /** Remembers an open tab. Keeps entries of tabs that are not restored yet: the editor restores each tab only when
   *  the user looks at it. */
  async opened(tab: KeptTab): Promise<void> {
    const others = this.kept().filter(({ folder, sessionId }) => folder !== tab.folder || sessionId !== tab.sessionId);
    await this.memory.update(key, [...others, tab]);
  }

  async closed(tab: KeptTab): Promise<void> {
    await this.memory.update(
      key,
      this.kept().filter(({ folder, sessionId }) => folder !== tab.folder || sessionId !== tab.sessionId),
    );
  }

  private kept(): readonly KeptTab[] {
    const kept = v.safeParse(keptTabs, this.memory.get(key));
    return kept.success ? kept.output : [];
  }
}
