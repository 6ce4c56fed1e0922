import { t } from '../base/translate';
import { TurnStop } from '../agent/runningCalls';
import { errorMessage } from '../base/errorMessage';
import type { EnqueuePrompt } from '../store/requests';
import { isSendable } from '../transcript/draftPart';
import type { QueuedPrompt, Session, SessionSummary } from '../transcript/session';
import { GatewayError, type PromptSubmission, type SubmitReceipt } from './gateway';
import type { GatewayParts } from './conversationGateway';

/** Prompts that wait on disk: for a turn to settle, for a compression, or to steer a running turn. */
export class PromptQueue {
  private readonly takeOvers = new TakeOvers();

  constructor(private readonly parts: GatewayParts) {}

  /** Keeps the attachments. */
  async edit(uid: string, text: string): Promise<void> {
    const along = text.trim() === '' ? (await this.parts.store.queuedPrompt(uid))?.parts : undefined;
    if (!isSendable(text, along))
      throw new GatewayError('invalid', t('A queued message can’t be empty. Remove it instead.'));
    const queue = await this.parts.store.editQueued(uid, text);
    if (queue[0] !== undefined) this.notify(queue[0].sessionId, queue);
  }

  async remove(uid: string): Promise<void> {
    const removed = await this.parts.store.queuedPrompt(uid);
    if (removed === null) return;
    this.notify(removed.sessionId, await this.parts.store.removeQueued(uid));
  }

  /** Moves a queued prompt to the front. */
  async promote(uid: string): Promise<void> {
    const queue = await this.parts.store.promoteQueued(uid);
    const first = queue[0];
    if (first === undefined) return;
    this.notify(first.sessionId, queue);
    await this.startNext(
      await this.parts.sessions.tipOf(first.sessionId),
      this.parts.surfaces.surfaceOf(first.sessionId),
      true,
    );
  }

  /** Queues a prompt that is sent while a turn runs, on disk before anything else happens with it. Called inside the
   *  conversation's sequence, so that the end of that turn sees this decision. */
  async addBesideTurn(session: Session, prompt: PromptSubmission): Promise<SubmitReceipt> {
    const { conversationId } = session;
    const mode = prompt.busy ?? this.parts.busyMode?.() ?? 'queue';
    const run = this.parts.runner.runningIn(conversationId);
    const takeOvers = this.takeOvers.of(conversationId);
    const after = { queue: null, interrupt: takeOvers, steer: [...takeOvers, ...(run?.steering.waiting ?? [])] }[mode];
    const queue = await this.parts.store.enqueue({
      uid: prompt.uid,
      sessionId: session.id,
      text: prompt.text,
      ...along(prompt),
      createdAt: this.parts.clock.now(),
      ...(after === null ? {} : { after }),
    });
    // Steering is sent with a tool result, which holds images only on some protocols. Prompts with images get their own
    // turn after this one.
    if (mode === 'steer' && prompt.parts?.some(({ kind }) => kind === 'image') !== true) run?.steering.add(prompt.uid);
    const shown = this.notify(session.id, queue);
    if (mode === 'interrupt') {
      // Also when the turn has just ended normally: its follow-up work runs after this in the sequence.
      this.takeOvers.add(conversationId, prompt.uid);
      // Not awaited: the end of the turn waits for this sequence.
      run?.controller.abort(new TurnStop('newPrompt'));
      // A turn that waits only in the store has no end event that would start the prompt.
      if (run === null && (await this.parts.turns.endWaiting(session, 'newPrompt')))
        void this.startNextInBackground(session, this.parts.surfaces.surfaceOf(session.id), false);
    }
    return { kind: 'queued', sessionId: session.id, queue: shown };
  }

  /** Adds a prompt that needs a shorter history first. Queues it on disk, compresses, then sends it next. */
  async addAfterCompression(surfaceId: string, session: Session, prompt: PromptSubmission): Promise<SubmitReceipt> {
    const createdAt = this.parts.clock.now();
    const queue = await this.parts.store.enqueue({
      uid: prompt.uid,
      sessionId: session.id,
      text: prompt.text,
      ...along(prompt),
      createdAt,
      after: [],
    });
    this.notify(session.id, queue);
    this.takeOvers.add(session.conversationId, prompt.uid);
    this.compressAhead(session, surfaceId, false);
    return { kind: 'queued', sessionId: session.id, queue };
  }

  /** Called when the user stops a turn. The prompt that the turn was stopped for is then not wanted either: it stays
   *  queued. */
  dropTakeOvers(conversationId: string): void {
    this.takeOvers.clear(conversationId);
  }

  async notifyQueueOf(sessionId: string): Promise<void> {
    try {
      this.notify(sessionId, await this.parts.store.queue(sessionId));
    } catch (error) {
      this.parts.log.warn(`The queue could not be read: ${errorMessage(error)}`);
    }
  }

  /** Continues queues only after a turn that completed: after a stop, a failure, a crash or a reset, the queue waits
   *  for the user. */
  async resume(): Promise<void> {
    const sessions = await this.parts.store.listSessions({ limit: 1000 });
    const mayContinue = ({ queuedCount, lastTurn, endReason }: SessionSummary): boolean =>
      queuedCount > 0 && lastTurn?.state === 'complete' && endReason !== 'reset';
    for (const summary of sessions.filter(mayContinue)) {
      await this.startNextInBackground(summary, this.parts.surfaces.surfaceOf(summary.id), true);
    }
  }

  /** Starts the first queued prompt if the conversation is free. With `mayContinue` false, starts only one that a turn
   *  was stopped for. A prompt that cannot start stays in the queue. Never rejects. */
  async startNextInBackground(
    session: Session,
    surfaceId: string,
    mayContinue: boolean,
    length: 'shortEnough' | 'asItIs' = 'shortEnough',
  ): Promise<void> {
    try {
      await this.startNext(session, surfaceId, mayContinue, length);
    } catch (error) {
      this.parts.log.warn(`A queued prompt could not be started and stays queued: ${errorMessage(error)}`);
    }
  }

  private startNext(
    session: Session,
    surfaceId: string,
    mayContinue: boolean,
    length: 'shortEnough' | 'asItIs' = 'shortEnough',
  ): Promise<void> {
    const { store, slots, sessions, compression } = this.parts;
    return slots.inSequence(session.conversationId, async () => {
      if (slots.isClosing) return;
      const context = await store.promptContext(session.id, null);
      const { historyTokens, isSubAgent, openTurn } = context;
      const current = sessions.tipIn(context, session.id);
      if (await slots.isBusy(current, openTurn)) return;
      const queue = await store.queue(current.id);
      const isWanted = mayContinue || this.takeOvers.of(session.conversationId).length > 0;
      const mayBeLong = length === 'shortEnough' && queue.length > 0 && isWanted;
      if (mayBeLong && (await compression.isDue(current, historyTokens)))
        return this.compressAhead(current, surfaceId, mayContinue);
      const next = this.takeOvers.takeFrom(queue, session.conversationId) ?? (mayContinue ? queue[0] : undefined);
      if (next === undefined) return;
      await slots.prepare(current.conversationId);
      await slots.open(surfaceId, await sessions.tipOf(current.id), {
        prompt: next,
        reason: 'resume',
        queuedUid: next.uid,
        isSubAgent,
      });
      this.notify(current.id, await store.queue(current.id));
    });
  }

  /** Compresses, then starts the next queued prompt even if nothing was compressed. Called inside the conversation's
   *  sequence. */
  private compressAhead(session: Session, surfaceId: string, mayContinue: boolean): void {
    void this.parts.compression
      .begin(session, { focus: null, isForced: false })
      .catch((error: unknown) =>
        this.parts.log.warn(`Session ${session.id} was not compressed: ${errorMessage(error)}`),
      )
      .then(() => this.startNextInBackground(session, surfaceId, mayContinue, 'asItIs'));
  }

  /** Returns the queue as it was shown. */
  private notify(sessionId: string, stored: readonly QueuedPrompt[]): readonly QueuedPrompt[] {
    const queue = this.parts.runner.withNextSteps(stored);
    this.parts.surfaces.notifyAll({ kind: 'queueChanged', sessionId, queue });
    return queue;
  }
}

function along({ parts, draft }: PromptSubmission): Pick<EnqueuePrompt, 'parts' | 'draft'> {
  return { ...(parts === undefined || parts.length === 0 ? {} : { parts }), ...(draft === undefined ? {} : { draft }) };
}

/** The queued prompts for which a running turn was stopped. Each is next, although that turn was cut off. Kept only
 *  in this process, so after a crash they wait for the user like any other queued prompt. */
class TakeOvers {
  private readonly uids = new Map<string, readonly string[]>();

  of(conversationId: string): readonly string[] {
    return this.uids.get(conversationId) ?? [];
  }

  add(conversationId: string, uid: string): void {
    this.uids.set(conversationId, [...this.of(conversationId), uid]);
  }

  clear(conversationId: string): void {
    this.uids.delete(conversationId);
  }

  /** Removes and returns the next one. Undefined when none of them is queued. */
  takeFrom(queue: readonly QueuedPrompt[], conversationId: string): QueuedPrompt | undefined {
    const [next, ...rest] = this.of(conversationId).flatMap((uid) => queue.filter((prompt) => prompt.uid === uid));
    if (rest.length === 0) this.clear(conversationId);
    else
      this.uids.set(
        conversationId,
        rest.map(({ uid }) => uid),
      );
    return next;
  }
}
