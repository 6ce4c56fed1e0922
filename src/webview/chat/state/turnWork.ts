import type { ToolProgress, TurnActivity } from '../../../protocol/transcriptTypes';

/** What a running call let be seen. Fleeting: what it came to is in its result. */
export interface CallProgress {
  /** Seconds since the epoch; null until it is known to run. */
  readonly startedAt: number | null;
  readonly output: (ToolProgress & { readonly kind: 'output' }) | null;
  readonly note: string | null;
  /** Of a sub-agent. */
  readonly sessionId: string | null;
}

/** How far a running turn has come. Never stored; over when the turn is. */
export interface TurnWork {
  readonly calls: ReadonlyMap<string, CallProgress>;
  /** Which of the requests it may make is under way. */
  readonly steps: { readonly at: number; readonly most: number } | null;
}

export const noWork: TurnWork = { calls: new Map(), steps: null };

const unseen: CallProgress = { startedAt: null, output: null, note: null, sessionId: null };

/** Of several calls that run side by side each is told of once: that it began is kept until its result is there. */
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
    default:
      return progress satisfies never;
  }
}

function withCall(work: TurnWork, callId: string, change: Partial<CallProgress>): TurnWork {
  const calls = new Map(work.calls).set(callId, { ...(work.calls.get(callId) ?? unseen), ...change });
  return { ...work, calls };
}
