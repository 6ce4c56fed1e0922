import type { Recalled } from './recalled';
import type { Failure, StopReason } from './stopReason';
import type { Usage } from './usage';

interface TurnBase {
  readonly uid: string;
  readonly sessionId: string;
  readonly userMessageUid: string;
  /** Reference of the model that answers, e.g. "Local/qwen3". */
  readonly model: string;
  /** Seconds since the epoch. */
  readonly startedAt: number;
  readonly usage: Usage | null;
  /** The turn this one repeats (Retry), whose rows were hidden when this one was opened. */
  readonly supersedes: string | null;
  /** What memory found for its prompt; absent where that was nothing, or is not known. */
  readonly recalled?: readonly Recalled[];
}

export type TurnOutcome = 'complete' | 'interrupted' | 'failed';

/** How a turn ended. `failure` is present exactly when something went wrong that a person can act on. */
export interface Settlement {
  readonly outcome: TurnOutcome;
  readonly stopReason: StopReason;
  readonly failure: Failure | null;
}

/** A turn is a row: whether it was cut off is read here, never guessed from the transcript's shape. */
export type Turn =
  | (TurnBase & { readonly state: 'running' })
  | (TurnBase & { readonly state: 'waiting'; readonly approvalId: string })
  | (TurnBase & { readonly state: 'settled'; readonly settledAt: number } & Settlement);

/** Ways in which a prompt was asked (Retry, Edit & Resend), of which one is shown with what followed it. */
export interface PromptVersions {
  /** The turn whose prompt is shown. */
  readonly turnUid: string;
  /** Its own uid among those of the others, oldest first. */
  readonly versions: readonly string[];
}
