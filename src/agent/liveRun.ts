import type { ChatModel, StreamNotice } from '../models/chatModel';
import type { Approval, Mode } from '../transcript/approval';
import type { ReasoningEffort } from '../transcript/reasoningEffort';
import type { Message } from '../transcript/message';
import type { Turn } from '../transcript/turn';
import type { TurnActivity, TurnEvent } from '../transcript/turnEvent';
import type { DelegatedTask, DelegatedWork } from '../tools/delegation';
import type { ToolCallContext } from '../tools/tool';
import type { RunningCalls } from './runningCalls';

export interface TurnRun {
  readonly turn: Turn & { readonly state: 'running' };
  /** It waited for the person, in this run of the program or an earlier one, and goes on: its prompt was sent before. */
  readonly goesOn: boolean;
  readonly conversationId: string;
  readonly show: (event: TurnEvent) => void;
  /** Aborted with a `TurnStop`. */
  readonly controller: AbortController;
  readonly steering: Steering;
  /** The calls that run now, each to be ended or left running by itself. */
  readonly calls: RunningCalls;
  readonly decisions: Decisions;
  readonly mode: TurnMode;
  /** How hard the model is asked to think by the next request. */
  readonly effort: () => Promise<ReasoningEffort>;
  readonly room: ContextRoom;
  /** Aborted when the person does not want to wait for memory. */
  readonly skipRecall: AbortSignal;
  /** Has a sub-agent do what a call asks for; absent for a sub-agent, which hands nothing on. */
  readonly delegate?: (
    task: DelegatedTask,
    call: Pick<ToolCallContext, 'callId' | 'report'>,
    signal: AbortSignal,
  ) => Promise<DelegatedWork>;
  /** The turn that a sub-agent works for: what its calls change in files belongs there. */
  readonly worksFor?: { readonly sessionId: string; readonly turnUid: string };
}

/** Where a turn waits for what the person decides. */
export interface Decisions {
  /** Resolves with the approval as it was decided, which is on disk by then. Rejects with the reason of a stop, and with `LeftWaiting` where the
   *  turn is to go on waiting without this run. */
  wait(approval: Approval, signal: AbortSignal): Promise<Approval>;
}

/** Ends a run that waits, while its turn goes on waiting in the store. */
export class LeftWaiting extends Error {
  override readonly name = 'LeftWaiting';
  constructor() {
    super('The turn waits for the person without a run.');
  }
}

/** How freely the session's agent may act now. */
export interface TurnMode {
  get(): Promise<Mode>;
  set(mode: Mode): Promise<void>;
}

/** What the person wants this turn to know before it makes its next request. It waits in the conversation's queue, so that it is never lost:
 *  what the turn does not take becomes the next prompt. */
export interface Steering {
  /** Uids of queued prompts, each handed out once, in the order they were written. */
  take(): readonly string[];
  /** They are rows of the turn now, and no longer queued. */
  given(): void;
}

/** Makes the history of a running turn shorter between two of its requests. */
export interface ContextRoom {
  /** The session in which the turn goes on; null where nothing was changed. Rejects with a `StoreError` where it cannot be known. */
  make(request: RoomRequest): Promise<string | null>;
}

export interface RoomRequest {
  /** nearlyFull: it is to be looked at whether it is · refused: the model would not take the history as it is. */
  readonly cause: 'nearlyFull' | 'refused';
  readonly model: ChatModel;
  /** The history as it stands. */
  readonly rows: readonly Message[];
  /** Called when something is done about it, before it takes time. */
  readonly begins: () => void;
  readonly signal: AbortSignal;
}

/** A run with the one line a surface shows of what goes on in it. */
export interface LiveRun extends TurnRun {
  report(activity: TurnActivity): void;
}

/** Deltas come by the hundred: that text is arriving is said once, until something else happens. Which request of the turn is made is said with all
 *  that is said of it. */
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
