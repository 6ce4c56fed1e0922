import * as v from 'valibot';
import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import type { OtherStore } from '../../../store/library/otherStore';
import type { Log } from '../../../base/log';
import { describeError } from '../../../host/common/describeError';
import type { Slot } from '../../../host/common/slot';
import type { ShownCopy, Transcripts } from '../../../host/library/transcripts';
import type { WebviewPrograms } from '../../../host/webviews/webviewPrograms';
import type { OpenCopies, OpenCopy } from './openCopies';
import type { ExportSessions } from '../../../host/window/featurePoints';
import { folderName } from '../../../host/library/sessionLabels';
import type { OtherTabMemory } from './otherTabMemory';

export const otherTranscriptViewType = 'hermes.otherTranscript';

/** State that the tab's page keeps across a window reload. */
const keptState = v.object({ sessionId: v.string() });

/** A session of another folder. */
export interface OtherSession {
  readonly store: OtherStore;
  readonly sessionId: string;
}

interface ExportOtherDeps {
  readonly copies: Pick<OpenCopies, 'open'>;
  readonly exporter: Pick<Slot<ExportSessions>, 'current'>;
}

export interface OtherTranscriptDeps extends ExportOtherDeps {
  readonly transcripts: Pick<Slot<Transcripts>, 'current'>;
  readonly memory: OtherTabMemory;
  /** Current state of a folder's history. Null: it no longer exists. */
  readonly storeIn: (folder: string) => Promise<OtherStore | null>;
  /** Imports the session and opens it. */
  readonly copyToThisFolder: (session: OtherSession) => Promise<void>;
  readonly log: Log;
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

  constructor(
    private readonly programs: Pick<WebviewPrograms, 'options'>,
    private readonly deps: OtherTranscriptDeps,
  ) {}

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
      this.programs.options,
    );
    this.fill(panel, { store, sessionId }, copy);
  }

  /** Restores a tab. Closes it if its folder no longer has a readable history. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const kept = v.safeParse(keptState, state);
    const folder = kept.success ? this.deps.memory.folderOf(kept.output.sessionId) : null;
    try {
      const store = folder === null ? null : await this.deps.storeIn(folder);
      if (!kept.success || store === null) return panel.dispose();
      this.fill(panel, { store, sessionId: kept.output.sessionId }, await this.copyOf(store));
    } catch (error) {
      this.deps.log.warn(
        `A session of ${folder ?? 'another folder'} could not be opened again: ${describeError(error).sentence}`,
      );
      panel.dispose();
    }
  }

  /** Exports a session of another folder to a place that the user chooses. */
  async export({ store, sessionId }: OtherSession): Promise<void> {
    await exportOther(store.folder, sessionId, this.deps);
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
      this.deps.copies.open(store.folder),
    );
  }

  private nameOf(store: OtherStore): string {
    return folderName(store);
  }

  private fill(panel: vscode.WebviewPanel, { store, sessionId }: OtherSession, copy: OpenCopy): void {
    const name = this.nameOf(store);
    const { current } = this.deps.transcripts;
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
          openHere: (shown) => this.deps.copyToThisFolder({ store, sessionId: shown }),
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
    void this.deps.memory.opened({ folder: store.folder, sessionId });
    panel.onDidDispose(() => {
      if (!this.tabs.delete(tab)) return;
      surface.dispose();
      copy.close();
      void this.deps.memory.closed({ folder: store.folder, sessionId: tab.remembered });
    });
  }

  /** Remembers the new session when the user switches a tab to another branch. */
  private remember(tab: OpenTab, sessionId: string): void {
    const { folder } = tab.folder;
    const before = tab.remembered;
    if (before === sessionId) return;
    tab.remembered = sessionId;
    void this.deps.memory.closed({ folder, sessionId: before });
    void this.deps.memory.opened({ folder, sessionId });
  }
}

/** Exports a session of another folder's store to a place that the user chooses. `store`: folder of that store. */
export async function exportOther(
  store: string,
  sessionId: string,
  { copies, exporter }: ExportOtherDeps,
): Promise<void> {
  const copy = await copies.open(store);
  const session = await copy.store.getSession(sessionId).finally(() => copy.close());
  if (session === null) return void vscode.window.showWarningMessage(t('This session no longer exists.'));
  await exporter.current?.([session], store);
}
