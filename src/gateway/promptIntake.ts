import { t } from '../base/translate';
import type { PromptContext } from '../store/requests';
import { isSendable, type SentPart } from '../transcript/draftPart';
import type { Message } from '../transcript/message';
import type { QueuedPrompt, Session } from '../transcript/session';
import {
  type BeforeAsking,
  GatewayError,
  type PromptSubmission,
  type SubmitReceipt,
  type SwitchReason,
} from './gateway';
import { notStored } from './sessionDirectory';
import { usualBeginning } from './surfaceRegistry';
import type { GatewayParts } from './conversationGateway';

/** Origin of a prompt: the surface, the session it showed, and the reason why it shows the prompt's session from
 *  now on. */
interface Sent {
  readonly surfaceId: string;
  readonly from: string | null;
  readonly reason: SwitchReason;
}

/** Accepts prompts. Each is on disk when its receipt is given, and stored once, however often it is sent. */
export class PromptIntake {
  constructor(private readonly parts: GatewayParts) {}

  /** When this resolves, the prompt is on disk. */
  async submit(surfaceId: string, prompt: PromptSubmission): Promise<SubmitReceipt> {
    const { sessions, slots, surfaces, modelChoices } = this.parts;
    await modelChoices.settled(prompt.sessionId);
    slots.refuseWhenClosing();
    const from = surfaces.shownSession(surfaceId);
    if (prompt.sessionId !== null) return this.take(prompt.sessionId, prompt, { surfaceId, from, reason: 'resume' });
    const repeated = await this.receiptOf(surfaceId, prompt.uid);
    if (repeated !== null) return repeated;
    requireSendable(prompt);
    const beginning = from === null ? surfaces.beginningAt(surfaceId) : usualBeginning;
    const session = await sessions.create(beginning);
    modelChoices.begun(session, beginning.model);
    return this.take(session.id, prompt, { surfaceId, from, reason: beginning.reason });
  }

  /** Same as `PromptVersionSwitching.retry`, with a new text for the prompt. `parts`: all attachments of the new
   *  prompt. Default: the attachments of the old one. */
  async editAndResend(
    surfaceId: string,
    turnUid: string,
    text: string,
    submissionUid: string,
    before?: BeforeAsking,
    parts?: readonly SentPart[],
  ): Promise<SubmitReceipt> {
    const { surfaces, modelChoices, versions } = this.parts;
    await modelChoices.settled(surfaces.shownSession(surfaceId));
    return (
      (await this.receiptOf(surfaceId, submissionUid)) ??
      versions.edit(surfaceId, turnUid, { uid: submissionUid, text, parts }, before)
    );
  }

  /** Returns the receipt of a prompt that was submitted before. Null when it was not. */
  async receiptOf(surfaceId: string, uid: string): Promise<SubmitReceipt | null> {
    const { message, queued } = await this.parts.store.promptContext(null, uid);
    if (message !== null) return this.submittedBefore(surfaceId, message);
    return queued === null ? null : this.queuedBefore(queued);
  }

  /** Hands the prompt to the session's conversation. Reads what this depends on within the conversation's sequence:
   *  until the prompt is on disk, nothing else opens a turn there or starts a compression. */
  private async take(sessionId: string, prompt: PromptSubmission, sent: Sent): Promise<SubmitReceipt> {
    const { store, sessions, slots } = this.parts;
    const conversationId = await sessions.conversationOf(sessionId);
    if (conversationId === null) {
      const repeated = await this.receiptOf(sent.surfaceId, prompt.uid);
      if (repeated === null) throw notStored();
      return repeated;
    }
    const taken = await slots.inSequence(conversationId, async (): Promise<SubmitReceipt | Message | 'elsewhere'> => {
      await slots.prepare(conversationId);
      const context = await store.promptContext(sessionId, prompt.uid);
      if (context.message !== null) return context.message;
      if (context.queued !== null) return this.queuedBefore(context.queued);
      requireSendable(prompt);
      const session = sessions.tipIn(context, sessionId);
      return session.conversationId === conversationId ? this.takeHere(session, context, prompt, sent) : 'elsewhere';
    });
    if (taken === 'elsewhere') return this.take(sessionId, prompt, sent);
    // Outside the conversation's sequence: sending it again enters that sequence.
    return 'kind' in taken ? taken : this.submittedBefore(sent.surfaceId, taken);
  }

  private async takeHere(
    session: Session,
    { isSubAgent, openTurn, historyTokens }: PromptContext,
    prompt: PromptSubmission,
    { surfaceId, from, reason }: Sent,
  ): Promise<SubmitReceipt> {
    const { sessions, slots, queue, compression } = this.parts;
    await sessions.refuseSubAgent(session, isSubAgent);
    if (await slots.isBusy(session, openTurn)) return queue.addBesideTurn(session, prompt);
    if (await compression.isDue(session, historyTokens)) return queue.addAfterCompression(surfaceId, session, prompt);
    const turn = await slots.open(surfaceId, session, { prompt, from, reason, isSubAgent });
    return { kind: 'started', sessionId: session.id, turnUid: turn.uid };
  }

  private async queuedBefore({ sessionId }: QueuedPrompt): Promise<SubmitReceipt> {
    return { kind: 'queued', sessionId, queue: await this.parts.store.queue(sessionId) };
  }

  /** Handles a stored prompt. It is answered or being answered, unless the write that opened its turn seemed to
   *  fail: then it is sent now. */
  private async submittedBefore(surfaceId: string, { sessionId, turnUid }: Message): Promise<SubmitReceipt> {
    const { store, sessions, slots, versions, switching } = this.parts;
    const started: SubmitReceipt = { kind: 'started', sessionId, turnUid: turnUid ?? '' };
    const turn = turnUid === null ? null : await store.getTurn(turnUid);
    if (turn?.state !== 'running') return started;
    const session = await sessions.tipOf(sessionId);
    if (await slots.inSequence(session.conversationId, () => slots.isBusy(session))) return started;
    const receipt = await versions.retry(surfaceId, turn.uid);
    switching.showBegun(surfaceId, session);
    return receipt;
  }
}

function requireSendable({ text, parts }: PromptSubmission): void {
  if (!isSendable(text, parts)) throw new GatewayError('invalid', t('There is nothing to send. Type a prompt first.'));
}
