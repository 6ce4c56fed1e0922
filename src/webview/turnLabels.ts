import type { Message } from '../transcript/message';
import { t, pageLanguage } from './localization';
import type { Failure, StopReason } from '../transcript/stopReason';
import type { Turn, Recalled } from '../transcript/turn';
import { dollars, type Usage } from '../transcript/usage';
import { compactCount, percentOf } from './times';

export type FinishedTurn = Turn & { readonly state: 'settled' };

/** Actions that a turn's outcome offers. */
export type OutcomeAction =
  | 'retry'
  | 'continue'
  | 'chooseModel'
  | 'pasteKey'
  | 'replaceKey'
  | 'setUpModel'
  | 'compress'
  | 'newSession'
  | 'showDetails';

interface OutcomeLabel {
  /** Severity: a plain remark, something cut off, something that failed. */
  readonly tone: 'info' | 'warning' | 'error';
  readonly sentence: string;
  readonly actions: readonly OutcomeAction[];
}

/** Amount of the answer shown when its turn ended. */
export interface ShownAnswer {
  readonly wordCount: number;
  readonly hasThinking: boolean;
  readonly hasCalls: boolean;
}

/** Null: nothing to say. The sentence of a spending limit, with its amounts, is that of its failure. */
const stopSentences: Readonly<Record<StopReason, (shown: ShownAnswer) => string | null>> = {
  stop: () => null,
  spendingLimit: () => null,
  length: () => t('The answer hit the model’s output limit. Everything shown is saved. Continue to get the rest.'),
  refusal: () =>
    t('The model declined to answer. Everything shown is saved. Rephrase your prompt, or choose another model.'),
  iterations: () => t('Step limit reached. Everything shown is saved. Continue to allow more steps.'),
  empty: () => t('The model returned an empty answer. Your prompt is saved. Retry, or choose another model.'),
  user: (shown) =>
    hasBegun(shown)
      ? t('You stopped this answer. Everything shown is saved.')
      : t('You stopped this before the answer started. Your prompt is saved.'),
  newPrompt: () => t('Replaced by a newer prompt. Everything shown is saved.'),
  windowClosed: (shown) =>
    t('Interrupted: the window closed or VS Code stopped {after}. Everything shown is saved.', {
      after: after(shown),
    }),
  crash: (shown) =>
    t('Interrupted: the extension host stopped {after}. Everything shown is saved.', {
      after: after(shown),
    }),
  connectionLost: (shown) =>
    t('Interrupted: the connection was lost {after}. Everything shown is saved.', { after: after(shown) }),
  error: () => t('The request failed. Everything shown is saved. Retry, or choose another model.'),
  storeFailed: () =>
    t(
      'Nothing more could be saved, so the answer stopped. Everything shown is saved. Continue when there is room again.',
    ),
};

const choose = ['chooseModel', 'retry', 'showDetails'] as const;
const repeat = ['again', 'showDetails'] as const;
const repeatOrChoose = ['again', 'chooseModel', 'showDetails'] as const;

/** Actions after a failure. again: Retry and, if there is something to continue, Continue. */
const failureActions: Readonly<Record<Failure['cause'], readonly (OutcomeAction | 'again')[]>> = {
  context: ['compress', 'newSession', 'chooseModel', 'retry', 'showDetails'],
  noModel: choose,
  notFound: choose,
  contentFilter: choose,
  spendingLimit: ['continue'],
  auth: ['replaceKey', ...choose],
  noKey: ['pasteKey', ...choose],
  quota: ['setUpModel', ...choose],
  notAnApi: ['setUpModel', ...choose],
  network: repeatOrChoose,
  timeout: repeatOrChoose,
  rateLimit: repeatOrChoose,
  overloaded: repeatOrChoose,
  badRequest: repeatOrChoose,
  empty: repeatOrChoose,
  consent: repeatOrChoose,
  locked: repeat,
  full: repeat,
  readOnly: repeat,
  corrupt: repeat,
  newer: repeat,
  replaced: repeat,
  hook: repeat,
  unknown: repeat,
};

/** Notice below an answer about its outcome: what happened, what is safe, what can be done; null when there is
 *  nothing to say. `began`: true when there is something to continue. */
export function outcomeLabel(turn: FinishedTurn, shown: ShownAnswer, began = hasBegun(shown)): OutcomeLabel | null {
  const again: readonly OutcomeAction[] = began ? ['continue', 'retry'] : ['retry'];
  if (turn.failure !== null && turn.outcome === 'complete')
    return { tone: 'info', sentence: turn.failure.sentence, actions: ['showDetails'] };
  if (turn.failure !== null)
    return {
      tone: turn.stopReason === 'spendingLimit' ? 'warning' : 'error',
      sentence: failureSentence(turn.failure, turn.stopReason, shown),
      actions: failureActions[turn.failure.cause].flatMap((action) => (action === 'again' ? again : [action])),
    };
  const sentence = stopSentences[turn.stopReason](shown);
  if (sentence === null) return null;
  const tone =
    turn.outcome === 'failed'
      ? 'error'
      : turn.stopReason === 'user' || turn.stopReason === 'newPrompt'
        ? 'info'
        : 'warning';
  const another: readonly OutcomeAction[] =
    turn.stopReason === 'refusal' || turn.stopReason === 'empty' || turn.stopReason === 'error' ? ['chooseModel'] : [];
  return { tone, sentence, actions: [...again, ...another] };
}

function hasBegun({ wordCount, hasThinking, hasCalls }: ShownAnswer): boolean {
  return wordCount > 0 || hasThinking || hasCalls;
}

function after({ wordCount, hasThinking, hasCalls }: ShownAnswer): string {
  if (wordCount === 0 && hasCalls) return t('while the agent was working');
  if (wordCount === 0) return hasThinking ? t('while the model was thinking') : t('before the answer started');
  return wordCount === 1 ? t('after 1 word') : t('after {count} words', { count: wordCount });
}

// A failure's sentence says what happened and what to do. If part of the answer was shown, the text first says how
// much.
function failureSentence(failure: Failure, reason: StopReason, shown: ShownAnswer): string {
  return reason === 'connectionLost' && hasBegun(shown)
    ? t('Interrupted {after}. {sentence}', { after: after(shown), sentence: failure.sentence })
    : failure.sentence;
}

const stopReasonWords: Readonly<Record<StopReason, () => string>> = {
  stop: () => t('finished'),
  length: () => t('output limit'),
  refusal: () => t('declined'),
  iterations: () => t('step limit'),
  spendingLimit: () => t('spending limit'),
  empty: () => t('empty answer'),
  user: () => t('stopped by you'),
  newPrompt: () => t('newer prompt'),
  windowClosed: () => t('shut down'),
  crash: () => t('crash'),
  connectionLost: () => t('connection lost'),
  error: () => t('failed'),
  storeFailed: () => t('could not be saved'),
};

/** A stop reason in a few words, for tables. */
export function stopReasonWord(turn: FinishedTurn): string {
  return stopReasonWords[turn.stopReason]();
}

const actionWords: Readonly<Record<OutcomeAction, () => string>> = {
  retry: () => t('Retry'),
  continue: () => t('Continue'),
  chooseModel: () => t('Choose Model'),
  pasteKey: () => t('Paste a Key'),
  replaceKey: () => t('Replace Key…'),
  setUpModel: () => t('Set Up Model'),
  compress: () => t('Compress…'),
  newSession: () => t('New Session'),
  showDetails: () => t('Show Details'),
};

export function actionWord(action: OutcomeAction): string {
  return actionWords[action]();
}

/** Returns the name of a model without its provider: its label if it is `known`, else from its ref. */
export function modelName(ref: string, known: { readonly ref: string; readonly label: string } | null = null): string {
  return known?.ref === ref ? known.label : ref.slice(ref.indexOf('/') + 1);
}

const whole = new Intl.NumberFormat(pageLanguage);

const leastCost = 0.0001;

/** "12.3K tok (80% cached)": tokens sent to and received from the model. Null when neither was counted. */
export function tokenText({ inputTokens, outputTokens, cachedInputTokens }: Usage): string | null {
  if (inputTokens === null && outputTokens === null) return null;
  const tokens = compactCount((inputTokens ?? 0) + (outputTokens ?? 0));
  if (cachedInputTokens === null || cachedInputTokens === 0 || inputTokens === null || inputTokens === 0)
    return t('{tokens} tok', { tokens });
  return t('{tokens} tok ({share} cached)', { tokens, share: percentOf(Math.min(1, cachedInputTokens / inputTokens)) });
}

/** "$0.021". Null when unknown, and for a request that was free. */
export function costText({ costUsd }: Usage): string | null {
  if (costUsd === null || costUsd === undefined || costUsd === 0) return null;
  if (costUsd < leastCost) return t('less than {cost}', { cost: dollars(leastCost, pageLanguage) });
  return dollars(costUsd, pageLanguage);
}

/** All counts, one per line: for a tooltip or a list. */
export function usageLines(usage: Usage): readonly string[] {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens, requests } = usage;
  const counted = (count: number | null, label: (tokens: string) => string): readonly string[] =>
    count === null ? [] : [label(whole.format(count))];
  const some = (count: number | null): number | null => (count === 0 ? null : count);
  const cost = costText(usage);
  return [
    ...counted(inputTokens, (tokens) => t('Input: {tokens} tokens', { tokens })),
    ...counted(some(cachedInputTokens), (tokens) => t('from the cache: {tokens}', { tokens })),
    ...counted(some(cacheWriteTokens), (tokens) => t('written to the cache: {tokens}', { tokens })),
    ...counted(outputTokens, (tokens) => t('Output: {tokens} tokens', { tokens })),
    ...counted(some(reasoningTokens), (tokens) => t('for reasoning: {tokens}', { tokens })),
    ...(requests === undefined ? [] : [requests === 1 ? t('1 request') : t('{count} requests', { count: requests })]),
    ...(cost === null ? [] : [t('Cost: {cost}', { cost })]),
  ];
}

/** Describes the memories recalled for a prompt in a few words; empty when there are none. */
export function recalledLabels(found: readonly Recalled[]): readonly string[] {
  const hooks = found.filter(({ provider }) => provider === 'hooks').map(({ label }) => label);
  if (hooks.length > 0) return [...hooks, ...recalledLabels(found.filter(({ provider }) => provider !== 'hooks'))];
  const count = found.reduce((sum, one) => sum + one.count, 0);
  const labels = found.filter((one) => one.count === 0 && one.label !== '').map(({ label }) => label);
  if (count === 0) return labels.slice(0, 1);
  return [count === 1 ? t('Recalled 1 memory') : t('Recalled {count} memories', { count: String(count) })];
}

const roleWords: Readonly<Record<Message['role'], () => string>> = {
  user: () => t('You'),
  assistant: () => t('Hermes'),
  tool: () => t('Tool'),
};

/** Author of a stored message. */
export function roleWord(role: Message['role']): string {
  return roleWords[role]();
}
