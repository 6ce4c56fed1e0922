import type { SqlDatabase } from '../engine/sqlDatabase';
import { MessageSearch } from '../search/messageSearch';
import { countOf, SearchIndex } from '../search/searchIndex';
import type {
  ChunkBatch, CompressedSession, CompressSession, EnqueuePrompt, NewSession, OpenTurn, SearchHit, SearchQuery, SessionOperations, SessionQuery, SettledTurn, SettleTurn, SteerTurn, StoreStatistics,
  TranscriptPage, TranscriptQuery, TranscriptRepair,
} from '../sessionStore';
import { StoreError } from '../storeError';
import type { HiddenReason, Message, NewMessage } from '../../transcript/message';
import type { QueuedPrompt, Session, SessionSummary, TitleSource } from '../../transcript/session';
import type { Turn } from '../../transcript/turn';
import type { Usage } from '../../transcript/usage';
import { textOr } from './columns';
import { Compression } from './compression';
import { transcriptChecks } from './integrity';
import { MessageTable } from './messageTable';
import { PromptQueue } from './promptQueue';
import { invalid } from './refusal';
import { SessionTable } from './sessionTable';
import { StoreImport, type ImportReport, type StoreRows } from './storeImport';
import { TranscriptReading } from './transcriptReading';
import { TranscriptRewriting } from './transcriptRewriting';
import { TurnClosing } from './turnClosing';
import { TurnLife } from './turnLife';
import { TurnTable } from './turnTable';

export interface SessionDbParts {
  /** A database that `migrate` has brought to the newest version. */
  readonly database: SqlDatabase;
  /** Seconds since the epoch. */
  readonly now: () => number;
  /** Bytes of the database file and of its log, for `statistics`. */
  readonly fileSizes: () => { readonly fileBytes: number; readonly logBytes: number };
}

/** The sessions on disk. Each call is one transaction, and what it wrote is durable when it returns. `sessionStore.ts` says what each method
 *  promises; the classes this one is made of do the work inside the transaction. */
export class SessionDb implements SessionOperations {
  private readonly database: SqlDatabase;
  private readonly now: () => number;
  private readonly fileSizes: SessionDbParts['fileSizes'];
  private readonly sessions: SessionTable;
  private readonly messages: MessageTable;
  private readonly turns: TurnTable;
  private readonly life: TurnLife;
  private readonly closing: TurnClosing;
  private readonly reading: TranscriptReading;
  private readonly rewriting: TranscriptRewriting;
  private readonly compression: Compression;
  private readonly prompts: PromptQueue;
  private readonly index: SearchIndex;
  private readonly messageSearch: MessageSearch;

  constructor({ database, now, fileSizes }: SessionDbParts) {
    this.database = database;
    this.now = now;
    this.fileSizes = fileSizes;
    this.sessions = new SessionTable(database);
    this.messages = new MessageTable(database, now);
    this.turns = new TurnTable(database);
    this.closing = new TurnClosing(database, this.messages);
    this.reading = new TranscriptReading(database, this.sessions, this.messages);
    this.rewriting = new TranscriptRewriting(this.sessions, this.messages, this.turns, this.reading);
    this.compression = new Compression(database, this.sessions, this.messages, this.turns, this.reading);
    this.life = new TurnLife(database, this.sessions, this.messages, this.turns, this.closing, this.rewriting);
    this.prompts = new PromptQueue(database, this.sessions);
    this.index = new SearchIndex(database);
    this.messageSearch = new MessageSearch(database, this.messages, now);
  }

  // Sessions

  createSession(input: NewSession): Session {
    return this.write(() => this.sessions.create(input));
  }

  getSession(sessionId: string): Session | null {
    return this.sessions.find(sessionId);
  }

  listSessions(query: SessionQuery): readonly SessionSummary[] {
    return this.sessions.list(query);
  }

  resolveSessionId(idOrPrefix: string): string | null {
    return this.sessions.resolve(idOrPrefix);
  }

  setTitle(sessionId: string, title: string, source: TitleSource): boolean {
    return this.write(() => this.sessions.setTitle(sessionId, title, source));
  }

  setSessionModel(sessionId: string, model: string | null): void {
    this.write(() => this.sessions.setModel(sessionId, model));
  }

  endSession(sessionId: string, reason: string): void {
    this.write(() => this.sessions.end(sessionId, reason, this.now()));
  }

  conversationTip(sessionId: string): string {
    return this.database.readTransaction(() => this.sessions.tip(sessionId));
  }

  compressSession(input: CompressSession): CompressedSession {
    return this.write(() => this.compression.publish(input));
  }

  // A turn, in the order of its life

  openTurn(input: OpenTurn): { readonly turn: Turn; readonly userMessage: Message } {
    return this.write(() => this.life.open(input));
  }

  appendChunks(batch: ChunkBatch): void {
    this.write(() => this.life.append(batch));
  }

  putMessages(messages: readonly NewMessage[]): readonly Message[] {
    return this.write(() => this.life.put(messages));
  }

  repairTranscript(sessionId: string): TranscriptRepair {
    return this.write(() => this.rewriting.repair(sessionId, this.now()));
  }

  replaceMessages(sessionId: string, messages: readonly NewMessage[], reason: HiddenReason): readonly Message[] {
    return this.write(() => this.rewriting.replace(sessionId, messages, reason));
  }

  steerTurn(input: SteerTurn): Message | null {
    return this.write(() => this.life.steer(input));
  }

  addUsage(turnUid: string, usage: Usage): void {
    this.write(() => this.life.addUsage(turnUid, usage));
  }

  settleTurn(input: SettleTurn): SettledTurn {
    return this.write(() => this.life.settle(input));
  }

  recoverTurns(): readonly SettledTurn[] {
    return this.write(() => this.life.recover(this.now()));
  }

  // Reading

  activeMessages(sessionId: string): readonly Message[] {
    return this.database.readTransaction(() => this.reading.active(sessionId));
  }

  getMessage(uid: string): Message | null {
    return this.database.readTransaction(() => this.messages.find(uid)?.message ?? null);
  }

  getTurn(uid: string): Turn | null {
    return this.turns.find(uid);
  }

  openTurnOf(sessionId: string): Turn | null {
    return this.database.readTransaction(() => {
      const session = this.sessions.find(sessionId);
      return session === null ? null : this.turns.openOf(session.conversationId);
    });
  }

  readTranscript(query: TranscriptQuery): TranscriptPage {
    return this.database.readTransaction(() => this.reading.page(query));
  }

  // Queue and drafts

  enqueue(prompt: EnqueuePrompt): readonly QueuedPrompt[] {
    return this.write(() => this.prompts.add(prompt));
  }

  queue(sessionId: string): readonly QueuedPrompt[] {
    return this.database.readTransaction(() => this.prompts.of(sessionId));
  }

  queuedPrompt(uid: string): QueuedPrompt | null {
    return this.prompts.find(uid);
  }

  editQueued(uid: string, text: string): readonly QueuedPrompt[] {
    return this.write(() => this.prompts.edit(uid, text));
  }

  removeQueued(uid: string): readonly QueuedPrompt[] {
    return this.write(() => this.prompts.remove(uid));
  }

  promoteQueued(uid: string): readonly QueuedPrompt[] {
    return this.write(() => this.prompts.promote(uid));
  }

  draft(key: string): string {
    return this.prompts.draft(key);
  }

  setDraft(key: string, text: string): void {
    this.write(() => this.prompts.setDraft(key, text, this.now()));
  }

  // Search

  search(query: SearchQuery): readonly SearchHit[] {
    return runWhole(this.searchSlices(query));
  }

  /** `search` in slices of about 20 ms: between two of them other calls may run, and the caller may stop. */
  *searchSlices(query: SearchQuery): Generator<void, readonly SearchHit[], void> {
    try {
      return yield* this.messageSearch.slices(query);
    } catch (error) {
      if (!this.repairIndex(error)) throw error;
      return yield* this.messageSearch.slices(query);
    }
  }

  // Small durable values

  getMeta(key: string): string | null {
    const row = this.database.get('SELECT value FROM state_meta WHERE key = ?', [key]);
    return row === undefined ? null : textOr(row, 'value', null);
  }

  setMeta(key: string, value: string): void {
    this.write(() => this.database.run('INSERT OR REPLACE INTO state_meta (key, value) VALUES (?, ?)', [key, value]));
  }

  // Care

  indexBatch(rows: number): number {
    if (!Number.isInteger(rows) || rows < 1) throw invalid('an index batch without rows');
    return this.write(() => this.index.indexBatch(rows));
  }

  checkpoint(): void {
    this.database.execute('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  verifyIntegrity(): readonly string[] {
    return runWhole(this.verifySlices());
  }

  /** `verifyIntegrity` with a pause between two checks. One check may take seconds on a large file. */
  *verifySlices(): Generator<void, readonly string[], void> {
    const problems: string[] = [];
    for (const check of transcriptChecks) {
      problems.push(...this.database.readTransaction(() => check(this.database)));
      yield;
    }
    const damage = this.database.transaction(() => this.index.damage());
    if (damage === null) return problems;
    this.database.transaction(() => this.index.rebuild());
    return [...problems, `the search index was damaged and is being built again: ${damage}`];
  }

  statistics(): StoreStatistics {
    return this.database.readTransaction(() => ({
      sessions: countOf(this.database, 'SELECT count(*) AS n FROM sessions'),
      messages: countOf(this.database, 'SELECT count(*) AS n FROM messages'),
      dirtyRows: this.index.dirtyRows(),
      ...this.fileSizes(),
    }));
  }

  /** Brings in the rows of a suffixed sibling store, or what was salvaged from a damaged file (`StoreImport`). Idempotent. */
  mergeFrom(source: StoreRows): ImportReport {
    return this.write(() => new StoreImport(this.database, this.messages, this.closing, this.now).run(source));
  }

  /** One durable transaction. Rewriting an indexed row touches the index, and a damaged index must not stop the transcript: then the
   *  index is made anew and the write done again. */
  private write<T>(work: () => T): T {
    try {
      return this.database.transaction(work);
    } catch (error) {
      if (!this.repairIndex(error)) throw error;
      return this.database.transaction(work);
    }
  }

  /** Whether the error came from a damaged index, which is then dropped and queued for rebuilding. Damage elsewhere is not touched. */
  private repairIndex(error: unknown): boolean {
    if (!(error instanceof StoreError) || !indexFailure.test(error.technical)) return false;
    if (this.database.transaction(() => this.index.damage()) === null) return false;
    this.database.transaction(() => this.index.rebuild());
    return true;
  }
}

/** What SQLite says when the index's own tables are damaged or gone. Damage of the file itself sounds the same; the index's check tells. */
const indexFailure = /malformed|corrupt|messages_fts/;

function runWhole<T>(slices: Generator<void, T, void>): T {
  for (;;) {
    const step = slices.next();
    if (step.done === true) return step.value;
  }
}
