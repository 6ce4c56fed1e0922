import type { ChatSurface } from '../chat/chatSurface';
import type { ChatTabs } from '../chat/chatTabs';
import type { ChatView } from '../chat/chatView';

/** Id of the panel's surface. */
export const chatSurfaceId = 'chat';

export interface ChatPlaces {
  readonly panel: ChatSurface;
  readonly chat: ChatView;
  readonly chatTabs: ChatTabs;
}

/** The chat that commands apply to: the panel, or a tab while it is the active editor and the panel is hidden. */
export class ActiveChat {
  private places: ChatPlaces | null = null;

  /** Called when the panel and the tabs are built; the parts they are built from already have this object. */
  connect(places: ChatPlaces): void {
    this.places = places;
  }

  /** Null: commands apply to the panel. */
  get tab(): ChatSurface | null {
    return this.places === null || this.places.chat.isVisible ? null : this.places.chatTabs.active;
  }

  get surface(): ChatSurface {
    const surface = this.tab ?? this.places?.panel;
    if (surface === undefined) throw new Error('The chat of this window is not built yet.');
    return surface;
  }

  get surfaceId(): string {
    return this.tab?.id ?? chatSurfaceId;
  }

  /** The panel and all tabs. */
  get all(): readonly ChatSurface[] {
    return this.places === null ? [] : [this.places.panel, ...this.places.chatTabs.surfaces];
  }

  /** Puts the cursor into the composer. */
  async focus(): Promise<void> {
    return this.tab?.focusComposer() ?? this.places?.chat.focus();
  }
}
