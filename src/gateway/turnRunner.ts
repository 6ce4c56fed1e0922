import type { TurnResult } from '../agent/recordedTurn';
import type { TurnRun } from '../agent/liveRun';
import { RunningCalls, TurnStop } from '../agent/runningCalls';
import { savingFailure } from '../agent/turnEnding';
import { pause } from '../base/pause';
import { errorMessage } from '../base/errorMessage';
import { retriesOfACall, retryPauseMs } from '../store/ownership/storeCalls';
import { isUnknownOutcome, StoreError } from '../store/storeError';
import { answerText, type Message } from '../transcript/message';
import type { Mode } from '../transcript/approval';
import type { QueuedPrompt, ReasoningEffort, Session } from '../transcript/session';
import type { Failure } from '../transcript/stopReason';
import type { TurnEvent } from '../transcript/turnEvent';
import {
  asSubAgent,
  PendingSteering,
  TurnDecisions,
  type RunningTurn,
  type SettledRow,
  type StartedTurn,
} from './runningTurn';
import { DeliveryCheck } from './verify/deliveryCheck';
import { ShownLengths } from './verify/shownLengths';
import type { GatewayParts } from './conversationGateway';
import type { TurnAgent } from '../agent/agent';

/** Runs opened turns to their end, at most one per conversation. Then checks that all text that surfaces received is
 *  in the store. */
export class TurnRunner {
  private readonly running = new Map<string, RunningTurn>();
  private readonly ends = new Map<RunningTurn, Promise<void>>();
  /** Turns whose end was shown and could not be stored yet, by conversation. */
  private readonly unsettled = new Map<string, { readonly wake: AbortController; readonly waiting: (() => void)[] }>();
  private closing = false;
  /** Shown text that could not be written with its turn. */
  readonly deliveries: DeliveryCheck;

  constructor(private readonly parts: GatewayParts) {
    this.deliveries = new DeliveryCheck(parts);
  }

  runningIn(conversationId: string): RunningTurn | null {
    return this.running.get(conversationId) ?? null;
  }

  /** Marks the queued prompts that a running turn gets with its next request. */
  withNextSteps(queue: readonly QueuedPrompt[]): readonly QueuedPrompt[] {
    const steering = new Set(this.all().flatMap((run) => run.steering.waiting));
    return queue.map((prompt) => (steering.has(prompt.uid) ? { ...prompt, isNextStep: true } : prompt));
  }

  all(): readonly RunningTurn[] {
    return [...this.running.values()];
  }

  /** Takes the conversation's slot. The caller has checked, inside the conversation's sequence, that it is free. */
  start(started: StartedTurn): void {
    const { conversationId } = started.session;
    if (this.running.has(conversationId)) throw new Error(`Conversation ${conversationId} already has a running turn.`);
    const run: RunningTurn = {
      ...started,
      controller: new AbortController(),
      steering: new PendingSteering(() => void this.parts.queue.notifyQueueOf(run.session.id)),
      calls: new RunningCalls(),
      decisions: new TurnDecisions(),
      recall: new AbortController(),
      activity: null,
    };
    this.running.set(conversationId, run);
    // The turn's row was being written when the window began to close.
    if (this.closing) run.controller.abort(new TurnStop('windowClosed'));
    started.surfaceAgent.turnBegan();
    if (started.subAgent === undefined) started.surfaceAgent.custom = started.session.agent ?? null;
    this.parts.titles.turnBegan(conversationId);
    this.parts.turns.changed(started.session.id);
    const end = this.runToEnd(run).finally(() => this.ends.delete(run));
    this.ends.set(run, end);
  }

  /** Continues a running turn in the next segment of its conversation, with the same agent. No event of the turn may
   *  be in progress. */
  movedTo(child: Session): void {
    const run = this.running.get(child.conversationId);
    if (run === undefined) return;
    run.session = child;
    run.surfaceAgent.serve(child.id, { reason: 'compression', parentSessionId: child.parentSessionId });
  }

  /** Interrupts this conversation's running turn. Resolves when it has settled. A late stop changes nothing. */
  async stop(conversationId: string, reason: TurnStop): Promise<void> {
    const run = this.running.get(conversationId);
    if (run === undefined) return;
    run.controller.abort(reason);
    await this.ends.get(run);
  }

  /** Settles this conversation's turn if its end was shown and could not be stored. Resolves when its slot is free,
   *  or the attempt has failed. */
  async settleShown(conversationId: string): Promise<void> {
    const unsettled = this.unsettled.get(conversationId);
    if (unsettled === undefined) return;
    const tried = new Promise<void>((resolve) => unsettled.waiting.push(resolve));
    unsettled.wake.abort();
    await tried;
  }

  /** Called when another window takes over the store. Ends the runs that wait for the user; their turns stay `waiting`,
   *  so the window that gets the decision can resume them. Resolves when the runs have ended. */
  async leaveWaiting(): Promise<void> {
    // A sub-agent's caller ends with its window, and the sub-agent ends with its caller.
    const left = this.all().filter((run) => run.subAgent === undefined && run.decisions.leave());
    await Promise.all(left.map((run) => this.ends.get(run)));
  }

  /** Interrupts running turns and turns opened from now on. Turns that wait for the user keep waiting. Resolves when
   *  the turns that ran have settled, after an attempt to write the text they showed. */
  async shutdown(): Promise<void> {
    this.closing = true;
    for (const run of this.running.values())
      if (run.subAgent !== undefined || !run.decisions.leave()) run.controller.abort(new TurnStop('windowClosed'));
    for (const { wake } of this.unsettled.values()) wake.abort();
    await Promise.all(this.ends.values());
    await this.deliveries.makeUp();
  }

  private async runToEnd(run: RunningTurn): Promise<void> {
    const { turn, surfaceAgent, subAgent } = run;
    const { surfaces, turns } = this.parts;
    const shownLengths = new ShownLengths(turn.uid);
    let stored: readonly Message[] = [];
    const show = (shown: TurnEvent): void => {
      const event = subAgent === undefined ? shown : asSubAgent(shown, subAgent);
      shownLengths.observe(event, run.session.id);
      if (event.kind === 'activity') run.activity = event.activity;
      if (event.kind === 'turnSettled') stored = event.messages;
      if (event.kind === 'approvalRequested') run.activity = null;
      surfaces.notifyTurn(run.session.id, event);
      subAgent?.onEvent(event);
      if (event.kind === 'approvalRequested' || event.kind === 'approvalDecided') turns.changed(run.session.id);
    };
    const agent =
      subAgent?.createAgent(surfaceAgent.memory) ??
      surfaceAgent.agentFor(this.parts.agentSignature(turn.model, surfaceAgent.custom), () =>
        this.parts.createAgent(turn.model, surfaceAgent.memory, surfaceAgent.custom),
      );
    const settled = await this.settledRow(await agent.runTurn(this.turnOf(run, agent, show)), run, show);
    if (settled !== null) await this.deliveries.check(shownLengths, stored, { ...turn, sessionId: run.session.id });
    if (settled !== null) remember(run, settled, stored);
    surfaceAgent.turnEnded();
    this.running.delete(run.session.conversationId);
    this.attempted(run.session.conversationId);
    turns.changed(run.session.id);
    subAgent?.ended(settled, stored);
    if (!this.closing) await turns.ended(run, settled);
  }

  private turnOf(run: RunningTurn, agent: TurnAgent, show: TurnRun['show']): TurnRun {
    const { approvals, compression, delegations, efforts, spending } = this.parts;
    const { turn, subAgent, controller, steering, calls, decisions, recall } = run;
    return {
      turn,
      resumed: run.goesOn ?? false,
      conversationId: run.session.conversationId,
      show,
      controller,
      steering,
      calls,
      decisions,
      mode: {
        get: this.lastKnown<Mode>('ask', run, 'mode', (sessionId) => approvals.mode('', sessionId)),
        set: (chosen) => approvals.setMode('', run.session.id, chosen),
      },
      effort: this.lastKnown<ReasoningEffort>('default', run, 'effort', (sessionId) => efforts.effort('', sessionId)),
      // A sub-agent spends for the session that it works for.
      spendingLimit: this.lastKnown<Failure | null>(null, subAgent?.caller ?? run, 'cost', (sessionId) =>
        spending.limitReached(sessionId),
      ),
      history: {
        shorten: async (request) => (await compression.shortenHistory(run.session, turn.uid, request))?.id ?? null,
      },
      skipRecall: recall.signal,
      ...(subAgent === undefined
        ? { delegate: (...task) => delegations.delegate(run, agent, ...task) }
        : { worksFor: { sessionId: subAgent.caller.session.id, turnUid: subAgent.caller.turn.uid } }),
    };
  }

  /** Returns a reader that falls back to the last known value when the store fails: a newer value could not have
   *  been stored since. */
  private lastKnown<T>(
    first: T,
    run: RunningTurn,
    what: string,
    read: (sessionId: string) => Promise<T>,
  ): () => Promise<T> {
    let known = first;
    return async () => {
      known = await read(run.session.id).catch((error: unknown) => {
        this.parts.log.warn(`The ${what} of session ${run.session.id} could not be read: ${errorMessage(error)}`);
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

  /** Called when the store cannot record the turn's end. Notifies the user at once, and retries until the turn is
   *  closed, because the slot must not go to another prompt before that. Null when the window closes first: then the
   *  next start settles the turn as cut off. */
  private async settleAtLast(
    result: TurnResult & { readonly kind: 'unsettled' },
    run: RunningTurn,
    show: (event: TurnEvent) => void,
  ): Promise<SettledRow | null> {
    let failure = savingFailure(result.error);
    const settledRow: SettledRow = {
      ...run.turn,
      sessionId: run.session.id,
      state: 'settled',
      settledAt: this.parts.clock.now(),
      outcome: 'failed',
      stopReason: 'storeFailed',
      failure,
    };
    show({ kind: 'turnSettled', turn: settledRow, messages: [] });
    const { conversationId } = run.session;
    for (let attempt = retriesOfACall; !this.closing; attempt++) {
      this.parts.log.error(`A turn could not be closed in the store (${failure.cause}): ${failure.technical}`);
      const wake = new AbortController();
      this.unsettled.set(conversationId, { wake, waiting: [] });
      await pause(this.parts.clock, retryPauseMs(attempt), wake.signal);
      try {
        return await result.settle();
      } catch (error) {
        // The turn is not in the file that is open now: there is nothing to close.
        if (error instanceof StoreError && !isUnknownOutcome(error)) return null;
        failure = savingFailure(error);
        this.attempted(conversationId);
      }
    }
    return null;
  }

  private attempted(conversationId: string): void {
    this.unsettled.get(conversationId)?.waiting.forEach((resolve) => resolve());
    this.unsettled.delete(conversationId);
  }
}

function remember({ surfaceAgent, prompt }: RunningTurn, turn: SettledRow, stored: readonly Message[]): void {
  const answers = stored
    .filter((message) => message.role === 'assistant' && message.visibility.kind === 'shown')
    .map((message) => answerText(message.parts));
  surfaceAgent.memory.syncTurn({
    turnUid: turn.uid,
    outcome: turn.outcome,
    prompt: answerText(prompt.parts),
    answer: answers.filter((text) => text !== '').join('\n\n'),
    startedAt: turn.startedAt,
    settledAt: turn.settledAt,
  });
}
