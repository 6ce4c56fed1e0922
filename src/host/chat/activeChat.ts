import type { ChatSurface } from './chatSurface';
import type { ChatTabs } from './chatTabs';
import type { ChatView } from './chatView';

/** Id of the panel's surface. */
export const chatSurfaceId = 'chat';

interface ChatPlaces {
  readonly panel: ChatSurface;
  readonly chat: ChatView;
  readonly chatTabs: ChatTabs;
}

/** The chat that commands apply to: the panel, or a tab while it is the active editor and the panel is hidden. */
export class ActiveChat {
  constructor(private readonly window: ChatPlaces) {}

  /** Null: commands apply to the panel. */
  get tab(): ChatSurface | null {
    const { chat, chatTabs } = this.window;
    return chat.isVisible ? null : chatTabs.active;
  }

  get surface(): ChatSurface {
    return this.tab ?? this.window.panel;
  }

  get surfaceId(): string {
    return this.surface.id;
  }

  /** The panel and all tabs. */
  get all(): readonly ChatSurface[] {
    return [this.window.panel, ...this.window.chatTabs.surfaces];
  }

  /** Puts the cursor into the composer. */
  async focus(): Promise<void> {
    const { tab } = this;
    if (tab === null) await this.window.chat.focus();
    else tab.focusComposer();
  }
}
