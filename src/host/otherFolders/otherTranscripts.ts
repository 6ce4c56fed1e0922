import * as vscode from 'vscode';
import type { Clock } from '../../base/clock';
import { GatewayError } from '../../gateway/gateway';
import type { Log } from '../../base/log';
import type { OtherStore } from '../../store/library/otherStore';
import { exportSession } from '../sessions/exportSession';
import { TranscriptBridge, type TranscriptNeeds } from '../transcriptBridge';
import type { WebviewPrograms } from '../webviewPrograms';
import { webviewPort } from '../webviewPort';
import type { OpenCopies, OpenCopy } from './openCopies';
import { folderName } from './otherFolderWords';

export const otherTranscriptViewType = 'hermes.otherTranscript';

/** A session of another folder. */
export interface OtherSession {
  readonly store: OtherStore;
  readonly sessionId: string;
}

export interface OtherTranscriptNeeds {
  readonly copies: Pick<OpenCopies, 'open'>;
  readonly editor: Pick<TranscriptNeeds['editor'], 'copy' | 'openLink'>;
  /** Brings the session over and goes there. */
  readonly bringOver: (session: OtherSession) => Promise<void>;
  readonly clock: Clock;
  readonly localization: Readonly<Record<string, string>>;
  readonly log: Log;
}

interface OpenTab {
  readonly folder: OtherStore;
  readonly panel: vscode.WebviewPanel;
  readonly bridge: TranscriptBridge;
  readonly copy: OpenCopy;
}

const nothing: vscode.Disposable = { dispose: () => undefined };

/** Editor tabs that show sessions of other folders from private copies: as they were when the tab was opened, read-only. They do not come back
 *  after a reload of the window: their copies do not last as long. */
export class OtherTranscripts implements vscode.Disposable {
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
    const shown = [...this.tabs].find(({ folder, bridge }) => folder.folder === store.folder && bridge.sessionId === sessionId);
    if (shown !== undefined) return shown.panel.reveal();
    const title = vscode.l10n.t('Reading the sessions of {folder}…', { folder: this.nameOf(store) });
    const copy = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () => this.needs.copies.open(store.folder));
    this.fill(store, sessionId, copy);
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

  dispose(): void {
    for (const { panel } of [...this.tabs]) panel.dispose();
  }

  private nameOf(store: OtherStore): string {
    return folderName(store, { t: (message) => vscode.l10n.t(message) });
  }

  private fill(store: OtherStore, sessionId: string, copy: OpenCopy): void {
    const panel = vscode.window.createWebviewPanel(otherTranscriptViewType, vscode.l10n.t('Transcript'), vscode.ViewColumn.Active, this.programs.options);
    this.count++;
    const bridge = new TranscriptBridge(`other:${this.count}`, sessionId, null, webviewPort(panel.webview), this.needsOf(store, copy, panel));
    const tab: OpenTab = { folder: store, panel, bridge, copy };
    this.tabs.add(tab);
    panel.onDidChangeViewState(() => {
      if (!panel.visible) bridge.pageUnloaded();
    });
    panel.onDidDispose(() => {
      bridge.dispose();
      copy.close();
      this.tabs.delete(tab);
    });
    this.programs.load('transcript', panel.webview);
  }

  /** Nothing happens in a copy: nothing runs there, and nothing changes. */
  private needsOf(store: OtherStore, { store: sessions }: OpenCopy, panel: vscode.WebviewPanel): TranscriptNeeds {
    const { editor, clock, localization, log } = this.needs;
    const folder = this.nameOf(store);
    const notHere = async (): Promise<void> => {
      throw new GatewayError('invalid', vscode.l10n.t('This session belongs to {folder}. Bring it over to this folder first.', { folder }));
    };
    return {
      sessions, clock, localization, log,
      otherFolder: store.label?.path ?? folder,
      gateway: { readTranscript: (query) => sessions.readTranscript(query), attach: () => nothing, onDidChangeRunning: () => nothing, runningTurns: () => [] },
      store: { settled: () => Promise.resolve(), onDidChange: () => nothing, hasJustOpened: false },
      editor: {
        ...editor,
        openInChat: (sessionId) => this.needs.bringOver({ store, sessionId }),
        branchFrom: notHere,
        rewindTo: notHere,
        exportSession: (sessionId) => this.export({ store, sessionId }),
      },
      onSession: ({ title }) => {
        const name = vscode.l10n.t('Transcript: {title} ({folder})', { title: title ?? vscode.l10n.t('Untitled Session'), folder });
        if (panel.title !== name) panel.title = name;
      },
      isElsewhere: () => false,
    };
  }
}
