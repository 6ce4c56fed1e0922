import type { Agent } from '../agent/agent';
import type { RunningCalls } from '../agent/runningCalls';
import type { MemoryManager } from '../memory/memoryManager';
import type { Message } from '../transcript/message';
import type { Session } from '../transcript/session';
import type { Turn } from '../transcript/turn';
import type { TurnActivity, TurnEvent } from '../transcript/turnEvent';
import type { SurfaceAgent } from './agents/surfaceAgent';
import type { PendingSteering } from './pendingSteering';
import type { TurnDecisions } from './turnDecisions';

export type SettledRow = Turn & { readonly state: 'settled' };

export interface StartedTurn {
  readonly surfaceId: string;
  readonly session: Session;
  readonly turn: Turn & { readonly state: 'running' };
  /** The user's prompt, for memory. For a turn that continues, the prompt of the continued answer. */
  readonly prompt: Message;
  readonly seat: SurfaceAgent;
  /** True when this turn was awaiting approval and is being restarted from its stored rows. */
  readonly goesOn?: boolean;
  /** Set when this run works on a task of another run. */
  readonly subAgent?: SubAgentRun;
}

export interface RunningTurn extends StartedTurn {
  /** The segment that stores the turn's rows now. It differs from the first one when the session was compressed
   *  meanwhile. */
  session: Session;
  readonly controller: AbortController;
  readonly steering: PendingSteering;
  readonly calls: RunningCalls;
  readonly decisions: TurnDecisions;
  /** Aborted when the user does not want to wait for memory. */
  readonly recall: AbortController;
  activity: TurnActivity | null;
}

/** Data of a run that works on a task of another run. */
export interface SubAgentRun {
  readonly caller: RunningTurn;
  readonly title: string;
  /** The caller's tool call. */
  readonly callId: string;
  readonly createAgent: (memory: MemoryManager) => Agent;
  /** Called with every event that surfaces showing its session receive. */
  readonly heard: (event: TurnEvent) => void;
  /** `settled`: null when the turn could not be closed before the window closed. `messages`: the rows of the turn. */
  readonly ended: (settled: SettledRow | null, messages: readonly Message[]) => void;
}

/** Returns the same event. An approval request is marked as coming from a sub-agent. */
export function asSubAgent(event: TurnEvent, { title, caller, callId }: SubAgentRun): TurnEvent {
  if (event.kind !== 'approvalRequested' && event.kind !== 'approvalDecided') return event;
  return { ...event, approval: { ...event.approval, subAgent: { title, turnUid: caller.turn.uid, callId } } };
}
