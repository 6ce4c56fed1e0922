import { joinSentences } from '../base/messageText';
import { t } from '../base/translate';
import { errorMessage } from '../base/errorMessage';
import type { Finish, Terminal } from '../models/chatModel';
import { StoreError } from '../store/storeError';
import { type Failure, storeFailureCauses } from '../transcript/stopReason';
import type { Settlement } from '../transcript/turn';
import { stopReasonOf } from './runningCalls';

/** The end of a turn, decided from the result of its last request. */
export interface Ending {
  readonly settlement: Settlement;
  readonly undelivered: 'drop' | 'store';
  readonly terminal: Terminal | null;
}

/** Returns the end of a turn whose last request ended with `terminal`. `isClosing`: that request was the last one in
 *  the budget. `broken`: failure after which the model continued an answer of the turn. `leftOut`: sentences about
 *  what the service did not take. */
export function ending(
  terminal: Terminal,
  signal: AbortSignal,
  isClosing: boolean,
  broken: Failure | null = null,
  leftOut: ReadonlySet<string> = new Set(),
): Ending {
  switch (terminal.outcome) {
    case 'complete': {
      const settlement = completion(terminal.finish, terminal.empty, isClosing);
      const isWhole = settlement.outcome === 'complete' && settlement.stopReason === 'stop';
      return {
        settlement: isWhole ? { ...settlement, failure: toldWith(broken, leftOut) } : settlement,
        undelivered: 'store',
        terminal,
      };
    }
    case 'aborted':
      return stopped(signal, terminal);
    case 'interrupted':
      return {
        settlement: { outcome: 'interrupted', stopReason: 'connectionLost', failure: terminal.failure },
        undelivered: 'store',
        terminal,
      };
    case 'failed':
      return {
        settlement: { outcome: 'failed', stopReason: 'error', failure: terminal.failure },
        undelivered: 'store',
        terminal,
      };
    default:
      return terminal satisfies never;
  }
}

function completion(finish: Finish, empty: 'no' | 'empty' | 'thinkingOnly', isClosing: boolean): Settlement {
  if (finish.unified === 'contentFilter') return { outcome: 'complete', stopReason: 'refusal', failure: null };
  if (finish.unified === 'length') return { outcome: 'complete', stopReason: 'length', failure: null };
  if (empty !== 'no') return { outcome: 'failed', stopReason: 'empty', failure: emptyAnswer(empty, finish.raw) };
  return { outcome: 'complete', stopReason: isClosing ? 'iterations' : 'stop', failure: null };
}

/** Returns the failure that a complete turn keeps, so that its footer tells of it. Null when all went well. */
function toldWith(broken: Failure | null, leftOut: ReadonlySet<string>): Failure | null {
  if (broken === null && leftOut.size === 0) return null;
  const continued =
    broken === null ? '' : t('The connection was lost while the model was answering, and the model continued.');
  return {
    cause: broken?.cause ?? 'badRequest',
    sentence: joinSentences([continued, ...leftOut]),
    technical: broken?.technical ?? [...leftOut].join(' '),
  };
}

/** Returns the failure for an empty answer, as it is stored with the turn and shown. */
export function emptyAnswer(empty: 'empty' | 'thinkingOnly', raw: string | null): Failure {
  const what =
    empty === 'empty'
      ? t('The model returned an empty answer.')
      : t('The model stopped after thinking and returned no answer.');
  return {
    cause: 'empty',
    sentence: joinSentences([what, t('Your prompt is saved.'), t('Retry, or choose another model.')]),
    technical: `finish reason: ${raw ?? 'none'}`,
  };
}

/** Returns the end of a turn that was asked to stop. */
export function stopped(signal: AbortSignal, terminal: Terminal | null): Ending {
  const reason = stopReasonOf(signal);
  if (reason === 'storeFailed') return storeFailed(signal.reason);
  return { settlement: { outcome: 'interrupted', stopReason: reason, failure: null }, undelivered: 'drop', terminal };
}

/** Returns the end of a turn that stops before its next request, so that the user decides if it continues. */
export function paused(failure: Failure): Ending {
  const settlement = { outcome: 'interrupted', stopReason: 'spendingLimit', failure } as const;
  return { settlement, undelivered: 'store', terminal: null };
}

/** Returns the end of a turn that can no longer be saved: text that is not stored was not shown. */
export function storeFailed(error: unknown): Ending {
  return {
    settlement: { outcome: 'failed', stopReason: 'storeFailed', failure: savingFailure(error) },
    undelivered: 'drop',
    terminal: null,
  };
}

/** Returns the reason why nothing more could be saved, with the store's own message. */
export function savingFailure(error: unknown): Failure {
  const safe = t('This answer was stopped; everything shown of it is saved.');
  if (error instanceof StoreError) {
    const cause = storeFailureCauses.find((known) => known === error.causeClass) ?? 'unknown';
    return { cause, sentence: joinSentences([error.message, safe]), technical: error.technical };
  }
  const technical = errorMessage(error);
  return { cause: 'unknown', sentence: joinSentences([t('Nothing more could be saved.'), safe]), technical };
}
