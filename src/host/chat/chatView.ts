import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { webviewPort, type WebviewPrograms } from '../webviews/webviewPrograms';
import type { ChatSurface } from './chatSurface';

export const chatViewId = 'hermes.chat';

/** The panel in the secondary side bar. Its page is unloaded while it is hidden: nothing is kept alive that the
 *  store can render again. */
export class ChatView implements vscode.WebviewViewProvider {
  private view: vscode.WebviewView | null = null;
  private badge: vscode.ViewBadge | undefined;

  constructor(
    private readonly programs: WebviewPrograms,
    private readonly surface: ChatSurface,
  ) {}

  get isVisible(): boolean {
    return this.view?.visible ?? false;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    view.badge = this.badge;
    const connection = this.surface.connect(webviewPort(view.webview));
    view.onDidChangeVisibility(() => {
      if (!view.visible) this.surface.pageUnloaded();
    });
    view.onDidDispose(() => {
      connection.dispose();
      if (this.view === view) this.view = null;
    });
    this.programs.load('chat', view.webview, 'panel');
  }

  /** Shows the number of sessions that wait for the user as a badge on the panel's icon. */
  showWaiting(count: number): void {
    this.badge = count === 0 ? undefined : { value: count, tooltip: t('Hermes is waiting for you') };
    if (this.view !== null) this.view.badge = this.badge;
  }

  /** Shows the panel without taking the keyboard focus, unless the panel was never shown before. */
  async reveal(): Promise<void> {
    if (this.view === null) await this.show();
    else if (!this.view.visible) this.view.show(true);
  }

  /** Shows the panel; its page decides where the cursor goes. */
  async show(): Promise<void> {
    await vscode.commands.executeCommand(`${chatViewId}.focus`);
  }

  /** Shows the panel and puts the cursor into the composer. */
  async focus(): Promise<void> {
    await this.show();
    this.surface.focusComposer();
  }
}
