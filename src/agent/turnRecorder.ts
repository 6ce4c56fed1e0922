import type { Clock } from '../base/clock';
import type { Ids } from '../base/ids';
import type { NewApproval } from '../store/requests';
import type { SessionStore } from '../store/session/sessionStore';
import type { Chunk, Message, NewMessage } from '../transcript/message';
import type { Approval } from '../transcript/approval';
import { closingResultText } from '../transcript/closingText';
import type { DeliveredKind, ProviderMetadata, ThinkingPart, ToolCallPart, ToolResultPart } from '../transcript/part';
import type { Settlement, Turn } from '../transcript/turn';
import type { TurnEvent } from '../transcript/turnEvent';
import type { Usage } from '../transcript/usage';
import { AnswerBuffer } from './answerBuffer';

interface RecordedTurn {
  /** The session in which the turn begins. */
  readonly sessionId: string;
  readonly turnUid: string;
  readonly model: string;
}

interface AnswerEnd {
  readonly calls: readonly ToolCallPart[];
  readonly finishReason: string | null;
  readonly usage: Usage | null;
}

/** Output of a call, or the record that it never ran. */
type CallResult = Omit<ToolResultPart, 'kind' | 'callId' | 'name'>;

/** Milliseconds from the beginning of a commit of text to the next one. The view collects for less
 *  (src/webview/chat/connection/): what is committed is painted at once. Text after a pause is committed at once. */
const frameMs = 80;

/** Writes one turn, and shows each part only after it is on disk (decision 2). Commits the text given to `deliver`
 *  in chunks; text that arrives within a frame of the last commit forms the next chunk. After a failed write nothing
 *  more is shown: `failure` is set, `onFailure` is called once, and every later call is refused with that failure. */
export class TurnRecorder {
  private answer: AnswerBuffer | null = null;
  private answerStartedAt = 0;
  private committing: Promise<void> | null = null;
  private committedAtMs = Number.NEGATIVE_INFINITY;
  /** When text that arrived is committed: with the next frame, without a wait, or not at all. */
  private pace: 'frames' | 'now' | 'never' = 'frames';
  private endWait: () => void = () => undefined;
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

  /** The session that stores the turn's rows now. */
  get sessionId(): string {
    return this.session;
  }

  /** True when an answer has begun and is not completely stored yet. */
  get isAnswering(): boolean {
    return this.answer !== null;
  }

  /** Moves the turn to the next segment of its conversation. There must be no current answer, because the move would
   *  split it. */
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

  /** Adds text to the current answer. The first text begins the answer's row. */
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

  /** Returns the current answer's text of one kind so far. */
  answerSoFar(kind: DeliveredKind): string {
    return this.answer?.textOf(kind) ?? '';
  }

  /** The current answer's thinking so far, with the metadata that its provider needs back. */
  get thoughtSoFar(): readonly ThinkingPart[] {
    return this.answer?.thinking ?? [];
  }

  /** True when more text of this kind would continue the same part. */
  isOpen(kind: DeliveredKind): boolean {
    return this.answer?.isOpen(kind) ?? false;
  }

  /** Called when a further request of the same answer begins: its text continues in the same row. */
  resumeAnswer(): void {
    this.endWait();
    this.answer?.reopen();
  }

  /** Resolves when all text so far is on disk and shown. Rejects when it cannot be. */
  async flush(): Promise<void> {
    this.setPace('now');
    try {
      for (;;) {
        if (this.committing !== null) await this.committing;
        if (this.hasFailed) throw this.storeFailure;
        if (this.answer === null || this.answer.nextChunks(true).length === 0) return;
        this.startCommitting(true);
      }
    } finally {
      this.pace = 'frames';
    }
  }

  /** Stores the answer with its calls as one row. The calls may run afterwards. Resolves with the row's uid. */
  async storeCalls(end: AnswerEnd): Promise<string> {
    await this.flush();
    const answer = this.currentAnswer();
    const stored = await this.write(() => this.store.putMessages([this.finalRow(answer, end)]));
    this.answer = null;
    this.showStored(stored);
    return answer.messageUid;
  }

  /** Begins a call that its agent runs by itself: stores it like `storeCalls`, together with a first version of its
   *  result. Resolves with the function that stores and shows the newest version of both, in place of the earlier one.
   *  The result directly follows its call, however the agent's calls overlap. */
  async storeRunningCall(
    call: ToolCallPart,
    output: CallResult,
  ): Promise<{ readonly messageUid: string; store(call: ToolCallPart, output: CallResult): Promise<void> }> {
    await this.flush();
    const answer = this.currentAnswer();
    let row = this.finalRow(answer, { calls: [call], finishReason: null, usage: null });
    const resultUid = this.ids.uid();
    const put = async (output: CallResult): Promise<void> => {
      const rows = [row, this.resultRow(resultUid, call, output)];
      this.showStored(await this.write(() => this.store.putMessages(rows)));
    };
    await put(output);
    this.answer = null;
    return {
      messageUid: answer.messageUid,
      store: async (next, output) => {
        await this.flush();
        call = next;
        row = { ...row, parts: [...row.parts.filter(({ kind }) => kind !== 'toolCall'), next] };
        await put(output);
      },
    };
  }

  /** Stores the output of a call. The next request may be made afterwards. */
  async storeResult(call: ToolCallPart, output: CallResult): Promise<void> {
    const row = this.resultRow(this.ids.uid(), call, output);
    this.showStored(await this.write(() => this.store.putMessages([row])));
  }

  /** Stores the approval request. The turn waits from then on. */
  async requestApproval(question: NewApproval): Promise<Approval> {
    const { approval, turn } = await this.write(() => this.store.requestApproval(question));
    if (turn.state === 'waiting') this.show({ kind: 'approvalRequested', turn, approval });
    return approval;
  }

  /** Records that these calls of the row never began. Used if the turn ends now. */
  neverRan(messageUid: string, calls: readonly ToolCallPart[]): void {
    const output: CallResult = { outcome: 'cancelled', text: closingResultText('cancelled') };
    // The same uids that the store gives to results that it adds itself.
    this.cancelled = calls.map((call) => this.resultRow(`${messageUid}/result/${call.callId}`, call, output));
  }

  /** Stores queued prompts as steering of this turn. The next request, which includes them, may be made afterwards. */
  async storeSteering(queuedUids: readonly string[]): Promise<readonly Message[]> {
    const {
      sessionId,
      turn: { turnUid },
    } = this;
    const rows: Message[] = [];
    for (const queuedUid of queuedUids) {
      const row = await this.write(() =>
        this.store.steerTurn({ turnUid, sessionId, queuedUid, createdAt: this.clock.now() }),
      );
      // Null: the user removed it from the queue.
      if (row === null) continue;
      this.showStored([row]);
      rows.push(row);
    }
    return rows;
  }

  async addUsage(usage: Usage): Promise<void> {
    await this.write(() => this.store.addUsage(this.turn.turnUid, usage));
  }

  /** Closes the turn in one transaction and shows its end. With `undelivered: 'drop'` (a stop), drops text that is
   *  not on disk yet. With `'store'`, stores and shows that text first. Rejects when the turn could not be closed;
   *  it may be called again then. */
  async settle(
    settlement: Settlement,
    undelivered: 'drop' | 'store',
    end: Omit<AnswerEnd, 'calls'> | null,
  ): Promise<Turn & { readonly state: 'settled' }> {
    if (undelivered === 'store' && !this.hasFailed) await this.flush();
    this.setPace('never');
    if (this.committing !== null) await this.committing;
    // After a failed write it is unknown how much is on disk. The store then folds the chunks that it has, and this
    // code adds no text.
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
    while ((this.answer?.nextChunks(all) ?? []).length > 0) {
      if (!all && !(await this.nextFrame())) return;
      try {
        this.committedAtMs = this.clock.monotonicMs();
        await this.commit(this.answer?.nextChunks(all) ?? []);
      } catch (error) {
        this.fail(error);
        return;
      }
    }
  }

  /** Resolves when the next text may be committed; with false when it must not be. */
  private async nextFrame(): Promise<boolean> {
    const waitMs = this.committedAtMs + frameMs - this.clock.monotonicMs();
    if (waitMs > 0 && this.pace === 'frames') {
      await new Promise<void>((resolve) => {
        const cancel = this.clock.after(waitMs, resolve);
        this.endWait = () => {
          cancel();
          resolve();
        };
      });
    }
    return this.pace !== 'never' && !this.hasFailed;
  }

  private setPace(pace: TurnRecorder['pace']): void {
    this.pace = pace;
    this.endWait();
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

  /** Writes once. A failure here is final: the store itself has repeated the write for a few seconds. */
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

  private finalRow(answer: AnswerBuffer, end: AnswerEnd): NewMessage & { readonly role: 'assistant' } {
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
