import type { StopReason } from '../transcript/stopReason';
import type { Usage } from '../transcript/usage';

/** A task that an agent hands to a sub-agent. */
export interface DelegatedTask {
  readonly task: string;
  /** Facts that the sub-agent needs, because it does not see the parent's conversation. Null: none. */
  readonly context: string | null;
  /** Short title for the user. Null: the first words of the task. */
  readonly title: string | null;
  /** True when it only gets read-only tools. */
  readonly readOnly: boolean;
  /** Name of the file that describes the sub-agent. Null: the usual one. */
  readonly agent: string | null;
}

/** Result of a delegated task. */
export interface DelegatedWork {
  readonly sessionId: string;
  readonly title: string;
  readonly outcome: 'complete' | 'interrupted' | 'failed';
  readonly stopReason: StopReason;
  /** Sentence that says what went wrong; null when nothing did. */
  readonly problem: string | null;
  /** Last answer of the sub-agent; empty when there is none. */
  readonly answer: string;
  /** Number of model requests it made. */
  readonly turns: number;
  readonly ms: number;
  readonly usage: Usage | null;
}

/** Runs a task with a sub-agent, in a separate session. Resolves after its turn has settled, however it ended. An
 *  aborted signal interrupts the turn first. */
export type Delegate = (task: DelegatedTask, signal: AbortSignal) => Promise<DelegatedWork>;
