import type { Translate } from '../../base/translate';
import type { HiddenReason } from '../message';
import type { ToolOutcome } from '../part';
import type { StopReason } from '../stopReason';

/** Sentence that tells how a turn ended. Null: it simply finished. */
export function endText(reason: StopReason, t: Translate): string | null {
  switch (reason) {
    case 'stop':
      return null;
    case 'length':
      return t('The answer hit the model’s output limit.');
    case 'refusal':
      return t('The model declined to answer.');
    case 'iterations':
      return t('Step limit reached.');
    case 'spendingLimit':
      return t('Spending limit reached.');
    case 'empty':
      return t('The model returned an empty answer.');
    case 'user':
      return t('Stopped by you.');
    case 'newPrompt':
      return t('Replaced by a newer prompt.');
    case 'windowClosed':
      return t('Interrupted: the window closed or VS Code stopped.');
    case 'crash':
      return t('Interrupted: the extension host stopped.');
    case 'connectionLost':
      return t('Interrupted: the connection was lost.');
    case 'error':
      return t('The request failed.');
    case 'storeFailed':
      return t('Stopped because nothing more could be saved.');
    default:
      return reason satisfies never;
  }
}

export function outcomeText(outcome: ToolOutcome, t: Translate): string {
  switch (outcome) {
    case 'done':
      return t('done');
    case 'failed':
      return t('failed');
    case 'denied':
      return t('denied');
    case 'cancelled':
      return t('canceled');
    case 'interrupted':
      return t('interrupted');
    default:
      return outcome satisfies never;
  }
}

export function hiddenText(reason: HiddenReason, t: Translate): string {
  switch (reason) {
    case 'retried':
      return t('hidden: retried');
    case 'edited':
      return t('hidden: edited');
    case 'rewound':
      return t('hidden: rewound');
    case 'merged':
      return t('hidden: merged into another row');
    case 'dropped':
      return t('hidden: removed by a repair');
    case 'compressed':
      return t('hidden: summarized');
    default:
      return reason satisfies never;
  }
}
