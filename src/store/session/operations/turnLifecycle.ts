import { t } from '../../../base/translate';
import type { SqlRow } from '../../engine/sqlDatabase';
import type { ChunkBatch, OpenTurn, PutMessage, SettledTurn, SettleTurn, SteerTurn } from '../../requests';
import { isContinuation } from '../../../transcript/continuation';
import { promptParts, promptText } from '../../../transcript/draftPart';
import type { Chunk, Message, NewMessage } from '../../../transcript/message';
import type { Session } from '../../../transcript/session';
import type { Settlement, Turn } from '../../../transcript/turn';
import { StoreError } from '../../storeError';
import type { Usage } from '../../../transcript/usage';
import type { HiddenRange } from '../tables/activeRows';
import type { BatchedWork } from '../tables/inBatches';
import { readText } from '../tables/columns';
import { decodeSent } from '../tables/partsJson';
import { busy, invalid, notFound } from '../tables/refusal';
import type { HidingState } from './rangeHiding';
import { StorePart } from '../tables/storePart';
import type { StoreOperations } from './storeOperations';

interface OpenedTurn {
  readonly turn: Turn;
  readonly userMessage: Message;
}

/** A turn from its prompt to its settling. Every method runs inside its caller's transaction. */
export class TurnLifecycle extends StorePart<StoreOperations> {
  /** Opens a turn. If it replaces another one, first hides the rows of that turn, batch by batch. */
  opening(input: OpenTurn): BatchedWork<HidingState<Session>, OpenedTurn> {
    return this.store.ranges.hiding<Session, OpenedTurn>(
      () => this.beginOpening(input),
      (session) => this.open(input, session),
    );
  }

  private beginOpening(
    input: OpenTurn,
  ): { readonly answer: OpenedTurn } | { readonly begun: Session; readonly range: HiddenRange } {
    const { userMessage } = input;
    if (userMessage.sessionId !== input.sessionId || userMessage.turnUid !== input.turnUid) {
      throw invalid(`prompt ${userMessage.uid} belongs to another turn or session than the one it opens`);
    }
    const session = this.sessions.require(input.sessionId);
    if (this.turns.find(input.turnUid) !== null) return { answer: this.opened(input) };
    this.requireOpenSegment(session);
    this.store.ranges.settle(session.id);
    const open = this.turns.openOf(session.conversationId);
    if (open !== null) throw busy(t('This session is still answering another prompt.'), open);
    if (this.messages.find(userMessage.uid) !== null)
      throw invalid(`prompt ${userMessage.uid} is already part of the transcript`);
    if (input.replaces === undefined) return { answer: this.open(input, session) };
    return {
      begun: session,
      range: this.store.versions.rangeOf(input.replaces.turnUid, input.replaces.reason, session),
    };
  }

  private open(input: OpenTurn, session: Session): OpenedTurn {
    const { userMessage, replaces } = input;
    if (replaces !== undefined) this.store.versions.replaced(replaces.turnUid, replaces.reason, session.id);
    if (input.queuedUid !== undefined) this.takeFromQueue(input.queuedUid);
    // A surface that was not notified of the queueing sent it again: remove it from the queue, so that it is not
    // answered twice.
    else this.database.run('DELETE FROM queue WHERE uid = ?', [userMessage.uid]);
    if (input.draft !== undefined) this.store.queuedPrompts.takeFromDraft(input.draft, session.id);
    const insert = (): void => {
      this.turns.insert(input, session);
      this.messages.insert(userMessage, this.messages.endPosition(session.id));
    };
    // Inserting a turn that replaces none also counts it.
    if (replaces === undefined) insert();
    else this.store.rows.countingTurns([input.turnUid], insert);
    if (!isContinuation(userMessage)) this.sessions.describe(session, promptText(userMessage.parts));
    this.sessions.touch(session.id, input.startedAt);
    return this.opened(input);
  }

  /** The turn in its current state: also the result of a repeated call, after a write whose outcome was unknown. */
  private opened(input: OpenTurn): OpenedTurn {
    const turn = this.turns.require(input.turnUid);
    const stored = this.messages.find(turn.userMessageUid);
    if (turn.sessionId !== input.sessionId || turn.userMessageUid !== input.userMessage.uid || stored === null) {
      throw invalid(`turn ${input.turnUid} exists and is another one`);
    }
    return { turn, userMessage: stored.message };
  }

  private requireOpenSegment(session: Session): void {
    // Not redirected to the tip: the caller still holds the history of the closed segment and would answer from it.
    if (this.sessions.continuation(session.id) !== null) {
      throw invalid(
        `session ${session.id} was compressed; its conversation goes on in ${this.sessions.tip(session.id)}`,
      );
    }
    if (session.trashedAt !== null) throw invalid(`session ${session.id} is in the trash`);
  }

  private takeFromQueue(uid: string): void {
    if (this.database.run('DELETE FROM queue WHERE uid = ?', [uid]).changes === 0) throw notFound('queued prompt', uid);
  }

  append(batch: ChunkBatch): void {
    const turn = this.turns.require(batch.turnUid);
    if (turn.sessionId !== batch.sessionId) this.requireSameConversation(turn.sessionId, batch.sessionId);
    for (const chunk of batch.chunks) this.appendOne(turn, batch, chunk);
  }

  private appendOne(turn: Turn, batch: ChunkBatch, chunk: Chunk): void {
    const row =
      this.database.get('SELECT * FROM messages WHERE uid = ?', [chunk.messageUid]) ?? this.begin(turn, batch, chunk);
    if (row['session_id'] !== batch.sessionId || row['turn_uid'] !== batch.turnUid || row['role'] !== 'assistant') {
      throw invalid(
        `message ${chunk.messageUid} is not an answer of turn ${batch.turnUid} in session ${batch.sessionId}`,
      );
    }
    this.messages.append(row, chunk);
  }

  private begin(turn: Turn, batch: ChunkBatch, chunk: Chunk): SqlRow {
    if (turn.state === 'settled') throw invalid(`turn ${turn.uid} is settled and takes no new answer`);
    const message: NewMessage = {
      uid: chunk.messageUid,
      sessionId: batch.sessionId,
      turnUid: batch.turnUid,
      createdAt: batch.createdAt,
      visibility: { kind: 'shown' },
      carriedFrom: null,
      role: 'assistant',
      parts: [],
      state: 'streaming',
      lastSeq: 0,
      model: batch.model,
      finishReason: null,
      usage: null,
    };
    this.messages.insert(message, this.messages.endPosition(batch.sessionId));
    const row = this.database.get('SELECT * FROM messages WHERE uid = ?', [chunk.messageUid]);
    if (row === undefined) throw invalid(`message ${chunk.messageUid} was not inserted`);
    return row;
  }

  put(messages: readonly PutMessage[]): readonly Message[] {
    this.putAll(messages);
    return messages.flatMap((message) => this.messages.find(message.uid)?.message ?? []);
  }

  private putAll(messages: readonly PutMessage[]): void {
    for (const message of messages) {
      this.sessions.require(message.sessionId);
      const turn = message.turnUid === null ? null : this.turns.require(message.turnUid);
      if (turn?.state === 'settled' && message.role === 'assistant' && message.state === 'streaming') {
        throw invalid(`turn ${turn.uid} is settled and takes no streaming message`);
      }
      this.messages.upsert(message, () => this.placeOf(message, turn));
    }
  }

  /** Position of a new row: after the row it names, else at the end. If its turn is settled: at the end of that
   *  turn. */
  private placeOf(message: PutMessage, turn: Turn | null): number {
    const named = message.behind === undefined ? null : this.messages.sameIn(message.sessionId, message.behind);
    if (named !== null) return this.messages.positionAfter(message.sessionId, named);
    const position =
      turn?.state !== 'settled'
        ? undefined
        : this.messages
            .ofTurn(turn.uid)
            .filter((row) => row.sessionId === message.sessionId && row.visibility.kind !== 'closing')
            .at(-1);
    return position === undefined
      ? this.messages.endPosition(message.sessionId)
      : this.messages.positionAfter(message.sessionId, position.uid);
  }

  steer({ turnUid, sessionId, queuedUid, createdAt }: SteerTurn): Message | null {
    const given = this.messages.find(queuedUid);
    if (given !== null) return given.message.turnUid === turnUid ? given.message : null;
    const turn = this.turns.require(turnUid);
    if (turn.state !== 'running') throw invalid(`turn ${turnUid} is ${turn.state} and takes no steering`);
    this.requireSameConversation(turn.sessionId, sessionId);
    const { conversationId } = this.sessions.require(sessionId);
    const queued = this.database.get('SELECT text, parts FROM queue WHERE uid = ? AND conversation_id = ?', [
      queuedUid,
      conversationId,
    ]);
    if (queued === undefined) return null;
    this.takeFromQueue(queuedUid);
    const parts = promptParts(readText(queued, 'text', ''), decodeSent(readText(queued, 'parts', null)));
    const row: NewMessage = {
      uid: queuedUid,
      sessionId,
      turnUid,
      createdAt,
      visibility: { kind: 'shown' },
      carriedFrom: null,
      role: 'user',
      parts,
    };
    this.messages.insert(row, this.messages.endPosition(sessionId));
    return this.messages.find(queuedUid)?.message ?? null;
  }

  addUsage(turnUid: string, usage: Usage): void {
    const turn = this.turns.require(turnUid);
    this.turns.addUsage(turn, usage);
    this.sessions.addUsage(turn.sessionId, usage);
  }

  settle(input: SettleTurn): SettledTurn {
    const turn = this.turns.require(input.turnUid);
    if (turn.state !== 'settled') {
      for (const message of input.messages) {
        if (message.turnUid !== turn.uid) throw invalid(`message ${message.uid} is not of turn ${turn.uid}`);
      }
      this.putAll(input.messages);
      const rows = this.store.closing.close(turn, input.settlement.stopReason, input.settledAt);
      this.turns.settle(turn.uid, input.settlement, input.settledAt);
      this.sessions.answered(turn.sessionId, input.settledAt);
      return this.settled(turn.uid, rows);
    }
    return this.settled(turn.uid, this.messages.ofTurn(turn.uid));
  }

  recover(at: number, except: readonly string[]): readonly SettledTurn[] {
    this.turns.endOddStates();
    for (const id of this.turns.openSessions()) this.sessions.restoreCounts(id);
    const cutOff = (turn: Turn): readonly SettledTurn[] =>
      this.endCutOff(turn, { outcome: 'interrupted', stopReason: 'crash', failure: null }, at);
    const running = this.turns
      .running()
      .filter(({ uid }) => !except.includes(uid))
      .flatMap(cutOff);
    return [...running, ...this.turns.waitingForNobody().flatMap(cutOff)];
  }

  /** Settles a turn that was cut off. If its rows are too damaged to be closed, settles it without that: it must not
   *  prevent the store from opening. */
  private endCutOff(turn: Turn, settlement: Settlement, at: number): readonly SettledTurn[] {
    this.database.run('SAVEPOINT cut_off');
    try {
      const settled = this.settle({ turnUid: turn.uid, settledAt: at, settlement, messages: [] });
      this.database.run('RELEASE cut_off');
      return [settled];
    } catch (error) {
      if (!(error instanceof StoreError) || (error.causeClass !== 'invalid' && error.causeClass !== 'not-found'))
        throw error;
      this.database.run('ROLLBACK TO cut_off');
      this.database.run('RELEASE cut_off');
      this.turns.settle(turn.uid, settlement, at);
      return [];
    }
  }

  private settled(uid: string, rows: readonly Message[]): SettledTurn {
    const turn = this.turns.require(uid);
    if (turn.state !== 'settled') throw invalid(`turn ${uid} is ${turn.state}`);
    return { turn, messages: rows.filter((message) => message.carriedFrom === null) };
  }

  private requireSameConversation(sessionId: string, otherId: string): void {
    if (this.sessions.require(sessionId).conversationId !== this.sessions.require(otherId).conversationId) {
      throw invalid(`sessions ${sessionId} and ${otherId} belong to different conversations`);
    }
  }
}
