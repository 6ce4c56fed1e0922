import type { StopReason } from '../transcript/stopReason';
import type { Usage } from '../transcript/usage';

/** A task that an agent hands to a sub-agent. */
export interface DelegatedTask {
  readonly task: string;
  /** What the sub-agent has to know, which sees nothing of the conversation it works for; null for nothing. */
  readonly context: string | null;
  /** In a few words, for the person; null: the task's first words. */
  readonly title: string | null;
  /** It only has tools that look. */
  readonly readOnly: boolean;
}

/** What became of a task. */
export interface DelegatedWork {
  readonly sessionId: string;
  readonly title: string;
  readonly outcome: 'complete' | 'interrupted' | 'failed';
  readonly stopReason: StopReason;
  /** What went wrong, in a sentence; null where nothing did. */
  readonly problem: string | null;
  /** The sub-agent's last words; empty where it said none. */
  readonly answer: string;
  /** Model requests it made. */
  readonly turns: number;
  readonly ms: number;
  readonly usage: Usage | null;
}

/** Has a sub-agent do a task, in a session of its own, and resolves when its turn has settled, however it ended. An aborted signal stops it first. */
export type Delegate = (task: DelegatedTask, signal: AbortSignal) => Promise<DelegatedWork>;
