import * as v from 'valibot';
import * as vscode from 'vscode';
import type { Session } from '../transcript/session';
import { TranscriptBridge, type TranscriptNeeds } from './transcriptBridge';
import type { WebviewPrograms } from './webviewPrograms';
import { webviewPort } from './webviewPort';

export const transcriptViewType = 'hermes.transcript';

/** What the tab's page keeps across a reload of the window. */
const keptState = v.object({ sessionId: v.string() });

interface OpenTab {
  readonly panel: vscode.WebviewPanel;
  readonly bridge: TranscriptBridge;
}

/** Editor tabs "Transcript: <title>": one per session, read-only, back after a reload of the window. */
export class TranscriptTabs implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private readonly tabs = new Map<string, OpenTab>();
  private count = 0;

  constructor(
    private readonly programs: WebviewPrograms,
    private readonly needs: Omit<TranscriptNeeds, 'onSession'>,
  ) {}

  open(sessionId: string, messageUid: string | null): void {
    const existing = this.tabs.get(sessionId);
    if (existing === undefined) {
      const panel = vscode.window.createWebviewPanel(transcriptViewType, vscode.l10n.t('Transcript'), vscode.ViewColumn.Active, this.programs.options);
      this.fill(panel, sessionId, messageUid);
      return;
    }
    existing.panel.reveal();
    if (messageUid !== null) existing.bridge.reveal(messageUid);
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const kept = v.safeParse(keptState, state);
    if (!kept.success || this.tabs.has(kept.output.sessionId)) panel.dispose();
    else this.fill(panel, kept.output.sessionId, null);
  }

  dispose(): void {
    for (const { bridge } of this.tabs.values()) bridge.dispose();
    this.tabs.clear();
  }

  private fill(panel: vscode.WebviewPanel, sessionId: string, messageUid: string | null): void {
    const onSession = (session: Session): void => {
      const title = vscode.l10n.t('Transcript: {title}', { title: session.title ?? vscode.l10n.t('Untitled Session') });
      if (panel.title !== title) panel.title = title;
    };
    this.count++;
    const bridge = new TranscriptBridge(`transcript:${this.count}`, sessionId, messageUid, webviewPort(panel.webview), { ...this.needs, onSession });
    this.tabs.set(sessionId, { panel, bridge });
    panel.onDidChangeViewState(() => {
      if (!panel.visible) bridge.pageUnloaded();
    });
    panel.onDidDispose(() => {
      bridge.dispose();
      this.tabs.delete(sessionId);
    });
    this.programs.load('transcript', panel.webview);
  }
}
