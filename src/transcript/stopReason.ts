/** Reason why a turn ended, machine-readable. Surfaces define the texts once. stop: the model finished. length: its
 *  output limit. refusal: it declined. iterations: the tool budget. spendingLimit:
 *  the session's cost reached the user's limit. empty: it ended without text. user: the user
 *  stopped it. newPrompt: a newer prompt took over. windowClosed: the window closed normally. crash: the process
 *  died, detected at the next start. connectionLost: the stream broke or stalled after it began. error: the provider
 *  or the network refused. storeFailed: nothing more could be saved, so nothing more was shown. */
export const stopReasons = [
  'stop',
  'length',
  'refusal',
  'iterations',
  'spendingLimit',
  'empty',
  'user',
  'newPrompt',
  'windowClosed',
  'crash',
  'connectionLost',
  'error',
  'storeFailed',
] as const;
export type StopReason = (typeof stopReasons)[number];

/** Causes of a failed model request, each with its own next step. */
export const modelFailureCauses = [
  'auth',
  'noKey',
  'quota',
  'rateLimit',
  'overloaded',
  'notFound',
  'context',
  'badRequest',
  'contentFilter',
  'network',
  'timeout',
  'notAnApi',
  'empty',
  'consent',
  'noModel',
  'unknown',
] as const;
export type ModelFailureCause = (typeof modelFailureCauses)[number];

export const storeFailureCauses = ['locked', 'full', 'readOnly', 'corrupt', 'newer', 'replaced', 'unknown'] as const;
export type StoreFailureCause = (typeof storeFailureCauses)[number];

/** Causes of a turn that stopped so that the user decides. hook: a program of the user or the folder said so. */
export const limitCauses = ['spendingLimit', 'hook'] as const;
type LimitCause = (typeof limitCauses)[number];

/** Failure as it is stored with the turn and shown. `sentence`: what happened, what is safe, and what to do.
 *  `technical`: the text for "Copy details" (never contains a key). */
export interface Failure {
  readonly cause: ModelFailureCause | StoreFailureCause | LimitCause;
  readonly sentence: string;
  readonly technical: string;
}
