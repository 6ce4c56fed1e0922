import type { StopReason } from './stopReason';

const closingTexts: { readonly [R in StopReason]: string } = {
  stop: '(No answer was given.)',
  length: '(The output limit was reached before an answer.)',
  refusal: '(The request was declined.)',
  iterations: '(The limit of tool calls was reached before an answer.)',
  spendingLimit: '(Paused before an answer: the spending limit of the session was reached.)',
  empty: '(No answer was given.)',
  user: '(Stopped by the user before an answer. Do not resume this request unless asked.)',
  newPrompt: '(Stopped: the user sent a newer message instead.)',
  windowClosed: '(Stopped before an answer: the window was closed.)',
  crash: '(Stopped before an answer: the program ended unexpectedly.)',
  connectionLost: '(Stopped before an answer: the connection was lost.)',
  error: '(The request failed before an answer.)',
  storeFailed: '(Stopped before an answer: it could not be saved.)',
};

/** Text that the model gets as the assistant's side of a turn without an answer. Fixed per stop reason: so two
 *  prompts are never adjacent, no old question is answered again, and a provider's prompt cache stays valid. Never
 *  shown. */
export function closingText(reason: StopReason): string {
  return closingTexts[reason];
}

export const allClosingTexts: readonly string[] = Object.values(closingTexts);

/** Text that the model gets for a call without a result when its turn closes. A provider rejects a request with an
 *  unanswered call (hermes-agent#11351). interrupted: it may have run. cancelled: it never started. */
export function closingResultText(outcome: 'interrupted' | 'cancelled'): string {
  return outcome === 'interrupted'
    ? '(Interrupted before a result was recorded. It may have run, in whole or in part.)'
    : '(Cancelled: this call was not run.)';
}
