import { signal, type Signal } from '@preact/signals';
import type { ChatNotifications } from '../../../protocol/chatProtocol';

/** Requests to the components: to move the focus or the scroll position, or to open something. */
export class ScreenRequests {
  readonly pickerOpen: Signal<boolean> = signal(false);
  /** Counts requests to focus the composer. */
  readonly composerFocus: Signal<number> = signal(0);
  /** Counts requests to return to the newest text. */
  readonly jumpToEnd: Signal<number> = signal(0);
  /** Message to scroll into view as soon as it is rendered. Default: none. */
  readonly revealed: Signal<ChatNotifications['reveal'] | null> = signal(null);
  /** True when the find bar was requested and must open as soon as it is loaded. */
  readonly findAsked: Signal<boolean> = signal(false);

  focusComposer(): void {
    this.composerFocus.value++;
  }

  /** Returns the view to the newest text, as when a prompt is sent. */
  showNewest(): void {
    this.jumpToEnd.value++;
  }
}
