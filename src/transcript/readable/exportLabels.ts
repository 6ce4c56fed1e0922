import type { Translate } from '../../base/translate';
import type { HiddenReason } from '../message';
import type { ToolOutcome } from '../part';
import type { StopReason } from '../stopReason';

/** Sentence that tells how a turn ended. Null: it simply finished. */
export function endText(reason: StopReason, t: Translate): string | null {
  return {
    stop: null,
    length: t('The answer hit the model’s output limit.'),
    refusal: t('The model declined to answer.'),
    iterations: t('Step limit reached.'),
    spendingLimit: t('Spending limit reached.'),
    empty: t('The model returned an empty answer.'),
    user: t('Stopped by you.'),
    newPrompt: t('Replaced by a newer prompt.'),
    windowClosed: t('Interrupted: the window closed or VS Code stopped.'),
    crash: t('Interrupted: the extension host stopped.'),
    connectionLost: t('Interrupted: the connection was lost.'),
    error: t('The request failed.'),
    storeFailed: t('Stopped because nothing more could be saved.'),
  }[reason];
}

export function outcomeText(outcome: ToolOutcome, t: Translate): string {
  return {
    done: t('done'),
    failed: t('failed'),
    denied: t('denied'),
    cancelled: t('canceled'),
    interrupted: t('interrupted'),
  }[outcome];
}

export function hiddenText(reason: HiddenReason, t: Translate): string {
  return {
    retried: t('hidden: retried'),
    edited: t('hidden: edited'),
    rewound: t('hidden: rewound'),
    merged: t('hidden: merged into another row'),
    dropped: t('hidden: removed by a repair'),
    compressed: t('hidden: summarized'),
  }[reason];
}
