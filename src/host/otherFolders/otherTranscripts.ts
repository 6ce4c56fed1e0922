import * as v from 'valibot';
import * as vscode from 'vscode';
import type { Clock } from '../../base/clock';
import type { Log } from '../../base/log';
import { GatewayError } from '../../gateway/gateway';
import type { OtherStore } from '../../store/library/otherStore';
import { withoutNames, type CodeActions } from '../codeActions/codeHandlers';
import { describeError } from '../describeError';
import { exportSession } from '../sessions/exportSession';
import { translate } from '../sessions/translation';
import { TranscriptSurface, type TranscriptNeeds } from '../transcript/transcriptSurface';
import type { WebviewPrograms } from '../webviews/webviewPrograms';
import { webviewPort } from '../webviews/webviewPort';
import { verificationOfCopy } from '../verify/verifyService';
import type { OpenCopies, OpenCopy } from './openCopies';
import { folderName } from './otherFolderLabels';
import type { OtherTabMemory } from './otherTabMemory';

export const otherTranscriptViewType = 'hermes.otherTranscript';

/** What the tab's page keeps across a reload of the window. */
const keptState = v.object({ sessionId: v.string() });

/** A session of another folder. */
export interface OtherSession {
  readonly store: OtherStore;
  readonly sessionId: string;
}

export interface OtherTranscriptNeeds {
  readonly copies: Pick<OpenCopies, 'open'>;
  readonly memory: OtherTabMemory;
  /** A folder's history as it is now; null where it is gone. */
  readonly storeIn: (folder: string) => Promise<OtherStore | null>;
  readonly editor: Pick<TranscriptNeeds['editor'], 'copy' | 'openLink'>;
  readonly code: CodeActions;
  /** Brings the session over and goes there. */
  readonly bringOver: (session: OtherSession) => Promise<void>;
  readonly clock: Clock;
  readonly localization: Readonly<Record<string, string>>;
  readonly log: Log;
}

interface OpenTab {
  readonly folder: OtherStore;
  readonly panel: vscode.WebviewPanel;
  readonly bridge: TranscriptSurface;
  readonly copy: OpenCopy;
  /** The session it is remembered by. */
  remembered: string;
}

const nothing: vscode.Disposable = { dispose: () => undefined };

/** Editor tabs that show sessions of other folders from private copies: as they were when the tab was opened, read-only. After a reload of the
 *  window they come back, from a new copy: as the sessions are then. */
export class OtherTranscripts implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private readonly tabs = new Set<OpenTab>();
  private count = 0;

  constructor(
    private readonly programs: WebviewPrograms,
    private readonly needs: OtherTranscriptNeeds,
  ) {}

  /** The session of the tab that is in front. */
  get active(): OtherSession | null {
    const tab = [...this.tabs].find(({ panel }) => panel.active);
    return tab === undefined ? null : { store: tab.folder, sessionId: tab.bridge.sessionId };
  }

  async open({ store, sessionId }: OtherSession): Promise<void> {
    const shown = [...this.tabs].find(
      ({ folder, bridge }) => folder.folder === store.folder && bridge.sessionId === sessionId,
    );
    if (shown !== undefined) return shown.panel.reveal();
    const copy = await this.copyOf(store);
    const panel = vscode.window.createWebviewPanel(
      otherTranscriptViewType,
      vscode.l10n.t('Transcript'),
      vscode.ViewColumn.Active,
      this.programs.options,
    );
    this.fill(panel, { store, sessionId }, copy);
  }

  /** A tab whose folder has no history any more, or one that cannot be read, is closed. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const kept = v.safeParse(keptState, state);
    const folder = kept.success ? this.needs.memory.folderOf(kept.output.sessionId) : null;
    try {
      const store = folder === null ? null : await this.needs.storeIn(folder);
      if (!kept.success || store === null) return panel.dispose();
      this.fill(panel, { store, sessionId: kept.output.sessionId }, await this.copyOf(store));
    } catch (error) {
      this.needs.log.warn(
        `A session of ${folder ?? 'another folder'} could not be opened again: ${describeError(error).sentence}`,
      );
      panel.dispose();
    }
  }

  /** Writes a session of another folder where the person says. */
  async export({ store, sessionId }: OtherSession): Promise<void> {
    const copy = await this.needs.copies.open(store.folder);
    try {
      await exportSession(sessionId, { gateway: copy.store, sessions: copy.store, now: () => this.needs.clock.now() });
    } finally {
      copy.close();
    }
  }

  /** The tabs stay: when the window is loaded again they are filled again. */
  dispose(): void {
    for (const { bridge, copy } of this.tabs) {
      bridge.dispose();
      copy.close();
    }
    this.tabs.clear();
  }

  private async copyOf(store: OtherStore): Promise<OpenCopy> {
    const title = vscode.l10n.t('Reading sessions from {folder}…', { folder: this.nameOf(store) });
    return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () =>
      this.needs.copies.open(store.folder),
    );
  }

  private nameOf(store: OtherStore): string {
    return folderName(store, { t: (message) => vscode.l10n.t(message) });
  }

  private fill(panel: vscode.WebviewPanel, { store, sessionId }: OtherSession, copy: OpenCopy): void {
    this.count++;
    const tab: OpenTab = {
      folder: store,
      panel,
      bridge: new TranscriptSurface(
        `other:${this.count}`,
        sessionId,
        null,
        webviewPort(panel.webview),
        this.needsOf(store, copy, panel, (shown) => this.remember(tab, shown)),
      ),
      copy,
      remembered: sessionId,
    };
    const { bridge } = tab;
    this.tabs.add(tab);
    void this.needs.memory.opened({ folder: store.folder, sessionId });
    panel.onDidChangeViewState(() => {
      if (!panel.visible) bridge.pageUnloaded();
    });
    panel.onDidDispose(() => {
      if (!this.tabs.delete(tab)) return;
      bridge.dispose();
      copy.close();
      void this.needs.memory.closed({ folder: store.folder, sessionId: tab.remembered });
    });
    this.programs.load('transcript', panel.webview);
  }

  /** Walking from branch to branch, a tab comes to show other sessions. */
  private remember(tab: OpenTab, sessionId: string): void {
    const { folder } = tab.folder;
    const before = tab.remembered;
    if (before === sessionId) return;
    tab.remembered = sessionId;
    void this.needs.memory.closed({ folder, sessionId: before });
    void this.needs.memory.opened({ folder, sessionId });
  }

  /** Nothing happens in a copy: nothing runs there, and nothing changes. */
  private needsOf(
    store: OtherStore,
    { store: sessions }: OpenCopy,
    panel: vscode.WebviewPanel,
    onShown: (sessionId: string) => void,
  ): TranscriptNeeds {
    const { editor, code, clock, localization, log } = this.needs;
    const folder = this.nameOf(store);
    const notHere = async (): Promise<void> => {
      throw new GatewayError(
        'invalid',
        vscode.l10n.t('This session belongs to {folder}. Copy it to this folder first.', { folder }),
      );
    };
    return {
      sessions,
      clock,
      localization,
      log,
      otherFolder: store.label?.path ?? folder,
      words: { t: translate, language: vscode.env.language },
      readAt: clock.now(),
      gateway: { attach: () => nothing, onDidChangeRunning: () => nothing, runningTurns: () => [] },
      store: { settled: () => Promise.resolve(), onDidChange: () => nothing, hasJustOpened: false },
      editor: {
        ...editor,
        showLog: () => void vscode.commands.executeCommand('hermes.showLog'),
        openInChat: (sessionId) => this.needs.bringOver({ store, sessionId }),
        branchFrom: notHere,
        rewindTo: notHere,
        exportSession: (sessionId) => this.export({ store, sessionId }),
      },
      code: withoutNames(code),
      verification: verificationOfCopy(sessions, clock, (message) => vscode.l10n.t(message)),
      onSession: ({ id, title }) => {
        onShown(id);
        const name = vscode.l10n.t('Transcript: {title} ({folder})', {
          title: title ?? vscode.l10n.t('Untitled Session'),
          folder,
        });
        if (panel.title !== name) panel.title = name;
      },
      isElsewhere: () => false,
    };
  }
}
