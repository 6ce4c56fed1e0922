import * as v from 'valibot';
import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import type { CopiedSessions, ShownCopy, Transcripts } from '../../../host/library/transcripts';
import { webviewPort } from '../../../host/webviews/webviewPrograms';
import type { WindowContext } from '../../../host/window/windowContext';
import type { Session } from '../../../transcript/session';
import { TranscriptSurface, type OwnTab } from './transcriptSurface';

export const transcriptViewType = 'hermes.transcript';

/** State that the tab's page keeps across a window reload. */
const keptState = v.object({ sessionId: v.string() });

interface OpenTab {
  readonly panel: vscode.WebviewPanel;
  readonly surface: TranscriptSurface;
}

/** Editor tabs "Transcript: <title>": one per shown session, read-only, restored after a window reload. */
export class TranscriptTabs implements Transcripts, vscode.WebviewPanelSerializer, vscode.Disposable {
  private readonly tabs = new Set<OpenTab>();

  constructor(private readonly window: WindowContext) {}

  open(sessionId: string, messageUid: string | null): void {
    if (this.showOpen(sessionId, messageUid, null)) return;
    const panel = vscode.window.createWebviewPanel(
      transcriptViewType,
      t('Transcript'),
      vscode.ViewColumn.Active,
      this.window.programs.options,
    );
    this.fill(panel, sessionId, messageUid);
  }

  showCopy(panel: vscode.WebviewPanel, copied: CopiedSessions): ShownCopy {
    return this.surfaceIn(panel, copied.shown, null, copied);
  }

  /** Shows the session's tab and verifies the session there. */
  verify(sessionId: string): void {
    this.open(sessionId, null);
    this.showing(sessionId)?.surface.verify();
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const kept = v.safeParse(keptState, state);
    if (!kept.success || this.showing(kept.output.sessionId) !== undefined) panel.dispose();
    else this.fill(panel, kept.output.sessionId, null);
  }

  dispose(): void {
    for (const { surface } of this.tabs) surface.dispose();
    this.tabs.clear();
  }

  private showing(sessionId: string): OpenTab | undefined {
    return [...this.tabs].find(({ surface }) => surface.sessionId === sessionId);
  }

  /** Reveals the tab of a session, if there is one other than `asking`. */
  private showOpen(sessionId: string, messageUid: string | null, asking: OpenTab | null): boolean {
    const open = this.showing(sessionId);
    if (open === undefined || open === asking) return false;
    open.panel.reveal();
    if (messageUid !== null) open.surface.reveal(messageUid);
    return true;
  }

  private fill(panel: vscode.WebviewPanel, sessionId: string, messageUid: string | null): void {
    const onSession = (session: Session): void => {
      const title = t('Transcript: {title}', { title: session.title ?? t('Untitled Session') });
      if (panel.title !== title) panel.title = title;
    };
    const tab: OpenTab = {
      panel,
      surface: this.surfaceIn(panel, sessionId, messageUid, {
        onSession,
        isElsewhere: (id, uid) => this.showOpen(id, uid, tab),
      }),
    };
    this.tabs.add(tab);
    panel.onDidDispose(() => {
      tab.surface.dispose();
      this.tabs.delete(tab);
    });
  }

  private surfaceIn(
    panel: vscode.WebviewPanel,
    shown: string,
    revealed: string | null,
    tab: OwnTab | CopiedSessions,
  ): TranscriptSurface {
    const surface = new TranscriptSurface(shown, revealed, webviewPort(panel.webview), this.window, tab);
    panel.onDidChangeViewState(() => {
      if (!panel.visible) surface.pageUnloaded();
    });
    this.window.programs.load('transcript', panel.webview);
    return surface;
  }
}
