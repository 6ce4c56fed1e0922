/** Why a turn ended, machine-readable. What a person reads for each is worded once, in the surfaces.
 *  stop: the model finished · length: its output limit · refusal: it declined · iterations: the tool budget ·
 *  empty: it ended without a word · user: the person stopped it · newPrompt: a newer prompt took over ·
 *  windowClosed: the window went away in order · crash: the process died, found at the next start ·
 *  connectionLost: the stream broke or stalled after it began · error: the provider or the network refused ·
 *  storeFailed: nothing more could be saved, so nothing more was shown. */
export const stopReasons = [
  'stop',
  'length',
  'refusal',
  'iterations',
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

/** What went wrong with a model request, in classes that each have their own next step. */
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

/** A failure as it is stored with the turn and shown: the class, a sentence that says what happened, what is safe and what to do, and
 *  the technical text behind "Copy details" (never holds a key). */
export interface Failure {
  readonly cause: ModelFailureCause | StoreFailureCause;
  readonly sentence: string;
  readonly technical: string;
}
