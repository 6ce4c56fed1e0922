import type { Clock } from '../base/clock';
import type { Ids } from '../base/ids';
import type { NewApproval } from '../store/approvals';
import type { SessionStore } from '../store/sessionStore';
import type { Chunk, Message, NewMessage } from '../transcript/message';
import type { Approval } from '../transcript/approval';
import { closingResultText } from '../transcript/closingText';
import type { DeliveredKind, ProviderMetadata, ThinkingPart, ToolCallPart, ToolResultPart } from '../transcript/part';
import type { Settlement, Turn } from '../transcript/turn';
import type { TurnEvent } from '../transcript/turnEvent';
import type { Usage } from '../transcript/usage';
import { AnswerBuffer } from './answerBuffer';

export interface RecordedTurn {
  /** Where the turn begins. */
  readonly sessionId: string;
  readonly turnUid: string;
  readonly model: string;
}

export interface AnswerEnd {
  readonly calls: readonly ToolCallPart[];
  readonly finishReason: string | null;
  readonly usage: Usage | null;
}

/** What a call came back with, or that it never ran. */
export type CallResult = Omit<ToolResultPart, 'kind' | 'callId' | 'name'>;

/** Writes one turn, and shows each thing only after it is on disk (decision 2). Text handed to `deliver` is committed in chunks; whatever
 *  arrives during a commit forms the next one. Once a write has failed nothing more is shown: `failure` is set, `onFailure` is
 *  called once, and every later call of this recorder is refused with that failure. */
export class TurnRecorder {
  private answer: AnswerBuffer | null = null;
  private answerStartedAt = 0;
  private committing: Promise<void> | null = null;
  private storeFailure: unknown = null;
  private hasFailed = false;
  private cancelled: readonly NewMessage[] = [];
  private session: string;

  constructor(
    private readonly store: SessionStore,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly turn: RecordedTurn,
    private readonly show: (event: TurnEvent) => void,
    private readonly onFailure: (error: unknown) => void,
  ) {
    this.session = turn.sessionId;
  }

  /** The session that takes the turn's rows now. */
  get sessionId(): string {
    return this.session;
  }

  /** An answer has begun and is not stored as a whole yet. */
  get isAnswering(): boolean {
    return this.answer !== null;
  }

  /** The turn goes on in the next segment of its conversation. An answer under way would be torn apart: there must be none. */
  moveTo(sessionId: string): void {
    if (this.answer !== null)
      throw new Error(
        `Turn ${this.turn.turnUid} cannot move to session ${sessionId} while its answer is being delivered.`,
      );
    this.session = sessionId;
  }

  get failure(): unknown {
    return this.storeFailure;
  }

  get failed(): boolean {
    return this.hasFailed;
  }

  /** Takes text of the answer under way; the first of it begins the answer's row. */
  deliver(kind: DeliveredKind, text: string): void {
    if (this.hasFailed) return;
    this.currentAnswer().add(kind, text);
    this.startCommitting();
  }

  endPart(kind: DeliveredKind, metadata: ProviderMetadata | undefined): void {
    if (this.hasFailed || (this.answer === null && metadata === undefined)) return;
    this.currentAnswer().end(kind, metadata);
    this.startCommitting();
  }

  /** The text of one kind that the answer under way has taken so far. */
  answerSoFar(kind: DeliveredKind): string {
    return this.answer?.textOf(kind) ?? '';
  }

  /** What the answer under way has thought so far, with what its provider wants back. */
  get thoughtSoFar(): readonly ThinkingPart[] {
    return this.answer?.thinking ?? [];
  }

  /** Whether further text of this kind would stand in the same part as the text before it. */
  isOpen(kind: DeliveredKind): boolean {
    return this.answer?.isOpen(kind) ?? false;
  }

  /** A further request of the same answer begins: its text goes on in the same row. */
  resumeAnswer(): void {
    this.answer?.reopen();
  }

  /** Resolves when everything taken so far is on disk and shown. Rejects when it cannot be. */
  async flush(): Promise<void> {
    for (;;) {
      if (this.committing !== null) await this.committing;
      if (this.hasFailed) throw this.storeFailure;
      if (this.answer === null || this.answer.nextChunks(true).length === 0) return;
      this.startCommitting(true);
    }
  }

  /** Stores the answer with its calls as one row; afterwards the calls may run. Resolves with the row's uid. */
  async storeCalls(end: AnswerEnd): Promise<string> {
    await this.flush();
    const answer = this.currentAnswer();
    const stored = await this.write(() => this.store.putMessages([this.finalRow(answer, end)]));
    this.answer = null;
    this.showStored(stored);
    return answer.messageUid;
  }

  /** Stores what a call came back with; afterwards the next request may be made. */
  async storeResult(call: ToolCallPart, output: CallResult): Promise<void> {
    const row = this.resultRow(this.ids.uid(), call, output);
    this.showStored(await this.write(() => this.store.putMessages([row])));
  }

  /** Stores what the person is asked; the turn waits from then on. */
  async requestApproval(question: NewApproval): Promise<Approval> {
    const { approval, turn } = await this.write(() => this.store.requestApproval(question));
    if (turn.state === 'waiting') this.show({ kind: 'approvalRequested', turn, approval });
    return approval;
  }

  /** The turn ends without these calls of the row having begun. */
  neverRan(messageUid: string, calls: readonly ToolCallPart[]): void {
    const output: CallResult = { outcome: 'cancelled', text: closingResultText('cancelled') };
    // The uids are those that the store gives results it has to add itself.
    this.cancelled = calls.map((call) => this.resultRow(`${messageUid}/result/${call.callId}`, call, output));
  }

  /** Stores queued prompts as what the person told this turn; afterwards the next request, which carries them, may be made. */
  async storeSteering(queuedUids: readonly string[]): Promise<void> {
    const {
      sessionId,
      turn: { turnUid },
    } = this;
    for (const queuedUid of queuedUids) {
      const row = await this.write(() =>
        this.store.steerTurn({ turnUid, sessionId, queuedUid, createdAt: this.clock.now() }),
      );
      // Null: the person has taken it back.
      if (row !== null) this.showStored([row]);
    }
  }

  async addUsage(usage: Usage): Promise<void> {
    await this.write(() => this.store.addUsage(this.turn.turnUid, usage));
  }

  /** Closes the turn in one transaction and shows how it ended. With `undelivered: 'drop'` (a stop) text that is not on disk yet is given
   *  up, with `'store'` it is stored and shown first. Rejects when the turn could not be closed; it may be called again then. */
  async settle(
    settlement: Settlement,
    undelivered: 'drop' | 'store',
    end: Omit<AnswerEnd, 'calls'> | null,
  ): Promise<Turn & { readonly state: 'settled' }> {
    if (undelivered === 'store' && !this.hasFailed) await this.flush();
    if (this.committing !== null) await this.committing;
    // After a failed write it is not known how much is on disk: then the store folds what it has, and nothing is said about the text here.
    const answer = this.hasFailed ? null : this.answer;
    const row =
      answer !== null && answer.hasStored
        ? [this.finalRow(answer, { calls: [], finishReason: end?.finishReason ?? null, usage: end?.usage ?? null })]
        : [];
    const settled = await this.store.settleTurn({
      turnUid: this.turn.turnUid,
      settledAt: this.clock.now(),
      settlement,
      messages: [...this.cancelled, ...row],
    });
    this.answer = null;
    this.show({ kind: 'turnSettled', turn: settled.turn, messages: settled.messages });
    return settled.turn;
  }

  private currentAnswer(): AnswerBuffer {
    if (this.answer === null) {
      this.answer = new AnswerBuffer(this.ids.uid());
      this.answerStartedAt = this.clock.now();
    }
    return this.answer;
  }

  private startCommitting(all = false): void {
    if (this.committing !== null || this.hasFailed) return;
    this.committing = this.commitWaiting(all).finally(() => {
      this.committing = null;
    });
  }

  private async commitWaiting(all: boolean): Promise<void> {
    for (
      let chunks = this.answer?.nextChunks(all) ?? [];
      chunks.length > 0;
      chunks = this.answer?.nextChunks(all) ?? []
    ) {
      try {
        await this.commit(chunks);
      } catch (error) {
        this.fail(error);
        return;
      }
    }
  }

  private async commit(chunks: readonly Chunk[]): Promise<void> {
    const {
      sessionId,
      turn: { turnUid, model },
    } = this;
    await this.write(() =>
      this.store.appendChunks({ sessionId, turnUid, model, createdAt: this.answerStartedAt, chunks }),
    );
    this.answer?.markStored(chunks);
    this.show({ kind: 'delivered', turnUid, chunks });
  }

  /** A write that fails here has failed for good: the store itself tries once more, and keeps aside what it cannot write. */
  private async write<T>(store: () => Promise<T>): Promise<T> {
    if (this.hasFailed) throw this.storeFailure;
    try {
      return await store();
    } catch (error) {
      this.fail(error);
      throw error;
    }
  }

  private fail(error: unknown): void {
    if (this.hasFailed) return;
    this.hasFailed = true;
    this.storeFailure = error;
    this.onFailure(error);
  }

  private finalRow(answer: AnswerBuffer, end: AnswerEnd): NewMessage {
    return {
      ...this.newRow(),
      uid: answer.messageUid,
      createdAt: this.answerStartedAt,
      role: 'assistant',
      parts: [...answer.storedParts(), ...end.calls],
      state: 'final',
      lastSeq: answer.lastSeq,
      model: this.turn.model,
      finishReason: end.finishReason,
      usage: end.usage,
    };
  }

  private resultRow(uid: string, call: ToolCallPart, { outcome, text, details, images }: CallResult): NewMessage {
    return {
      ...this.newRow(),
      uid,
      role: 'tool',
      parts: [
        {
          kind: 'toolResult',
          callId: call.callId,
          name: call.name,
          outcome,
          text: text.toWellFormed(),
          ...(details === undefined ? {} : { details }),
          ...(images === undefined || images.length === 0 ? {} : { images }),
        },
      ],
    };
  }

  private newRow() {
    return {
      uid: this.ids.uid(),
      sessionId: this.session,
      turnUid: this.turn.turnUid,
      createdAt: this.clock.now(),
      visibility: { kind: 'shown' as const },
      carriedFrom: null,
    };
  }

  private showStored(messages: readonly Message[]): void {
    for (const message of messages) this.show({ kind: 'messageStored', message });
  }
}
