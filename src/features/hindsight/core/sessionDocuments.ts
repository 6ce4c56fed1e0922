import { operationIdOf, startStamp, turnsItem } from './documentContent';
import { failed } from './failure';
import type { ServerVersion } from './hindsightApi';
import type { TurnPayload } from './outboxEntries';
import type { HindsightConnection, HindsightServices, TurnText } from './ports';
import { SessionRecords, type DocumentCursor, type SessionRecord } from './sessionRecord';

/** waiting: the server is still processing, check again · failed: retry later, or only after the user has acted. */
export type Delivery = { readonly kind: 'done' } | { readonly kind: 'waiting' } | ReturnType<typeof failed>;

interface DeliveryRequest {
  readonly sessionId: string;
  readonly turns: readonly TurnPayload[];
  /** True when the session may have been rewound. */
  readonly refresh: boolean;
  /** The document for writes since the session was opened, on a server that overwrites. Null while nothing was
   *  written. */
  readonly openDocument: string | null;
}

/** Milliseconds to wait for a write whose answer was lost, on a server without a status query for it. */
const unknownWriteMs = 10 * 60_000;

/** Updates the documents of one session to the session's current state. At most one write runs at a time: its intent
 *  is stored before the request, and its end before the next request. A document in an uncertain state is replaced
 *  completely. So each turn is there exactly once, whenever the process or the connection dies. */
export class SessionDocuments {
  private readonly records: SessionRecords;
  private record!: SessionRecord;
  private texts = new Map<string, TurnText>();

  constructor(
    private readonly services: HindsightServices,
    private readonly connection: HindsightConnection,
    private readonly server: ServerVersion,
    private readonly request: DeliveryRequest,
    private readonly signal: AbortSignal,
  ) {
    this.records = new SessionRecords(services.store);
  }

  /** The document for new turns from now on. The caller keeps it until the session is opened again. */
  get openDocument(): string {
    const { sessionId, openDocument } = this.request;
    if (this.server.appends) return sessionId;
    return (this.opened ??= openDocument ?? `${sessionId}-${startStamp(this.services.clock.now())}`);
  }
  private opened: string | null = null;

  async deliver(): Promise<Delivery> {
    const known = await this.records.load(this.connection.place, this.request.sessionId);
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

  /** Finds out the result of the running write. Null: it has ended. */
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
        // An accepted write that is no longer listed was done. One that was never accepted is sent again under the same
        // id, in case it is still on its way.
        if (!operation.accepted) this.record = { ...this.record, writes: this.record.writes - 1 };
        await this.put({ ...document, dirty: !operation.accepted, operation: null });
        return null;
      case 'failed':
      case 'cancelled':
        await this.put({ ...document, dirty: true, operation: null });
        return failed('server', {
          detail: (answer.value.error ?? `the write was ${answer.value.state}`).slice(0, 300),
        });
    }
  }

  /** A write without an id may still be running while the bank has open operations. */
  private async settleUnnamed(document: DocumentCursor, askedAt: number): Promise<Delivery | null> {
    const open = await this.connection.api.openOperations(this.signal);
    if (open.kind === 'failed') return open;
    if (open.value > 0 && (this.services.clock.now() - askedAt) * 1000 < unknownWriteMs) return { kind: 'waiting' };
    await this.put({ ...document, dirty: document.dirty && document.operation?.accepted !== true, operation: null });
    return null;
  }

  /** Returns the handed-over turns that are part of the session now. Usually the newest turn in a document still is,
   *  and therefore all earlier ones. */
  private async activeTurns(): Promise<Set<string>> {
    const { sessionId, refresh, turns } = this.request;
    const newest = newestKept(this.record);
    const kept = inDocuments(this.record);
    if (!refresh && newest !== null && this.record.documents.every(({ dirty }) => !dirty)) {
      const found = await this.services.turns.read(
        sessionId,
        new Set([newest, ...turns.map(({ turnUid }) => turnUid)]),
      );
      this.remember(found);
      if (found.has(newest)) return new Set([...kept, ...found.keys()]);
    }
    const found = await this.services.turns.read(sessionId, new Set(this.record.turns));
    this.remember(found);
    return new Set(found.keys());
  }

  /** Reads the texts that are missing here. Returns the turns that no longer have any. */
  private async readTexts(uids: readonly string[]): Promise<readonly string[]> {
    const unread = uids.filter((uid) => !this.texts.has(uid));
    if (unread.length > 0) this.remember(await this.services.turns.read(this.request.sessionId, new Set(unread)));
    return uids.filter((uid) => !this.texts.has(uid));
  }

  private remember(found: ReadonlyMap<string, TurnText>): void {
    const { scrub } = this.services;
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
      operation: { id: this.server.appends ? operationId : null, askedAt: this.services.clock.now(), accepted: false },
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
          askedAt: this.services.clock.now(),
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

  /** Called when the server did not accept the write, so its content is unchanged. */
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
    await this.records.save(this.connection.place, this.request.sessionId, this.record);
  }
}

function handedOver(record: SessionRecord, turns: readonly TurnPayload[]): SessionRecord {
  const known = new Set(record.turns);
  const added = turns.map(({ turnUid }) => turnUid).filter((uid) => !known.has(uid));
  // A known parent is only replaced by another one, never removed.
  if (turns.length === 0) return record;
  const parentSessionId =
    turns.findLast((turn) => turn.parentSessionId !== null)?.parentSessionId ?? record.parentSessionId;
  return { ...record, parentSessionId, turns: [...record.turns, ...new Set(added)] };
}

export type DocumentStep =
  /** Sends only new turns; the server's current content is known for certain. */
  | {
      readonly kind: 'append';
      readonly documentId: string;
      readonly turns: readonly string[];
      readonly added: readonly string[];
    }
  /** Sends the whole document, which replaces the server's content. */
  | { readonly kind: 'replace'; readonly documentId: string; readonly turns: readonly string[] }
  | { readonly kind: 'delete'; readonly documentId: string };

export interface DocumentAim {
  /** Turns that are part of the session now. */
  readonly active: ReadonlySet<string>;
  /** The document for turns that are in no document yet. */
  readonly openDocument: string;
  readonly appends: boolean;
}

/** Returns the next step towards documents that hold exactly the handed-over turns that are still part of the
 *  session, each in one document. Null when they do. Appending is only correct while the server's content is known
 *  for certain, so every other change replaces the document. */
export function nextStep(record: SessionRecord, aim: DocumentAim): DocumentStep | null {
  for (const document of documentsOf(record, aim)) {
    const step = stepOf(document, wantedIn(document, record, aim), aim.appends);
    if (step !== null) return step;
  }
  return null;
}

/** Returns the newest turn that is in a document. While it is part of the session, all earlier turns are too: hiding
 *  a turn also hides all later ones. */
export function newestKept(record: SessionRecord): string | null {
  const kept = inDocuments(record);
  return record.turns.findLast((uid) => kept.has(uid)) ?? null;
}

function inDocuments({ documents }: Pick<SessionRecord, 'documents'>): ReadonlySet<string> {
  return new Set(documents.flatMap(({ turns }) => turns));
}

function documentsOf({ documents }: SessionRecord, { openDocument }: DocumentAim): readonly DocumentCursor[] {
  if (documents.some(({ id }) => id === openDocument)) return documents;
  return [...documents, { id: openDocument, turns: [], dirty: false, operation: null }];
}

function wantedIn(
  document: DocumentCursor,
  record: SessionRecord,
  { active, openDocument }: DocumentAim,
): readonly string[] {
  const kept = inDocuments(record);
  const here = new Set(document.turns);
  const belongs = (uid: string): boolean => here.has(uid) || (document.id === openDocument && !kept.has(uid));
  return record.turns.filter((uid) => active.has(uid) && belongs(uid));
}

function stepOf(
  { id, turns, dirty }: DocumentCursor,
  wanted: readonly string[],
  appends: boolean,
): DocumentStep | null {
  const extends_ = turns.every((uid, index) => wanted[index] === uid);
  if (!dirty && extends_ && wanted.length === turns.length) return null;
  if (wanted.length === 0) return { kind: 'delete', documentId: id };
  if (!dirty && extends_ && turns.length > 0 && appends)
    return { kind: 'append', documentId: id, turns: wanted, added: wanted.slice(turns.length) };
  return { kind: 'replace', documentId: id, turns: wanted };
}
