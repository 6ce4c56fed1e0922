import { t } from './localization';
import type { Message } from '../transcript/message';
import type { Failure, StopReason } from '../transcript/stopReason';
import type { Turn } from '../transcript/turn';

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
      actions: failureActions(turn.failure, again),
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

function failureActions(failure: Failure, again: readonly OutcomeAction[]): readonly OutcomeAction[] {
  switch (failure.cause) {
    case 'context':
      return ['compress', 'newSession', 'chooseModel', 'retry', 'showDetails'];
    case 'noModel':
    case 'notFound':
    case 'contentFilter':
      return ['chooseModel', 'retry', 'showDetails'];
    case 'spendingLimit':
      return ['continue'];
    case 'auth':
      return ['replaceKey', 'chooseModel', 'retry', 'showDetails'];
    case 'noKey':
      return ['pasteKey', 'chooseModel', 'retry', 'showDetails'];
    case 'quota':
    case 'notAnApi':
      return ['setUpModel', 'chooseModel', 'retry', 'showDetails'];
    case 'network':
    case 'timeout':
    case 'rateLimit':
    case 'overloaded':
    case 'badRequest':
    case 'empty':
    case 'consent':
      return [...again, 'chooseModel', 'showDetails'];
    case 'locked':
    case 'full':
    case 'readOnly':
    case 'corrupt':
    case 'newer':
    case 'replaced':
    case 'hook':
    case 'unknown':
      return [...again, 'showDetails'];
  }
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

/** Author of a stored message. */
export function roleWord(role: Message['role']): string {
  return { user: t('You'), assistant: t('Hermes'), tool: t('Tool') }[role];
}
