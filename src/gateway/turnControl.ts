import { TurnStop } from '../agent/runningCalls';
import { type Disposable, Emitter } from '../base/disposable';
import type { TurnActivity } from '../transcript/turnEvent';
import type { SessionDirectory } from './sessionDirectory';
import type { TurnRunner } from './turnRunner';
import type { TurnSlots } from './turnSlots';
import type { WaitingTurns } from './waitingTurns';
import type { PromptQueue } from './promptQueue';
import type { CompressionScheduler } from './compressionScheduler';

/** A turn that runs in this window. `isSubAgent` marks those of sub-agents. `isWaiting` marks the others that wait for
 *  the user; a waiting sub-agent's turn ends with the turn it works for. */
export interface TurnInProgress {
  readonly sessionId: string;
  readonly turnUid: string;
  readonly activity: TurnActivity | null;
  readonly isWaiting: boolean;
  readonly isSubAgent?: boolean;
}

/** The turns that run in this window, and what the user does to them. */
export class TurnControl implements Disposable {
  private readonly changes = new Emitter<void>();

  constructor(
    private readonly parts: {
      readonly sessions: SessionDirectory;
      readonly runner: TurnRunner;
      readonly slots: TurnSlots;
      readonly waiting: WaitingTurns;
      readonly queue: PromptQueue;
      readonly compressionScheduler: CompressionScheduler;
    },
  ) {}

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
    const { sessions, runner, slots, waiting, queue, compressionScheduler } = this.parts;
    const session = await sessions.get(sessionId);
    const { conversationId } = session;
    const run = runner.runningIn(conversationId);
    if (run === null && !slots.isClosing)
      await slots.inSequence(conversationId, () => waiting.end(session, 'user', turnUid));
    if (turnUid !== undefined && run?.turn.uid !== turnUid) return;
    queue.dropTakeOvers(conversationId);
    await compressionScheduler.stop(conversationId);
    await runner.stop(conversationId, new TurnStop('user'));
  }

  /** Stops the turn's wait for memory. A late skip changes nothing. */
  async skipRecall(sessionId: string, turnUid: string): Promise<void> {
    const { sessions, runner } = this.parts;
    runner.skipRecall((await sessions.get(sessionId)).conversationId, turnUid);
  }

  /** Ends one running call. The turn continues and the model is notified. No-op when the call does not run. */
  async stopCall(sessionId: string, callId: string): Promise<void> {
    const { sessions, runner } = this.parts;
    runner.stopCall((await sessions.get(sessionId)).conversationId, callId);
  }

  /** Continues the turn while the process that this call started keeps running. No-op when nothing can be left
   *  running. */
  async proceedCall(sessionId: string, callId: string): Promise<void> {
    const { sessions, runner } = this.parts;
    runner.proceedCall((await sessions.get(sessionId)).conversationId, callId);
  }

  /** Called when another window takes over the store. Ends in-memory runs that await approval; their turns stay
   *  `waiting`, so the window that gets the decision can resume them. */
  leaveWaiting(): Promise<void> {
    return this.parts.runner.leaveWaiting();
  }

  notifyChanged(): void {
    this.changes.fire();
  }

  dispose(): void {
    this.changes.dispose();
  }
}
