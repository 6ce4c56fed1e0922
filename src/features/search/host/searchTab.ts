import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import { SearchSurface, type SearchDeps } from './searchSurface';
import type { WebviewPrograms } from '../../../host/webviews/webviewPrograms';
import { webviewPort } from '../../../host/webviews/webviewPort';

export const searchViewType = 'hermes.search';

/** The editor tab "Search Sessions". There is only one. It is restored after a window reload, with the typed text. */
export class SearchTab implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private open: { readonly panel: vscode.WebviewPanel; readonly surface: SearchSurface } | null = null;

  constructor(
    private readonly programs: WebviewPrograms,
    private readonly deps: SearchDeps,
  ) {}

  /** Shows the screen. `text` replaces the text in its field; null keeps it. */
  show(text: string | null): void {
    if (this.open === null) {
      const title = t('Search Sessions');
      this.fill(
        vscode.window.createWebviewPanel(searchViewType, title, vscode.ViewColumn.Active, this.programs.options),
        text ?? '',
      );
      return;
    }
    this.open.panel.reveal();
    if (text !== null) this.open.surface.ask(text);
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    if (this.open === null) this.fill(panel, null);
    else panel.dispose();
  }

  dispose(): void {
    this.open?.surface.dispose();
    this.open = null;
  }

  private fill(panel: vscode.WebviewPanel, asked: string | null): void {
    const surface = new SearchSurface(asked, webviewPort(panel.webview), this.deps);
    const opened = { panel, surface };
    this.open = opened;
    panel.onDidChangeViewState(() => {
      if (!panel.visible) surface.pageUnloaded();
    });
    panel.onDidDispose(() => {
      surface.dispose();
      if (this.open === opened) this.open = null;
    });
    this.programs.load('search', panel.webview);
  }
}
