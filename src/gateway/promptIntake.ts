import type { SessionStore } from '../store/sessionStore';
import { isSendable } from '../transcript/draftPart';
import type { Message } from '../transcript/message';
import type { CompressionScheduler } from './compressionScheduler';
import { GatewayError, type PromptSubmission, type SubmitReceipt } from './gateway';
import type { PromptQueue } from './promptQueue';
import type { SessionDirectory } from './sessionDirectory';
import type { SessionSwitching } from './sessionSwitching';
import { type SurfaceRegistry, usualBeginning } from './surfaceRegistry';
import type { TurnSlots } from './turnSlots';

interface IntakeParts {
  readonly store: SessionStore;
  readonly sessions: SessionDirectory;
  readonly surfaces: SurfaceRegistry;
  readonly slots: TurnSlots;
  readonly queue: PromptQueue;
  readonly compressionScheduler: CompressionScheduler;
  /** Sends the prompt of a turn that was opened and never ran. */
  readonly sendAgain: (surfaceId: string, turnUid: string) => Promise<SubmitReceipt>;
  readonly switching: SessionSwitching;
}

/** Takes prompts in: each is on disk when its receipt is given, once, however often it is sent. */
export class PromptIntake {
  constructor(private readonly parts: IntakeParts) {}

  async submit(surfaceId: string, prompt: PromptSubmission): Promise<SubmitReceipt> {
    const { sessions, slots, queue, compressionScheduler, surfaces } = this.parts;
    slots.refuseWhenClosing();
    const repeated = await this.receiptOf(surfaceId, prompt.uid);
    if (repeated !== null) return repeated;
    if (!isSendable(prompt.text, prompt.parts))
      throw new GatewayError('invalid', 'There is nothing to send. Type a prompt first.');
    const from = surfaces.shownSession(surfaceId);
    const beginning = from === null ? surfaces.beginningAt(surfaceId) : usualBeginning;
    const found = prompt.sessionId === null ? await sessions.create(beginning) : await sessions.tipOf(prompt.sessionId);
    return slots.inSequence(found.conversationId, async () => {
      const session = await sessions.tipOf(found.id);
      await sessions.refuseSubAgent(session);
      if (await slots.isBusy(session)) return queue.addBesideTurn(session, prompt);
      if (prompt.sessionId !== null && (await compressionScheduler.isDue(session)))
        return queue.addBehindCompression(surfaceId, session, prompt);
      const turn = await slots.open(surfaceId, session, {
        prompt,
        from,
        reason: prompt.sessionId === null ? beginning.reason : 'resume',
      });
      return { kind: 'started', sessionId: session.id, turnUid: turn.uid };
    });
  }

  /** What became of a prompt that was submitted before; null for one that was not. */
  async receiptOf(surfaceId: string, uid: string): Promise<SubmitReceipt | null> {
    const { store } = this.parts;
    const message = await store.getMessage(uid);
    if (message !== null) return this.submittedBefore(surfaceId, message);
    const queued = await store.queuedPrompt(uid);
    if (queued === null) return null;
    return { kind: 'queued', sessionId: queued.sessionId, queue: await store.queue(queued.sessionId) };
  }

  /** The prompt is stored. It is answered, or being answered, unless its turn was opened by a write that seemed to fail: then it is sent now. */
  private async submittedBefore(surfaceId: string, { sessionId, turnUid }: Message): Promise<SubmitReceipt> {
    const { store, sessions, slots, sendAgain, switching } = this.parts;
    const started: SubmitReceipt = { kind: 'started', sessionId, turnUid: turnUid ?? '' };
    const turn = turnUid === null ? null : await store.getTurn(turnUid);
    if (turn?.state !== 'running') return started;
    const session = await sessions.tipOf(sessionId);
    if (await slots.inSequence(session.conversationId, () => slots.isBusy(session))) return started;
    const receipt = await sendAgain(surfaceId, turn.uid);
    switching.showBegun(surfaceId, session);
    return receipt;
  }
}
