import type { Clock } from '../../base/clock';
import { operationIdOf, startStamp, turnsItem } from './documentContent';
import { inDocuments, newestKept, nextStep, type DocumentStep } from './documentPlan';
import type { HindsightFailure } from './failure';
import type { ServerVersion } from './hindsightApi';
import type { TurnPayload } from './outboxEntries';
import type { HindsightConnection, SessionTurns, TurnText } from './ports';
import type { DocumentCursor, SessionRecord, SessionRecords } from './sessionRecord';

/** waiting: the server is still at it, ask again · failed: try again later, or not before the person has acted. */
export type Delivery =
  | { readonly kind: 'done' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'failed'; readonly failure: HindsightFailure };

export interface DocumentNeeds {
  readonly records: SessionRecords;
  readonly turns: SessionTurns;
  readonly clock: Clock;
  /** Takes secrets out of text that does not come through the memory manager. */
  readonly scrub: (text: string) => string;
}

export interface DeliveryRequest {
  readonly sessionId: string;
  readonly turns: readonly TurnPayload[];
  /** The session may have been cut back. */
  readonly refresh: boolean;
  /** Where this start of the session writes, on a server that overwrites; null while nothing was written. */
  readonly openDocument: string | null;
}

/** How long a write whose answer was lost is given on a server that cannot be asked about it. */
const unknownWriteMs = 10 * 60_000;

/** Brings the documents of one session to what the session is now. At most one write is under way at a time, its intent is stored before the
 *  request and its end before the next one; whatever is uncertain is replaced as a whole. So each turn is there once, whenever the process or
 *  the connection dies. */
export class SessionDocuments {
  private record!: SessionRecord;
  private texts = new Map<string, TurnText>();

  constructor(
    private readonly needs: DocumentNeeds,
    private readonly connection: HindsightConnection,
    private readonly server: ServerVersion,
    private readonly request: DeliveryRequest,
    private readonly signal: AbortSignal,
  ) {}

  /** The document that turns go into from now on; kept by the caller until the session is begun anew. */
  get openDocument(): string {
    const { sessionId, openDocument } = this.request;
    if (this.server.appends) return sessionId;
    return (this.opened ??= openDocument ?? `${sessionId}-${startStamp(this.needs.clock.now())}`);
  }
  private opened: string | null = null;

  async deliver(): Promise<Delivery> {
    const known = await this.needs.records.load(this.connection.place, this.request.sessionId);
    this.record = handedOver(known, this.request.turns);
    for (const document of this.record.documents) {
      const delivery = document.operation === null ? null : await this.settle(document);
      if (delivery !== null) return delivery;
    }
    const active = await this.activeTurns();
    for (;;) {
      const step = nextStep(this.record, { active, openDocument: this.openDocument, appends: this.server.appends });
      if (step === null) break;
      const missing = step.kind === 'delete' ? [] : await this.readTexts(step.turns);
      for (const uid of missing) active.delete(uid);
      const delivery = missing.length > 0 ? null : await this.perform(step);
      if (delivery !== null) return delivery;
    }
    if (this.record !== known) await this.save();
    return { kind: 'done' };
  }

  /** Finds out how the write under way ended. Null: it has. */
  private async settle(document: DocumentCursor): Promise<Delivery | null> {
    const { operation } = document;
    if (operation === null) return null;
    if (operation.id === null) return this.settleUnnamed(document, operation.askedAt);
    const answer = await this.connection.api.operation(operation.id, this.signal);
    if (answer.kind === 'failed') return answer;
    switch (answer.value.state) {
      case 'pending':
      case 'processing':
        return { kind: 'waiting' };
      case 'completed':
        await this.put({ ...document, dirty: false, operation: null });
        return null;
      case 'not_found':
        // What was taken and is no longer listed was done. What was never taken is asked for again under the same id, in case it is still on its way.
        if (!operation.accepted) this.record = { ...this.record, writes: this.record.writes - 1 };
        await this.put({ ...document, dirty: !operation.accepted, operation: null });
        return null;
      case 'failed':
      case 'cancelled':
        await this.put({ ...document, dirty: true, operation: null });
        return {
          kind: 'failed',
          failure: {
            cause: 'server',
            status: null,
            detail: (answer.value.error ?? `the write was ${answer.value.state}`).slice(0, 300),
            uncertain: false,
            retryAfterMs: null,
          },
        };
    }
  }

  /** A write that has no name may still be worked on as long as the bank has any open. */
  private async settleUnnamed(document: DocumentCursor, askedAt: number): Promise<Delivery | null> {
    const open = await this.connection.api.openOperations(this.signal);
    if (open.kind === 'failed') return open;
    if (open.value > 0 && (this.needs.clock.now() - askedAt) * 1000 < unknownWriteMs) return { kind: 'waiting' };
    await this.put({ ...document, dirty: document.dirty && document.operation?.accepted !== true, operation: null });
    return null;
  }

  /** Which turns handed over are part of the session now. Usually the newest turn that is in a document still is, and with it all before it. */
  private async activeTurns(): Promise<Set<string>> {
    const { sessionId, refresh, turns } = this.request;
    const newest = newestKept(this.record);
    const kept = inDocuments(this.record);
    if (!refresh && newest !== null && this.record.documents.every(({ dirty }) => !dirty)) {
      const found = await this.needs.turns.read(sessionId, new Set([newest, ...turns.map(({ turnUid }) => turnUid)]));
      this.remember(found);
      if (found.has(newest)) return new Set([...kept, ...found.keys()]);
    }
    const found = await this.needs.turns.read(sessionId, new Set(this.record.turns));
    this.remember(found);
    return new Set(found.keys());
  }

  /** Texts that are needed and not at hand yet; returns the turns that have none any more. */
  private async readTexts(uids: readonly string[]): Promise<readonly string[]> {
    const unread = uids.filter((uid) => !this.texts.has(uid));
    if (unread.length > 0) this.remember(await this.needs.turns.read(this.request.sessionId, new Set(unread)));
    return uids.filter((uid) => !this.texts.has(uid));
  }

  private remember(found: ReadonlyMap<string, TurnText>): void {
    const { scrub } = this.needs;
    for (const [uid, { prompt, answer, ...times }] of found) {
      const handed = this.request.turns.find(({ turnUid }) => turnUid === uid)?.text;
      this.texts.set(uid, handed ?? { ...times, prompt: scrub(prompt), answer: scrub(answer) });
    }
  }

  private async perform(step: DocumentStep): Promise<Delivery | null> {
    if (step.kind === 'delete') return this.delete(step.documentId);
    const { place, api } = this.connection;
    const { sessionId } = this.request;
    const before = this.record;
    const number = before.writes + 1;
    const operationId = operationIdOf(place.origin, place.bank, step.documentId, String(number), ...step.turns);
    const writing: DocumentCursor = {
      id: step.documentId,
      turns: step.turns,
      dirty: true,
      operation: { id: this.server.appends ? operationId : null, askedAt: this.needs.clock.now(), accepted: false },
    };
    this.record = { ...before, writes: number };
    await this.put(writing);
    const answer = await api.retain(
      turnsItem({
        sessionId,
        operationId,
        parentSessionId: this.record.parentSessionId,
        documentId: step.documentId,
        turns: (step.kind === 'append' ? step.added : step.turns).flatMap((uid) => this.texts.get(uid) ?? []),
        mode: this.server.appends ? step.kind : null,
      }),
      this.signal,
    );
    if (answer.kind === 'ok') {
      await this.put({
        ...writing,
        operation: {
          id: answer.value ?? writing.operation?.id ?? null,
          askedAt: this.needs.clock.now(),
          accepted: true,
        },
      });
      return { kind: 'waiting' };
    }
    if (answer.failure.cause === 'conflict') await this.put({ ...writing, operation: null });
    else if (!answer.failure.uncertain) await this.restore(before, number);
    return answer;
  }

  private async delete(documentId: string): Promise<Delivery | null> {
    if (this.record.documents.some(({ id }) => id === documentId))
      await this.put({ id: documentId, turns: [], dirty: true, operation: null });
    const answer = await this.connection.api.deleteDocument(documentId, this.signal);
    if (answer.kind === 'failed') return answer;
    this.record = { ...this.record, documents: this.record.documents.filter(({ id }) => id !== documentId) };
    await this.save();
    return null;
  }

  /** The server has not taken the write: what is there is as it was. */
  private async restore(before: SessionRecord, writes: number): Promise<void> {
    this.record = { ...before, writes };
    await this.save();
  }

  private async put(document: DocumentCursor): Promise<void> {
    const { documents } = this.record;
    const known = documents.some(({ id }) => id === document.id);
    this.record = {
      ...this.record,
      documents: known
        ? documents.map((other) => (other.id === document.id ? document : other))
        : [...documents, document],
    };
    await this.save();
  }

  private async save(): Promise<void> {
    await this.needs.records.save(this.connection.place, this.request.sessionId, this.record);
  }
}

function handedOver(record: SessionRecord, turns: readonly TurnPayload[]): SessionRecord {
  const known = new Set(record.turns);
  const added = turns.map(({ turnUid }) => turnUid).filter((uid) => !known.has(uid));
  // A parent once known is only replaced by another, never forgotten.
  if (turns.length === 0) return record;
  const parentSessionId =
    turns.findLast((turn) => turn.parentSessionId !== null)?.parentSessionId ?? record.parentSessionId;
  return { ...record, parentSessionId, turns: [...record.turns, ...new Set(added)] };
}
