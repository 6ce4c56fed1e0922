import { signal } from '@preact/signals';
import type { ChatNotifications } from '../../../protocol/chatProtocol';
import type { ReasoningEffort } from '../../../protocol/transcriptTypes';
import type { ChatPartNeeds } from '../state/chatPart';

type Told = ChatNotifications['effort'];

/** Reasoning effort for the shown session. The host sends it after a render if it differs from the default. */
export class Effort {
  private readonly known = signal<Told>({ sessionId: null, effort: 'default' });

  constructor(private readonly needs: Pick<ChatPartNeeds, 'host' | 'requests' | 'view'>) {}

  told(told: Told): void {
    this.known.value = told;
  }

  /** Returns the default until the host sends another effort; ignores the effort of another session. */
  of(sessionId: string | null): ReasoningEffort {
    const { sessionId: of, effort } = this.known.value;
    return of === sessionId ? effort : 'default';
  }

  /** Called when another session, or another segment of it, is shown; `goesOn`: the conversation is the one shown
   *  before. */
  drawn(sessionId: string | null, goesOn: boolean): void {
    const { effort } = this.known.peek();
    this.known.value = { sessionId, effort: goesOn ? effort : 'default' };
  }

  /** Applies from the next request to the model. The picker shows the effort once the host has it. */
  async set(effort: ReasoningEffort): Promise<void> {
    const { host, requests, view } = this.needs;
    await requests.ask(() => host.request('setEffort', { sessionId: view.sessionId, effort }));
  }
}
