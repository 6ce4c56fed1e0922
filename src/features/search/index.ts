import * as v from 'valibot';
import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { registerCommands } from '../../host/common/commands';
import { webviewPort } from '../../host/webviews/webviewPrograms';
import type { WindowContext } from '../../host/window/windowContext';
import { SearchSurface } from './host/searchSurface';

const viewType = 'hermes.search';

/** The screen that searches all sessions of the window's history. */
export function register(window: WindowContext): void {
  const tab = window.own(new SearchTab(window));
  window.own(vscode.window.registerWebviewPanelSerializer(viewType, tab));
  window.own(
    registerCommands(
      {
        /** Searches for the given words; without words, the field keeps its text. */
        searchSessions: async (words) => tab.show(v.is(v.string(), words) ? words : null),
      },
      window.log,
    ),
  );
}

/** The editor tab "Search Sessions". There is only one. It is restored after a window reload, with the typed text. */
class SearchTab implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private open: { readonly panel: vscode.WebviewPanel; readonly surface: SearchSurface } | null = null;

  constructor(private readonly window: WindowContext) {}

  /** Shows the screen. `text` replaces the text in its field; null keeps it. */
  show(text: string | null): void {
    if (this.open === null) {
      const title = t('Search Sessions');
      this.fill(
        vscode.window.createWebviewPanel(viewType, title, vscode.ViewColumn.Active, this.window.programs.options),
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
    const surface = new SearchSurface(asked, webviewPort(panel.webview), this.window);
    const opened = { panel, surface };
    this.open = opened;
    panel.onDidChangeViewState(() => {
      if (!panel.visible) surface.pageUnloaded();
    });
    panel.onDidDispose(() => {
      surface.dispose();
      if (this.open === opened) this.open = null;
    });
    this.window.programs.load('search', panel.webview);
  }
}
