import type { Failure, StopReason } from './stopReason';
import type { Usage } from './usage';

/** Result of one memory provider for a prompt. `count` 0: it cannot be counted. */
export interface Recalled {
  readonly provider: string;
  readonly label: string;
  readonly count: number;
}

interface TurnBase {
  readonly uid: string;
  readonly sessionId: string;
  readonly userMessageUid: string;
  /** Reference of the answering model, such as "Local/qwen3". */
  readonly model: string;
  /** Seconds since the epoch. */
  readonly startedAt: number;
  readonly usage: Usage | null;
  /** Turn that this one repeats (Retry). Its rows were hidden when this one opened. */
  readonly supersedes: string | null;
  /** Memory results for its prompt. Absent when there were none, or when they are unknown. */
  readonly recalled?: readonly Recalled[];
}

export type TurnOutcome = 'complete' | 'interrupted' | 'failed';

/** End of a turn. `failure` is present when something went wrong that the user can act on, and in a complete turn whose
 *  answer was continued after its connection was lost. */
export interface Settlement {
  readonly outcome: TurnOutcome;
  readonly stopReason: StopReason;
  readonly failure: Failure | null;
}

/** Row of a turn: its state says if it was cut off, so that is never guessed from the transcript's shape. */
export type Turn =
  | (TurnBase & { readonly state: 'running' })
  | (TurnBase & { readonly state: 'waiting'; readonly approvalId: string })
  | (TurnBase & { readonly state: 'settled'; readonly settledAt: number } & Settlement);

/** Versions of a prompt (Retry, Edit & Resend). One of them is shown, with the rows that followed it. */
export interface PromptVersions {
  /** Turn whose prompt is shown. */
  readonly turnUid: string;
  /** Uids of all versions including its own, oldest first. */
  readonly versions: readonly string[];
}
