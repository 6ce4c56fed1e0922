import type { Translate } from '../../base/translate';
import type { HiddenReason } from '../../transcript/message';
import type { ToolOutcome } from '../../transcript/part';
import type { StopReason } from '../../transcript/stopReason';

/** Sentence that tells how a turn ended. Null: it simply finished. */
export function endWords(reason: StopReason, t: Translate): string | null {
  switch (reason) {
    case 'stop':
      return null;
    case 'length':
      return t('The answer reached the model’s output limit.');
    case 'refusal':
      return t('The model declined to answer.');
    case 'iterations':
      return t('Step limit reached.');
    case 'empty':
      return t('The model ended without a word.');
    case 'user':
      return t('Stopped by the person.');
    case 'newPrompt':
      return t('Replaced by a newer prompt.');
    case 'windowClosed':
      return t('Interrupted: the window closed or VS Code stopped.');
    case 'crash':
      return t('Interrupted: the editor’s extension process ended.');
    case 'connectionLost':
      return t('Interrupted: the connection was lost.');
    case 'error':
      return t('The request failed.');
    case 'storeFailed':
      return t('Nothing more could be saved, so nothing more was shown.');
    default:
      return reason satisfies never;
  }
}

export function outcomeWords(outcome: ToolOutcome, t: Translate): string {
  switch (outcome) {
    case 'done':
      return t('done');
    case 'failed':
      return t('failed');
    case 'denied':
      return t('denied');
    case 'cancelled':
      return t('cancelled');
    case 'interrupted':
      return t('interrupted');
    default:
      return outcome satisfies never;
  }
}

export function hiddenWords(reason: HiddenReason, t: Translate): string {
  switch (reason) {
    case 'retried':
      return t('hidden: asked again');
    case 'edited':
      return t('hidden: an earlier wording');
    case 'rewound':
      return t('hidden: taken back');
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
