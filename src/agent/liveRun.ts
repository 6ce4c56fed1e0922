import type { ChatModel, StreamNotice } from '../models/chatModel';
import type { Approval, Mode } from '../transcript/approval';
import type { ReasoningEffort } from '../transcript/session';
import type { Message } from '../transcript/message';
import type { Failure } from '../transcript/stopReason';
import type { Turn } from '../transcript/turn';
import type { TurnActivity, TurnEvent } from '../transcript/turnEvent';
import type { DelegatedTask, DelegatedWork } from '../tools/delegation';
import type { ToolCallContext } from '../tools/tool';
import type { RunningCalls } from './runningCalls';

export interface TurnRun {
  readonly turn: Turn & { readonly state: 'running' };
  /** True when this turn was awaiting approval, in this process or an earlier one, and now continues. Its prompt was
   *  already sent. */
  readonly resumed: boolean;
  readonly conversationId: string;
  readonly show: (event: TurnEvent) => void;
  /** Aborted with a `TurnStop`. */
  readonly controller: AbortController;
  readonly steering: Steering;
  /** The calls that run now. Each can be ended, or left running, separately. */
  readonly calls: RunningCalls;
  readonly decisions: Decisions;
  readonly mode: TurnMode;
  /** Returns the reasoning effort for the next request. */
  readonly effort: () => Promise<ReasoningEffort>;
  /** Returns the reason to stop before the next request, because the session has cost as much as the user allowed.
   *  Null: it has not. */
  readonly spendingLimit: () => Promise<Failure | null>;
  readonly history: HistoryShortener;
  /** Aborted when the user does not want to wait for memory. */
  readonly skipRecall: AbortSignal;
  /** Runs a call's task on a sub-agent. Absent for a sub-agent, which cannot delegate. */
  readonly delegate?: (
    task: DelegatedTask,
    call: Pick<ToolCallContext, 'callId' | 'report'>,
    signal: AbortSignal,
  ) => Promise<DelegatedWork>;
  /** The turn that a sub-agent works for: file changes of its calls belong to that turn. */
  readonly worksFor?: { readonly sessionId: string; readonly turnUid: string };
}

/** The place where a turn waits for the user's decisions. */
export interface Decisions {
  /** Resolves with the decided approval, which is already on disk. Rejects with the reason of a stop, and with
   *  `LeftWaiting` when the turn should keep waiting without this run. */
  wait(approval: Approval, signal: AbortSignal): Promise<Approval>;
}

/** Ends a run that waits, while its turn stays `waiting` in the store. */
export class LeftWaiting extends Error {
  override readonly name = 'LeftWaiting';
  constructor() {
    super('The turn waits for the person without a run.');
  }
}

/** Current mode of the session. */
interface TurnMode {
  get(): Promise<Mode>;
  set(mode: Mode): Promise<void>;
}

/** Messages from the user that this turn should get before its next request. They wait in the conversation's queue,
 *  so they are never lost: a message that the turn does not take becomes the next prompt. */
export interface Steering {
  /** Returns uids of queued prompts, each only once, in the order they were written. */
  take(): readonly string[];
  /** Called when they are rows of the turn and no longer queued. */
  given(): void;
}

/** Shortens the history of a running turn between two of its requests. */
interface HistoryShortener {
  /** Resolves with the session in which the turn continues. Null when nothing was changed. Throws `StoreError` when
   *  the session cannot be known. */
  shorten(request: ShortenRequest): Promise<string | null>;
}

export interface ShortenRequest {
  /** nearlyFull: check first if the context is nearly full · refused: the model did not accept the history. */
  readonly cause: 'nearlyFull' | 'refused';
  readonly model: ChatModel;
  /** The current history. */
  readonly rows: readonly Message[];
  /** Called when a compression starts, before it takes time. */
  readonly begins: () => void;
  readonly signal: AbortSignal;
}

/** A run that also reports its activity, the one line that a surface shows. */
export interface LiveRun extends TurnRun {
  report(activity: TurnActivity): void;
}

/** Reports `answering` once per run of deltas rather than per delta. Adds the iteration number to every `requesting`
 *  report. */
export function withActivity(run: TurnRun): LiveRun {
  let last: TurnActivity['kind'] | null = null;
  let step: Pick<TurnActivity & { readonly kind: 'requesting' }, 'iteration' | 'maxIterations'> = {};
  return {
    ...run,
    report: (activity) => {
      if (activity.kind === 'answering' && last === 'answering') return;
      last = activity.kind;
      if (activity.kind === 'requesting' && activity.iteration !== undefined)
        step = {
          iteration: activity.iteration,
          ...(activity.maxIterations === undefined ? {} : { maxIterations: activity.maxIterations }),
        };
      run.show({
        kind: 'activity',
        turnUid: run.turn.uid,
        activity: activity.kind === 'requesting' ? { ...step, ...activity } : activity,
      });
    },
  };
}

export function noticeActivity(notice: StreamNotice): TurnActivity {
  switch (notice.kind) {
    case 'retrying':
      return notice;
    case 'loadingModel':
      return notice;
    case 'waiting':
      return { kind: 'requesting', elapsedMs: notice.elapsedMs };
    default:
      return notice satisfies never;
  }
}
