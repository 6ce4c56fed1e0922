import type { TurnAgent } from '../agent/agent';
import { type Decisions, LeftWaiting, type Steering } from '../agent/liveRun';
import type { RunningCalls } from '../agent/runningCalls';
import { TurnStop } from '../agent/turnStop';
import type { MemoryManager } from '../memory/memoryManager';
import type { Approval } from '../transcript/approval';
import type { Message } from '../transcript/message';
import type { Session } from '../transcript/session';
import type { Turn } from '../transcript/turn';
import type { TurnActivity, TurnEvent } from '../transcript/turnEvent';
import type { SurfaceAgent } from './agents/surfaceAgent';

export type SettledRow = Turn & { readonly state: 'settled' };

export interface StartedTurn {
  readonly surfaceId: string;
  readonly session: Session;
  readonly turn: Turn & { readonly state: 'running' };
  /** The user's prompt, for memory. For a turn that continues, the prompt of the continued answer. */
  readonly prompt: Message;
  readonly surfaceAgent: SurfaceAgent;
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
  readonly createAgent: (memory: MemoryManager) => TurnAgent;
  /** Called with every event that surfaces showing its session receive. */
  readonly onEvent: (event: TurnEvent) => void;
  /** `settled`: null when the turn could not be closed before the window closed. `messages`: the rows of the turn. */
  readonly ended: (settled: SettledRow | null, messages: readonly Message[]) => void;
}

/** Returns the same event. An approval request is marked as coming from a sub-agent. */
export function asSubAgent(event: TurnEvent, { title, caller, callId }: SubAgentRun): TurnEvent {
  if (event.kind !== 'approvalRequested' && event.kind !== 'approvalDecided') return event;
  return { ...event, approval: { ...event.approval, subAgent: { title, turnUid: caller.turn.uid, callId } } };
}

/** The queued prompts that are meant for one running turn. The list ends with that turn: a prompt that was not taken
 *  becomes an ordinary queued prompt. */
export class PendingSteering implements Steering {
  private uids: readonly string[] = [];

  constructor(private readonly onGiven: () => void) {}

  get waiting(): readonly string[] {
    return this.uids;
  }

  add(uid: string): void {
    this.uids = [...this.uids, uid];
  }

  take(): readonly string[] {
    const taken = this.uids;
    this.uids = [];
    return taken;
  }

  given(): void {
    this.onGiven();
  }
}

interface Waiting {
  readonly approval: Approval;
  resolve(decided: Approval): void;
  reject(reason: Error): void;
}

/** The place where the run of one turn waits for the user, for one decision at a time. */
export class TurnDecisions implements Decisions {
  private waiting: Waiting | null = null;
  /** A decision that came before the run began to wait for it. */
  private early: Approval | null = null;

  /** The approval that the run waits for. */
  get pending(): Approval | null {
    return this.waiting?.approval ?? null;
  }

  wait(approval: Approval, signal: AbortSignal): Promise<Approval> {
    const { early } = this;
    this.early = null;
    if (approval.state.kind !== 'pending') return Promise.resolve(approval);
    if (early?.id === approval.id) return Promise.resolve(early);
    return new Promise<Approval>((resolve, reject) => {
      const onStop = (): void => reject(signal.reason instanceof Error ? signal.reason : new TurnStop('user'));
      this.waiting = { approval, resolve, reject };
      if (signal.aborted) onStop();
      else signal.addEventListener('abort', onStop, { once: true });
    }).finally(() => {
      this.waiting = null;
    });
  }

  /** Continues the run with a decision that is already on disk. */
  hand(decided: Approval): void {
    if (this.waiting === null) this.early = decided;
    else if (this.waiting.approval.id === decided.id) this.waiting.resolve(decided);
  }

  /** Ends the run if it is waiting; its turn stays `waiting`. Returns true when it ended the run. */
  leave(): boolean {
    this.waiting?.reject(new LeftWaiting());
    return this.waiting !== null;
  }
}
