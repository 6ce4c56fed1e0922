import { signal } from '@preact/signals';
import type { ChatNotifications } from '../../../protocol/chatProtocol';

/** Requests to the components: to move the focus or the scroll position, to open or to announce something. */
export class UiRequests {
  readonly pickerOpen = signal(false);
  /** Counts requests to focus the composer. */
  readonly composerFocus = signal(0);
  /** Counts requests to return to the newest text, as when a prompt is sent. */
  readonly jumpToEnd = signal(0);
  /** Message to scroll into view as soon as it is rendered. Default: none. */
  readonly revealed = signal<ChatNotifications['reveal'] | null>(null);
  /** True when the find bar was requested and must open as soon as it is loaded. */
  readonly findAsked = signal(false);
  /** Text of the polite live region: what can wait for the end of a sentence. */
  readonly announced = signal('');
  /** Text of the urgent live region: the agent's requests, and failures. */
  readonly warned = signal('');

  chooseModel(): void {
    this.pickerOpen.value = true;
  }

  announce(text: string): void {
    this.announced.value = text;
  }
}
