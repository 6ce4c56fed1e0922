import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import * as vscode from 'vscode';
import type { Emitter } from '../../base/disposable';
import type { Log } from '../../base/log';
import { t } from '../../base/translate';
import type { GatewayPart } from '../../gateway/conversationGateway';
import { describeError } from '../common/describeError';
import { type WebviewPrograms, webviewPort } from '../webviews/webviewPrograms';
import type { ChatSurface, ChatSurfaceDeps } from './chatSurface';

export const chatTabViewType = 'hermes.chatTab';

/** State of a chat page that is used to find its session after a window reload. */
const keptState = v.object({ sessionId: v.nullable(v.string()) });

interface TabsWindow {
  readonly gateway: GatewayPart<'surfaces', 'shownSession' | 'onDidChangeSessions'>;
  readonly history: { readonly store: ChatSurfaceDeps['sessions'] };
  readonly programs: WebviewPrograms;
  /** Fires when a chat may show another session or model. */
  readonly shownChanges: Emitter<void>;
  readonly log: Log;
}

interface OpenTab {
  readonly surfaceId: string;
  readonly panel: vscode.WebviewPanel;
  readonly surface: ChatSurface;
}

/** Sessions in editor tabs. They run the same webview program as the panel. Each tab has its own surface, so it has
 *  its own agent and memory and is independent of the panel and other tabs. Tabs are restored after a window reload. */
export class ChatTabs implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private readonly tabs = new Set<OpenTab>();
  private readonly listening: vscode.Disposable;

  constructor(
    private readonly window: TabsWindow,
    private readonly createSurface: (
      surfaceId: string,
      sessions: ChatSurfaceDeps['sessions'],
      onChange: () => void,
    ) => ChatSurface,
  ) {
    this.listening = window.gateway.surfaces.onDidChangeSessions(() => {
      for (const tab of this.tabs) this.retitle(tab);
    });
  }

  /** Surface of the chat tab that is the active editor. Null: another editor or none is active. */
  get active(): ChatSurface | null {
    return [...this.tabs].find(({ panel }) => panel.active)?.surface ?? null;
  }

  get surfaces(): readonly ChatSurface[] {
    return [...this.tabs].map(({ surface }) => surface);
  }

  /** Shows a session in a new tab, or reveals the tab that already shows it. */
  async open(sessionId: string): Promise<ChatSurface> {
    const tip = await this.window.history.store.conversationTip(sessionId);
    const existing = [...this.tabs].find(({ surface }) => surface.shownSession === tip);
    if (existing !== undefined) {
      existing.panel.reveal();
      existing.surface.focusComposer();
      return existing.surface;
    }
    const panel = vscode.window.createWebviewPanel(
      chatTabViewType,
      t('Hermes'),
      vscode.ViewColumn.Active,
      this.window.programs.options,
    );
    const surface = this.fill(panel, tip);
    surface.focusComposer();
    return surface;
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const kept = v.safeParse(keptState, state);
    this.fill(panel, kept.success ? kept.output.sessionId : null);
  }

  dispose(): void {
    this.listening.dispose();
    for (const { surface } of this.tabs) surface.dispose();
    this.tabs.clear();
  }

  private fill(panel: vscode.WebviewPanel, sessionId: string | null): ChatSurface {
    const surfaceId = `tab:${randomUUID()}`;
    const tab: OpenTab = {
      surfaceId,
      panel,
      surface: this.createSurface(surfaceId, ownMemory(this.window.history.store, sessionId), () => this.retitle(tab)),
    };
    const { surface } = tab;
    this.tabs.add(tab);
    const connection = surface.connect(webviewPort(panel.webview));
    panel.onDidChangeViewState(() => {
      if (!panel.visible) surface.pageUnloaded();
      this.window.shownChanges.fire();
    });
    panel.onDidDispose(() => {
      this.tabs.delete(tab);
      connection.dispose();
      surface.dispose();
      this.window.shownChanges.fire();
    });
    this.window.programs.load('chat', panel.webview, 'editor');
    return surface;
  }

  private retitle(tab: OpenTab): void {
    this.titleOf(tab).then(
      (title) => {
        if (this.tabs.has(tab) && tab.panel.title !== title) tab.panel.title = title;
      },
      (error: unknown) => this.window.log.warn(`The title of a chat tab: ${describeError(error).sentence}`),
    );
  }

  private async titleOf({ surface }: OpenTab): Promise<string> {
    const sessionId = surface.shownSession;
    const session = sessionId === null ? null : await this.window.history.store.getSession(sessionId);
    if (session === null) return t('New Session');
    return session.title ?? t('Untitled Session');
  }
}

/** Wraps the store for the surface of a tab. The page of a tab remembers which session it shows, not the store: a
 *  closed tab leaves no trace, and a second window with the same history has its own tabs. */
export function ownMemory(sessions: ChatSurfaceDeps['sessions'], shown: string | null): ChatSurfaceDeps['sessions'] {
  let remembered = shown;
  return {
    ...sessions,
    getMeta: async () => remembered,
    setMeta: async (_key, value) => void (remembered = value),
  };
}
