import * as vscode from 'vscode';
import type { ChatBridge } from './chatBridge';
import type { PageKeys } from './pageKeys';
import { webviewPort } from './webviewPort';
import type { WebviewPrograms } from './webviewPrograms';

export const chatViewId = 'hermes.chat';

/** The panel in the secondary side bar. Hidden, its page is unloaded (nothing is kept alive that the store can draw again). */
export class ChatView implements vscode.WebviewViewProvider {
  private view: vscode.WebviewView | null = null;
  private badge: vscode.ViewBadge | undefined;

  constructor(
    private readonly programs: WebviewPrograms,
    private readonly bridge: ChatBridge,
    /** Of the page that this view shows. */
    private readonly keys: PageKeys,
  ) {}

  get isVisible(): boolean {
    return this.view?.visible ?? false;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    view.badge = this.badge;
    const connection = this.bridge.connect(webviewPort(view.webview));
    view.onDidChangeVisibility(() => {
      if (view.visible) return;
      this.bridge.pageUnloaded();
      this.keys.wentElsewhere();
    });
    view.onDidDispose(() => {
      connection.dispose();
      if (this.view === view) this.view = null;
    });
    this.programs.load('chat', view.webview, 'panel');
  }

  /** How many sessions wait for the person, on the panel's icon. */
  showWaiting(count: number): void {
    this.badge = count === 0 ? undefined : { value: count, tooltip: vscode.l10n.t('Hermes waits for you') };
    if (this.view !== null) this.view.badge = this.badge;
  }

  /** Brings the panel into sight; the keys stay where they are, except where it was never shown before. */
  async reveal(): Promise<void> {
    if (this.view === null) await this.show();
    else if (!this.view.visible) this.view.show(true);
  }

  /** Shows the panel and leaves the cursor where its page puts it. */
  async show(): Promise<void> {
    await vscode.commands.executeCommand(`${chatViewId}.focus`);
  }

  /** Begins something that leads to a box or a file dialog of the editor, behind which the keys would be with the group of editors: what this
   *  returns gives them to the composer, where the panel had them. `from`: a command that names its session came from where the keys are at this moment. */
  holdKeys(from: 'here' | 'palette'): () => Promise<void> {
    const hadThem = from === 'here' ? this.keys.isHere : this.keys.wasHere;
    return async () => {
      // To a place in the page: the editor may take the page for the one that has them already, while it has not.
      if (hadThem) await this.focus();
    };
  }

  /** Shows the panel and puts the cursor into the composer. */
  async focus(): Promise<void> {
    await this.show();
    this.bridge.focusComposer();
  }
}
