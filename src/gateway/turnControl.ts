import { TurnStop } from '../agent/runningCalls';
import { type Disposable, Emitter } from '../base/disposable';
import type { TurnActivity } from '../transcript/turnEvent';
import type { GatewayParts } from './conversationGateway';
import type { RunningTurn, SettledRow } from './runningTurn';
import type { Session } from '../transcript/session';
import type { Turn } from '../transcript/turn';

/** A turn that runs in this window. `isSubAgent` marks those of sub-agents. `isWaiting` marks the others that wait for
 *  the user; a waiting sub-agent's turn ends with the turn it works for. */
export interface TurnInProgress {
  readonly sessionId: string;
  readonly turnUid: string;
  readonly activity: TurnActivity | null;
  readonly isWaiting: boolean;
  readonly isSubAgent?: boolean;
}

/** The turns that run in this window, those that wait for the user in the store alone (after a reload, a crash or a
 *  handover to another window), and what the user does to them. */
export class TurnControl implements Disposable {
  private readonly changes = new Emitter<void>();

  constructor(private readonly parts: GatewayParts) {}

  readonly onDidChangeRunning = (listener: () => void): Disposable => this.changes.event(listener);

  /** Over all conversations. A turn that waits only in the store (after a reload, for example) is not included; session
   *  lists show that it waits. */
  running(): readonly TurnInProgress[] {
    return this.parts.runner.all().map(({ session, turn, activity, decisions, subAgent }) => ({
      sessionId: session.id,
      turnUid: turn.uid,
      activity,
      ...(subAgent === undefined ? { isWaiting: decisions.pending !== null } : { isWaiting: false, isSubAgent: true }),
    }));
  }

  /** Ids of the conversations in which a turn runs in this window. */
  conversations(): ReadonlySet<string> {
    return new Set(this.parts.runner.all().map(({ session }) => session.conversationId));
  }

  /** Interrupts the running turn of the session's conversation. Resolves when it has settled. No-op when nothing
   *  runs or, with `turnUid`, when another turn does: a late stop must not hit the next prompt. */
  async stop(sessionId: string, turnUid?: string): Promise<void> {
    const { sessions, runner, slots, queue, compression } = this.parts;
    const session = await sessions.get(sessionId);
    const { conversationId } = session;
    const run = runner.runningIn(conversationId);
    if (run === null && !slots.isClosing)
      await slots.inSequence(conversationId, () => this.endWaiting(session, 'user', turnUid));
    if (turnUid !== undefined && run?.turn.uid !== turnUid) return;
    queue.dropTakeOvers(conversationId);
    await compression.stop(conversationId);
    await runner.stop(conversationId, new TurnStop('user'));
  }

  /** Stops the turn's wait for memory. A late skip changes nothing. */
  async skipRecall(sessionId: string, turnUid: string): Promise<void> {
    const run = await this.runOf(sessionId);
    if (run?.turn.uid === turnUid) run.recall.abort();
  }

  /** Ends one running call. The turn continues and the model is notified. No-op when the call does not run. */
  async stopCall(sessionId: string, callId: string): Promise<void> {
    (await this.runOf(sessionId))?.calls.stop(callId);
  }

  /** Continues the turn while the process that this call started keeps running. No-op when nothing can be left
   *  running. */
  async proceedCall(sessionId: string, callId: string): Promise<void> {
    (await this.runOf(sessionId))?.calls.proceed(callId);
  }

  /** Ends the waiting turn of this conversation; with `turnUid`, only that one. Called inside the conversation's
   *  sequence. Returns true when there was one without an active run. */
  async endWaiting(session: Session, stopReason: 'user' | 'newPrompt', turnUid?: string): Promise<boolean> {
    const { store, runner } = this.parts;
    if (runner.runningIn(session.conversationId) !== null) return false;
    const open = await store.openTurnOf(session.id);
    if (open?.state !== 'waiting' || (turnUid !== undefined && open.uid !== turnUid)) return false;
    await this.settleWaiting(open, stopReason);
    return true;
  }

  /** Closes a turn without an active run. Its calls without a result wait for the user or follow one that does, so
   *  they never ran. */
  async settleWaiting(open: Turn, stopReason: 'user' | 'newPrompt'): Promise<void> {
    const { store, clock, surfaces } = this.parts;
    const { turn, messages } = await store.settleTurn({
      turnUid: open.uid,
      settledAt: clock.now(),
      settlement: { outcome: 'interrupted', stopReason, failure: null },
      messages: [],
    });
    surfaces.notifyTurn(turn.sessionId, { kind: 'turnSettled', turn, messages });
    surfaces.notifyAll({ kind: 'sessionsChanged', sessionIds: [turn.sessionId] });
  }

  /** Called when a turn is over and its slot is free. `settled` is null when the turn could not be closed before the
   *  window closed, or waits in the store. The queue continues only after a completed answer. After a stop or a failure
   *  the user decides. A prompt that the turn was stopped for is such a decision already. */
  async ended(run: RunningTurn, settled: SettledRow | null): Promise<void> {
    const { switching, queue, titles, agents, afterTurn } = this.parts;
    await switching.noteSeen(run.session.id);
    // Steering that came too late is an ordinary queued prompt from here on.
    if (run.steering.waiting.length > 0) await queue.notifyQueueOf(run.session.id);
    const isComplete = settled?.outcome === 'complete';
    if (settled !== null) await queue.startNextInBackground(run.session, run.surfaceId, isComplete);
    if (settled !== null) titles.turnSettled(run, settled);
    // After the next prompt has started, so that consecutive turns run on the same agent.
    agents.settled(run.surfaceAgent);
    if (isComplete && run.subAgent === undefined)
      afterTurn?.({ surfaceId: run.surfaceId, sessionId: run.session.id, promptUid: settled.userMessageUid });
  }

  /** Called when the entry of a session in lists may have changed. */
  changed(sessionId: string): void {
    this.changes.fire();
    this.parts.surfaces.notifyAll({ kind: 'sessionsChanged', sessionIds: [sessionId] });
  }

  dispose(): void {
    this.changes.dispose();
  }

  private async runOf(sessionId: string): Promise<RunningTurn | null> {
    const { sessions, runner } = this.parts;
    return runner.runningIn((await sessions.get(sessionId)).conversationId);
  }
}
