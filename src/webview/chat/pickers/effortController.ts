import { signal } from '@preact/signals';
import type { ChatNotifications } from '../../../protocol/chatProtocol';
import type { ReasoningEffort } from '../../../transcript/session';
import type { Chat } from '../state/chat';

type EffortNotification = ChatNotifications['effort'];

/** Reasoning effort for the shown session. The host sends it after a render if it differs from the default. */
export class EffortController {
  private readonly known = signal<EffortNotification>({ sessionId: null, effort: 'default' });

  constructor(private readonly chat: Chat) {}

  notified(notification: EffortNotification): void {
    this.known.value = notification;
  }

  /** Returns the default until the host sends another effort; ignores the effort of another session. */
  of(sessionId: string | null): ReasoningEffort {
    const { sessionId: of, effort } = this.known.value;
    return of === sessionId ? effort : 'default';
  }

  /** Called when another session, or another segment of it, is shown; `isSame`: the conversation is the one shown
   *  before. */
  sessionShown(sessionId: string | null, isSame: boolean): void {
    const { effort } = this.known.peek();
    this.known.value = { sessionId, effort: isSame ? effort : 'default' };
  }

  /** Applies from the next request to the model. The picker shows the effort once the host has it. */
  async set(effort: ReasoningEffort): Promise<void> {
    const { chat } = this;
    await chat.ask(() => chat.host.request('setEffort', { sessionId: chat.sessionId, effort }));
  }
}
