import type { ToolProgress, TurnActivity } from '../../../transcript/turnEvent';

/** Progress of a running call. Not stored: the outcome is in its result. */
export interface CallProgress {
  /** Seconds since the epoch; null until the call is known to run. */
  readonly startedAt: number | null;
  readonly output: (ToolProgress & { readonly kind: 'output' }) | null;
  readonly note: string | null;
  /** Session of a sub-agent. */
  readonly sessionId: string | null;
  /** Current activity of the sub-agent. */
  readonly step: (ToolProgress & { readonly kind: 'step' }) | null;
}

/** Progress of a running turn. Never stored; ends with the turn. */
export interface TurnWork {
  readonly calls: ReadonlyMap<string, CallProgress>;
  /** Number of the current request to the model, and the maximum. */
  readonly steps: { readonly at: number; readonly most: number } | null;
}

export const noWork: TurnWork = { calls: new Map(), steps: null };

const notStarted: CallProgress = { startedAt: null, output: null, note: null, sessionId: null, step: null };

/** Calls that run in parallel each report their start once: keep it until the result arrives. */
export function withActivity(work: TurnWork, activity: TurnActivity): TurnWork {
  switch (activity.kind) {
    case 'requesting': {
      const { iteration, maxIterations } = activity;
      return iteration === undefined || maxIterations === undefined
        ? work
        : { ...work, steps: { at: iteration, most: maxIterations } };
    }
    case 'runningTool':
      return withCall(work, activity.callId, { startedAt: activity.startedAt });
    default:
      return work;
  }
}

export function withProgress(work: TurnWork, callId: string, progress: ToolProgress): TurnWork {
  switch (progress.kind) {
    case 'output':
      return withCall(work, callId, { output: progress });
    case 'note':
      return withCall(work, callId, { note: progress.text });
    case 'session':
      return withCall(work, callId, { sessionId: progress.sessionId });
    case 'step':
      return withCall(work, callId, { step: progress });
    default:
      return progress satisfies never;
  }
}

function withCall(work: TurnWork, callId: string, change: Partial<CallProgress>): TurnWork {
  const calls = new Map(work.calls).set(callId, { ...(work.calls.get(callId) ?? notStarted), ...change });
  return { ...work, calls };
}
