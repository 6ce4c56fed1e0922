import type { Agent, TurnResult } from '../agent/agent';
import type { RoomRequest, TurnMode, TurnRun } from '../agent/liveRun';
import { RunningCalls } from '../agent/runningCalls';
import { savingFailure } from '../agent/turnEnding';
import { TurnStop } from '../agent/turnStop';
import type { Clock } from '../base/clock';
import type { Log } from '../base/log';
import { pause } from '../base/pause';
import type { MemoryManager } from '../memory/memoryManager';
import { retryPauseMs } from '../store/retryPause';
import type { SessionStore } from '../store/sessionStore';
import { answerText, type Message } from '../transcript/message';
import type { Mode } from '../transcript/approval';
import type { ReasoningEffort } from '../transcript/reasoningEffort';
import type { Session } from '../transcript/session';
import type { Turn } from '../transcript/turn';
import type { TurnActivity, TurnEvent } from '../transcript/turnEvent';
import type { DelegatedTask, DelegatedWork } from '../tools/delegation';
import type { ToolCallContext } from '../tools/tool';
import type { SurfaceAgent } from './agents/surfaceAgent';
import { asSubAgent, type SubAgentRun } from './delegations';
import { PendingSteering } from './pendingSteering';
import { TurnDecisions } from './turnDecisions';
import { DeliveryCheck } from './verify/deliveryCheck';
import { ShownLengths } from './verify/shownLengths';

export type SettledRow = Turn & { readonly state: 'settled' };

export interface StartedTurn {
  readonly surfaceId: string;
  readonly session: Session;
  readonly turn: Turn & { readonly state: 'running' };
  /** What the person asked, for memory: for a turn that continues, the prompt of the answer that goes on. */
  readonly prompt: Message;
  readonly seat: SurfaceAgent;
  /** It waited for the person while nobody ran it. */
  readonly goesOn?: boolean;
  /** It works on a task of another run. */
  readonly subAgent?: SubAgentRun;
}

export interface RunningTurn extends StartedTurn {
  /** The segment that takes the turn's rows now: another one than it began in, where it was compressed meanwhile. */
  session: Session;
  readonly controller: AbortController;
  readonly steering: PendingSteering;
  readonly calls: RunningCalls;
  readonly decisions: TurnDecisions;
  /** Aborted when the person does not want to wait for memory. */
  readonly recall: AbortController;
  activity: TurnActivity | null;
}

interface RunnerParts {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly createAgent: (model: string, memory: MemoryManager) => Agent;
  readonly agentSignature: (model: string) => string;
}

interface RunnerListeners {
  show(sessionId: string, event: TurnEvent): void;
  changed(sessionId: string): void;
  /** Queued prompts became rows of a running turn. */
  steered(sessionId: string): void;
  /** Makes the history of a running turn shorter; null where nothing was changed. When it resolves, `movedTo` was called. */
  makeRoom(run: RunningTurn, request: RoomRequest): Promise<Session | null>;
  mode(sessionId: string): Promise<Mode>;
  setMode(sessionId: string, mode: Mode): Promise<void>;
  effort(sessionId: string): Promise<ReasoningEffort>;
  /** Has a sub-agent do a task that the run's agent hands on. */
  delegate(
    run: RunningTurn,
    agent: Agent,
    task: DelegatedTask,
    call: Pick<ToolCallContext, 'callId' | 'report'>,
    signal: AbortSignal,
  ): Promise<DelegatedWork>;
  /** The slot is free. `settled` is null when the turn could not be closed before the window went away, or waits in the store. */
  ended(run: StartedTurn, settled: SettledRow | null): Promise<void>;
}

/** Runs opened turns to their end, at most one per conversation, and verifies each: what surfaces were given is in the store. */
export class TurnRunner {
  private readonly running = new Map<string, RunningTurn>();
  private readonly ends = new Map<RunningTurn, Promise<void>>();
  private closing = false;
  private wakeRetries: () => void = () => undefined;
  private readonly closed = new Promise<void>((resolve) => {
    this.wakeRetries = resolve;
  });
  private readonly deliveries: DeliveryCheck;

  constructor(
    private readonly parts: RunnerParts,
    private readonly listeners: RunnerListeners,
  ) {
    this.deliveries = new DeliveryCheck(parts);
  }

  runningIn(conversationId: string): RunningTurn | null {
    return this.running.get(conversationId) ?? null;
  }

  all(): readonly RunningTurn[] {
    return [...this.running.values()];
  }

  /** Takes the conversation's slot. The caller has made sure, inside the conversation's sequence, that it is free. */
  start(started: StartedTurn): void {
    const { conversationId } = started.session;
    if (this.running.has(conversationId)) throw new Error(`Conversation ${conversationId} already has a running turn.`);
    const run: RunningTurn = {
      ...started,
      controller: new AbortController(),
      steering: new PendingSteering(() => this.listeners.steered(run.session.id)),
      calls: new RunningCalls(),
      decisions: new TurnDecisions(),
      recall: new AbortController(),
      activity: null,
    };
    this.running.set(conversationId, run);
    // Its row was being written when the window began to close.
    if (this.closing) run.controller.abort(new TurnStop('windowClosed'));
    started.seat.turnBegan();
    this.listeners.changed(started.session.id);
    const end = this.runToEnd(run).finally(() => this.ends.delete(run));
    this.ends.set(run, end);
  }

  /** A running turn goes on in the next segment of its conversation; its seat goes with it. No event of the turn may be under way. */
  movedTo(child: Session): void {
    const run = this.running.get(child.conversationId);
    if (run === undefined) return;
    run.session = child;
    run.seat.serve(child.id, { reason: 'compression', parentSessionId: child.parentSessionId });
  }

  /** Interrupts this conversation's running turn; resolves when it has settled. A stop that comes late finds nothing and changes nothing. */
  async stop(conversationId: string, reason: TurnStop): Promise<void> {
    const run = this.running.get(conversationId);
    if (run === undefined) return;
    run.controller.abort(reason);
    await this.ends.get(run);
  }

  /** The running turn of this conversation no longer waits for memory. A skip that comes late changes nothing. */
  skipRecall(conversationId: string, turnUid: string): void {
    const run = this.running.get(conversationId);
    if (run?.turn.uid === turnUid) run.recall.abort();
  }

  /** Ends one running call; its turn goes on. */
  stopCall(conversationId: string, callId: string): void {
    this.running.get(conversationId)?.calls.stop(callId);
  }

  /** The turn goes on while what this call started keeps running. */
  proceedCall(conversationId: string, callId: string): void {
    this.running.get(conversationId)?.calls.proceed(callId);
  }

  /** Writes what was shown and could not be written with its turn. Never rejects. */
  makeUpForShown(): Promise<void> {
    return this.deliveries.makeUp();
  }

  /** Ends the runs that wait for the person; their turns go on waiting in the store. Resolves when the runs have ended. */
  async leaveWaiting(): Promise<void> {
    // The turn that a sub-agent works for ends with its window, and the sub-agent with that.
    const left = this.all().filter((run) => run.subAgent === undefined && run.decisions.leave());
    await Promise.all(left.map((run) => this.ends.get(run)));
  }

  /** Interrupts what runs, but for what waits for the person, which goes on waiting, and what is opened from now on; resolves when the turns that
   *  ran have settled, and what they showed was written if it can be. */
  async shutdown(): Promise<void> {
    this.closing = true;
    for (const run of this.running.values())
      if (run.subAgent !== undefined || !run.decisions.leave()) run.controller.abort(new TurnStop('windowClosed'));
    this.wakeRetries();
    await Promise.all(this.ends.values());
    await this.makeUpForShown();
  }

  private async runToEnd(run: RunningTurn): Promise<void> {
    const { turn, seat, controller, steering, calls, decisions, recall, subAgent } = run;
    const { conversationId } = run.session;
    const witness = new ShownLengths(turn.uid);
    let stored: readonly Message[] = [];
    const show = (shown: TurnEvent): void => {
      const event = subAgent === undefined ? shown : asSubAgent(shown, subAgent);
      witness.observe(event, run.session.id);
      if (event.kind === 'activity') run.activity = event.activity;
      if (event.kind === 'turnSettled') stored = event.messages;
      if (event.kind === 'approvalRequested') run.activity = null;
      this.listeners.show(run.session.id, event);
      subAgent?.heard(event);
      if (event.kind === 'approvalRequested' || event.kind === 'approvalDecided')
        this.listeners.changed(run.session.id);
    };
    const agent =
      subAgent?.createAgent(seat.memory) ??
      seat.agentFor(this.parts.agentSignature(turn.model), () => this.parts.createAgent(turn.model, seat.memory));
    const room = { make: async (request: RoomRequest) => (await this.listeners.makeRoom(run, request))?.id ?? null };
    const delegation = delegationOf(run, (...task) => this.listeners.delegate(run, agent, ...task));
    const result = await agent.runTurn({
      turn,
      goesOn: run.goesOn ?? false,
      conversationId,
      show,
      controller,
      steering,
      calls,
      decisions,
      mode: this.modeOf(run),
      effort: this.effortOf(run),
      room,
      skipRecall: recall.signal,
      ...delegation,
    });
    const settled = await this.settledRow(result, run, show);
    if (settled !== null) await this.deliveries.check(witness, stored, { ...turn, sessionId: run.session.id });
    if (settled !== null) remember(run, settled, stored);
    seat.turnEnded();
    this.running.delete(conversationId);
    this.listeners.changed(run.session.id);
    subAgent?.ended(settled, stored);
    if (!this.closing) await this.listeners.ended(run, settled);
  }

  private modeOf(run: RunningTurn): TurnMode {
    return {
      get: this.lastKnown<Mode>('ask', run, 'mode', (sessionId) => this.listeners.mode(sessionId)),
      set: (chosen) => this.listeners.setMode(run.session.id, chosen),
    };
  }

  private effortOf(run: RunningTurn): TurnRun['effort'] {
    return this.lastKnown<ReasoningEffort>('default', run, 'effort', (sessionId) => this.listeners.effort(sessionId));
  }

  /** A turn whose store fails goes on with what was chosen last: nothing else could have been chosen since. */
  private lastKnown<T>(
    first: T,
    run: RunningTurn,
    what: string,
    read: (sessionId: string) => Promise<T>,
  ): () => Promise<T> {
    let known = first;
    return async () => {
      known = await read(run.session.id).catch((error: unknown) => {
        this.parts.log.warn(
          `The ${what} of session ${run.session.id} could not be read: ${error instanceof Error ? error.message : String(error)}`,
        );
        return known;
      });
      return known;
    };
  }

  private async settledRow(
    result: TurnResult,
    run: RunningTurn,
    show: (event: TurnEvent) => void,
  ): Promise<SettledRow | null> {
    switch (result.kind) {
      case 'settled':
        return result.turn;
      case 'left':
        return null;
      case 'unsettled':
        return this.settleAtLast(result, run, show);
      default:
        return result satisfies never;
    }
  }

  /** The store would not take the turn's end. The person is told at once; closing it is tried until it succeeds, because the slot must not
   *  be given to another prompt before. Null when the window closes first: then the next start settles the turn as cut off. */
  private async settleAtLast(
    result: TurnResult & { readonly kind: 'unsettled' },
    run: RunningTurn,
    show: (event: TurnEvent) => void,
  ): Promise<SettledRow | null> {
    let failure = savingFailure(result.error);
    const told: SettledRow = {
      ...run.turn,
      sessionId: run.session.id,
      state: 'settled',
      settledAt: this.parts.clock.now(),
      outcome: 'failed',
      stopReason: 'storeFailed',
      failure,
    };
    show({ kind: 'turnSettled', turn: told, messages: [] });
    for (let attempt = 0; !this.closing; attempt++) {
      this.parts.log.error(`A turn could not be closed in the store (${failure.cause}): ${failure.technical}`);
      await Promise.race([this.closed, pause(this.parts.clock, retryPauseMs(attempt))]);
      try {
        return await result.settle();
      } catch (error) {
        failure = savingFailure(error);
      }
    }
    return null;
  }
}

function delegationOf(
  { subAgent }: RunningTurn,
  delegate: NonNullable<TurnRun['delegate']>,
): Pick<TurnRun, 'delegate' | 'worksFor'> {
  if (subAgent === undefined) return { delegate };
  const { session, turn } = subAgent.caller;
  return { worksFor: { sessionId: session.id, turnUid: turn.uid } };
}

function remember({ seat, prompt }: RunningTurn, turn: SettledRow, stored: readonly Message[]): void {
  const answers = stored
    .filter((message) => message.role === 'assistant' && message.visibility.kind === 'shown')
    .map((message) => answerText(message.parts));
  seat.memory.syncTurn({
    turnUid: turn.uid,
    outcome: turn.outcome,
    prompt: answerText(prompt.parts),
    answer: answers.filter((text) => text !== '').join('\n\n'),
    startedAt: turn.startedAt,
    settledAt: turn.settledAt,
  });
}
