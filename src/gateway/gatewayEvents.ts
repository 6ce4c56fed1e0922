import type { TurnAgent } from '../agent/agent';
import type { ShortenRequest } from '../agent/liveRun';
import type { DelegatedTask, DelegatedWork } from '../tools/delegation';
import type { ToolCallContext } from '../tools/tool';
import type { Mode } from '../transcript/approval';
import type { ReasoningEffort, Session } from '../transcript/session';
import type { Failure } from '../transcript/stopReason';
import type { TurnEvent } from '../transcript/turnEvent';
import type { RunningTurn, SettledRow } from './runningTurn';

/** What parts of the gateway report to parts that are created after them, and ask them. */
interface Handlers {
  turnEvent(sessionId: string, event: TurnEvent): void;
  /** The entry of a session in lists may have changed. */
  sessionChanged(sessionId: string): void;
  /** A turn took its conversation's slot. */
  turnBegan(conversationId: string): void;
  /** Queued prompts became rows of a running turn. */
  promptsSteered(sessionId: string): void;
  /** A surface left its session: shown text that could not be stored before is written now. */
  surfaceLeft(): void;
  /** The slot is free. `settled` is null when the turn could not be closed before the window closed, or waits in the
   *  store. */
  turnEnded(run: RunningTurn, settled: SettledRow | null): Promise<void>;
  /** Shortens the history of a running turn. Null when nothing was changed. `movedTo` is called before it resolves. */
  shortenHistory(run: RunningTurn, request: ShortenRequest): Promise<Session | null>;
  mode(sessionId: string): Promise<Mode>;
  setMode(sessionId: string, mode: Mode): Promise<void>;
  effort(sessionId: string): Promise<ReasoningEffort>;
  /** Reason to stop before the next request of a turn in this session. Null: there is none. */
  spendingLimit(sessionId: string): Promise<Failure | null>;
  /** Runs a task on a sub-agent, delegated by the run's agent. */
  delegate(
    run: RunningTurn,
    agent: TurnAgent,
    task: DelegatedTask,
    call: Pick<ToolCallContext, 'callId' | 'report'>,
    signal: AbortSignal,
  ): Promise<DelegatedWork>;
}

type Reports = { [K in keyof Handlers]: ReturnType<Handlers[K]> extends void ? K : never }[keyof Handlers];

/** Events and questions within one gateway, each with the one handler that the gateway sets. */
export class GatewayEvents {
  private readonly handlers = new Map<keyof Handlers, Handlers[keyof Handlers]>();

  on<K extends keyof Handlers>(kind: K, handler: Handlers[K]): void {
    this.handlers.set(kind, handler);
  }

  emit<K extends Reports>(kind: K, ...args: Parameters<Handlers[K]>): void {
    this.handlerOf(kind)(...args);
  }

  ask<K extends Exclude<keyof Handlers, Reports>>(kind: K, ...args: Parameters<Handlers[K]>): ReturnType<Handlers[K]> {
    return this.handlerOf(kind)(...args) as ReturnType<Handlers[K]>;
  }

  private handlerOf<K extends keyof Handlers>(kind: K): (...args: Parameters<Handlers[K]>) => unknown {
    const handler = this.handlers.get(kind);
    if (handler === undefined) throw new Error(`No part of the gateway handles ${kind}.`);
    return handler as (...args: Parameters<Handlers[K]>) => unknown;
  }
}
