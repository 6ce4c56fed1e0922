import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { Turn } from '../../../protocol/transcriptTypes';
import { initialState, reduce, type ChatEvent, type ChatViewState } from './chatState';
import { openTurn, type Conversation } from './conversation';
import { steadyState } from './steadyState';

/** Holds the view state as signals. Every change of the state is an event given to `dispatch`. */
export class ChatStateSignals {
  private readonly current = signal<ChatViewState>(initialState);

  constructor(private readonly nowMs: () => number) {}

  get all(): ReadonlySignal<ChatViewState> {
    return this.current;
  }

  /** The view state without streaming text; see steadyState.ts. */
  readonly steady: ReadonlySignal<ChatViewState> = steadyState(this.current);

  readonly running: ReadonlySignal<Turn | null> = computed(() => {
    const { conversation } = this.steady.value;
    return conversation === null ? null : openTurn(conversation);
  });

  /** True while a turn runs or the session is being summarized: prompts sent now are queued. */
  readonly isBusy: ReadonlySignal<boolean> = computed(
    () => this.running.value !== null || this.steady.value.conversation?.activity?.turnUid === null,
  );

  /** Prompt files of the project, offered after "/" next to the commands. */
  readonly promptFiles: ReadonlySignal<ChatViewState['promptFiles']> = computed(() => this.steady.value.promptFiles);

  /** The shown session with its newest messages. */
  get conversation(): Conversation | null {
    return this.current.peek().conversation;
  }

  /** Id of the shown session. */
  get sessionId(): string | null {
    return this.conversation?.session.id ?? null;
  }

  dispatch(event: ChatEvent): void {
    this.current.value = reduce(this.current.peek(), event, this.nowMs());
  }
}
