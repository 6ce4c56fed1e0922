import type { ChatNotifications } from '../../protocol/chatProtocol';

type Notify = <K extends 'focusComposer' | 'find' | 'insertPrompt' | 'reveal'>(
  name: K,
  payload: ChatNotifications[K],
) => void;

/** Actions for a page once it shows the conversation. Sends each once, always in the same order. */
export class PendingViewActions {
  private isFocusDue = false;
  private isFindDue = false;
  private insertions: readonly ChatNotifications['insertPrompt'][] = [];
  private revealed: ChatNotifications['reveal'] | null = null;

  focusComposer(): void {
    this.isFocusDue = true;
  }

  find(): void {
    this.isFindDue = true;
  }

  /** Adds text and parts to the composer. */
  insertPrompt(insertion: ChatNotifications['insertPrompt']): void {
    this.insertions = [...this.insertions, insertion];
  }

  reveal(message: ChatNotifications['reveal']): void {
    this.revealed = message;
  }

  /** Called when another session is shown. */
  forgetReveal(): void {
    this.revealed = null;
  }

  sendTo(notify: Notify): void {
    const { isFocusDue, isFindDue, insertions, revealed } = this;
    this.isFocusDue = false;
    this.isFindDue = false;
    this.insertions = [];
    this.revealed = null;
    if (isFocusDue) notify('focusComposer', {});
    if (isFindDue) notify('find', {});
    for (const insertion of insertions) notify('insertPrompt', insertion);
    if (revealed !== null) notify('reveal', revealed);
  }
}
