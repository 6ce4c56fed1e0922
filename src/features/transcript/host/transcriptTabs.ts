import * as v from 'valibot';
import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import type { Session } from '../../../transcript/session';
import { TranscriptSurface, type TranscriptSurfaceDeps } from './transcriptSurface';
import type { WebviewPrograms } from '../../../host/webviews/webviewPrograms';
import { webviewPort } from '../../../host/webviews/webviewPort';

export const transcriptViewType = 'hermes.transcript';

/** State that the tab's page keeps across a window reload. */
const keptState = v.object({ sessionId: v.string() });

interface OpenTab {
  readonly panel: vscode.WebviewPanel;
  readonly surface: TranscriptSurface;
}

/** Editor tabs "Transcript: <title>": one per shown session, read-only, restored after a window reload. */
export class TranscriptTabs implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private readonly tabs = new Set<OpenTab>();
  private count = 0;

  constructor(
    private readonly programs: WebviewPrograms,
    private readonly deps: Omit<TranscriptSurfaceDeps, 'onSession' | 'isElsewhere' | 'labelContext' | 'editor'> & {
      readonly editor: Omit<TranscriptSurfaceDeps['editor'], 'showLog'>;
    },
  ) {}

  open(sessionId: string, messageUid: string | null): void {
    if (this.showOpen(sessionId, messageUid, null)) return;
    const panel = vscode.window.createWebviewPanel(
      transcriptViewType,
      t('Transcript'),
      vscode.ViewColumn.Active,
      this.programs.options,
    );
    this.fill(panel, sessionId, messageUid);
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
    this.count++;
    const editor = { ...this.deps.editor, showLog: () => void vscode.commands.executeCommand('hermes.showLog') };
    const labelContext = { t, language: vscode.env.language };
    const tab: OpenTab = {
      panel,
      surface: new TranscriptSurface(`transcript:${this.count}`, sessionId, messageUid, webviewPort(panel.webview), {
        ...this.deps,
        editor,
        labelContext,
        onSession,
        isElsewhere: (id, uid) => this.showOpen(id, uid, tab),
      }),
    };
    const { surface } = tab;
    this.tabs.add(tab);
    panel.onDidChangeViewState(() => {
      if (!panel.visible) surface.pageUnloaded();
    });
    panel.onDidDispose(() => {
      surface.dispose();
      this.tabs.delete(tab);
    });
    this.programs.load('transcript', panel.webview);
  }
}
