import { t } from '../base/translate';
import type { Log } from '../base/log';
import { ModelError } from '../models/modelProvider';
import { StoreError } from '../store/storeError';
import type { Turn } from '../transcript/turn';
import { SpendingPause } from './askUntilAnswered';
import { LeftWaiting, type LiveRun, type TurnRun, withActivity } from './liveRun';
import { type Ending, paused, stopped, storeFailed } from './turnEnding';
import type { AgentDeps } from './agent';
import { TurnRecorder } from './turnRecorder';
import { HookStop } from './turnHooks';
import { stopReasonOf, TurnStop } from './runningCalls';

export type RecordingDeps = Pick<AgentDeps, 'store' | 'clock' | 'ids' | 'log'>;

/** Result of a turn. `unsettled`: its last rows could not be written; `settle` tries again. `left`: it waits in the
 *  store for the user. */
export type TurnResult =
  | { readonly kind: 'settled'; readonly turn: Turn & { readonly state: 'settled' } }
  | { readonly kind: 'left' }
  | { readonly kind: 'unsettled'; readonly error: unknown; settle(): Promise<Turn & { readonly state: 'settled' }> };

/** Runs an opened turn to its end: `work` answers it through the recorder. Every error of `work` becomes the turn's
 *  end. Never rejects. */
export async function recordTurn(
  run: TurnRun,
  deps: RecordingDeps,
  work: (run: LiveRun, recorder: TurnRecorder) => Promise<Ending>,
): Promise<TurnResult> {
  const { turn, show, controller } = run;
  const recorder = new TurnRecorder(
    deps.store,
    deps.clock,
    deps.ids,
    { sessionId: turn.sessionId, turnUid: turn.uid, model: turn.model },
    show,
    () => controller.abort(new TurnStop('storeFailed')),
  );
  let ending: Ending;
  try {
    ending = await work(withActivity(run), recorder);
  } catch (error) {
    if (error instanceof LeftWaiting) return left(controller);
    ending = endingOf(error, controller.signal, recorder, deps.log);
  }
  const settle = () => {
    // Applies to every outcome of the request: a turn whose last text could not be saved is not complete.
    const { settlement, undelivered, terminal } = recorder.failed ? storeFailed(recorder.failure) : ending;
    return recorder.settle(settlement, undelivered, {
      finishReason: terminal?.outcome === 'complete' ? terminal.finish.raw : null,
      usage: terminal?.usage ?? null,
    });
  };
  try {
    return { kind: 'settled', turn: await settle() };
  } catch (error) {
    return { kind: 'unsettled', error, settle };
  }
}

/** Maps an error to the end of the turn: a stop, a model that cannot be opened, a store that cannot write, or a bug in
 *  Hermes, which is reported as one. */
function endingOf(error: unknown, signal: AbortSignal, recorder: TurnRecorder, log: Log): Ending {
  if (recorder.failed || (signal.aborted && stopReasonOf(signal) === 'storeFailed'))
    return storeFailed(recorder.failure ?? error);
  if (signal.aborted) return stopped(signal, null);
  if (error instanceof StoreError) return storeFailed(error);
  if (error instanceof SpendingPause) return paused(error.failure);
  if (error instanceof ModelError || error instanceof HookStop)
    return {
      settlement: { outcome: 'failed', stopReason: 'error', failure: error.failure },
      undelivered: 'store',
      terminal: null,
    };
  log.error('A turn ended with an unexpected error.', error);
  const technical = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const sentence = t(
    'Something went wrong in Hermes. Everything shown is saved. Retry. If it happens again, report it with the details.',
  );
  return {
    settlement: { outcome: 'failed', stopReason: 'error', failure: { cause: 'unknown', sentence, technical } },
    undelivered: 'store',
    terminal: null,
  };
}

/** Ends the read-only calls that are still running. */
function left(controller: AbortController): TurnResult {
  controller.abort(new TurnStop('windowClosed'));
  return { kind: 'left' };
}
