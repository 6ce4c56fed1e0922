import { signal } from '@preact/signals';
import type { ChatNotifications } from '../../../protocol/chatProtocol';
import type { ReasoningEffort } from '../../../protocol/transcriptTypes';
import type { HostRequests } from '../connection/hostRequests';

interface EffortNeeds {
  readonly requests: HostRequests;
  readonly shownSession: () => string | null;
  readonly setEffort: (sessionId: string | null, effort: ReasoningEffort) => Promise<unknown>;
}

type Told = ChatNotifications['effort'];

/** How hard the model is asked to think in what is shown. The host says it behind a drawing where it is another one than the default. */
export class Effort {
  private readonly known = signal<Told>({ sessionId: null, effort: 'default' });

  constructor(private readonly needs: EffortNeeds) {}

  told(told: Told): void {
    this.known.value = told;
  }

  /** The default until it is told otherwise; what was told of another session is not believed. */
  of(sessionId: string | null): ReasoningEffort {
    const { sessionId: of, effort } = this.known.value;
    return of === sessionId ? effort : 'default';
  }

  /** Another session, or another segment of it, is drawn; `goesOn`: the conversation is the one that was shown before. */
  drawn(sessionId: string | null, goesOn: boolean): void {
    const { effort } = this.known.peek();
    this.known.value = { sessionId, effort: goesOn ? effort : 'default' };
  }

  /** From the next request to the model on. The picker shows it once the host has it. */
  async set(effort: ReasoningEffort): Promise<void> {
    await this.needs.requests.ask(() => this.needs.setEffort(this.needs.shownSession(), effort));
  }
}
