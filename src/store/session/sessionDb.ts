import type { SqlDatabase } from '../engine/sqlDatabase';
import { MessageSearch } from '../search/messageSearch';
import { SearchIndex } from '../search/searchIndex';
import type {
  BranchedSession, BranchSession, ChunkBatch, CompressedSession, CompressSession, ConversationBranch, EnqueuePrompt, FoldedSpill, ForgottenSessions, FoundSession,
  MessageRevision, NewSession, OpenTurn, PromptVersions, RewindSession, RewoundSession, SearchHit, SearchProgress, SearchQuery, SessionOperations,
  SessionQuery, SettledTurn, SettleTurn, ShowVersion, SpilledTurn, SteerTurn, StoreStatistics, TranscriptPage, TranscriptQuery, TranscriptRepair,
} from '../sessionStore';
import type { ApiContent } from '../wireTexts';
import type { NewOutboxEntry, OutboxCount, OutboxEntry } from '../outbox/outbox';
import { OutboxTable } from '../outbox/outboxTable';
import { StoreError } from '../storeError';
import type { HiddenReason, Message, NewMessage } from '../../transcript/message';
import type { QueuedPrompt, Session, SessionSummary, TitleSource } from '../../transcript/session';
import type { Turn } from '../../transcript/turn';
import type { Usage } from '../../transcript/usage';
import { ActiveRows } from './activeRows';
import { Branching } from './branching';
import { BranchTree } from './branchTree';
import { countOf, textOr } from './columns';
import { Compression } from './compression';
import { Forgetting } from './forgetting';
import { transcriptChecks } from './integrity';
import { MessageTable } from './messageTable';
import { PromptQueue } from './promptQueue';
import { VersionsOfPrompts } from './promptVersions';
import { invalid } from './refusal';
import { Rewinding } from './rewinding';
import { SessionFinder } from './sessionFinder';
import { SessionList } from './sessionList';
import { SessionMarks } from './sessionMarks';
import { SessionTable } from './sessionTable';
import { SpillFolding } from './spillFolding';
import { StoreImport, type ImportReport, type StoreRows } from './storeImport';
import { Titling } from './titling';
import { TranscriptReading } from './transcriptReading';
import { TranscriptRewriting } from './transcriptRewriting';
import { TurnClosing } from './turnClosing';
import { TurnLife } from './turnLife';
import { TurnTable } from './turnTable';
import { WireTextTable } from './wireTextTable';

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
  private readonly list: SessionList;
  private readonly finder: SessionFinder;
  private readonly marks: SessionMarks;
  private readonly tree: BranchTree;
  private readonly titling: Titling;
  private readonly branching: Branching;
  private readonly rewinding: Rewinding;
  private readonly versions: VersionsOfPrompts;
  private readonly forgetting: Forgetting;
  private readonly messages: MessageTable;
  private readonly turns: TurnTable;
  private readonly life: TurnLife;
  private readonly closing: TurnClosing;
  private readonly reading: TranscriptReading;
  private readonly rewriting: TranscriptRewriting;
  private readonly compression: Compression;
  private readonly folding: SpillFolding;
  private readonly prompts: PromptQueue;
  private readonly outbox: OutboxTable;
  private readonly wireTexts: WireTextTable;
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
    const rows = new ActiveRows(database, this.messages);
    this.versions = new VersionsOfPrompts(database, this.sessions, this.messages, this.turns, rows, this.rewriting);
    this.life = new TurnLife(database, this.sessions, this.messages, this.turns, this.closing, rows, this.versions);
    this.list = new SessionList(database);
    this.finder = new SessionFinder(database, this.sessions, this.list);
    this.marks = new SessionMarks(database, this.sessions, this.turns);
    this.tree = new BranchTree(database, this.sessions);
    this.titling = new Titling(database, this.sessions, this.tree);
    this.branching = new Branching(database, this.sessions, this.messages, this.turns, this.reading, rows, this.closing, this.titling);
    this.rewinding = new Rewinding(this.sessions, this.messages, this.turns, rows);
    this.forgetting = new Forgetting(database, this.sessions, this.list);
    this.outbox = new OutboxTable(database);
    this.wireTexts = new WireTextTable(database);
    this.folding = new SpillFolding(database, this.sessions, this.messages, this.turns, this.life, this.rewriting, now);
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
    return this.database.readTransaction(() => this.list.list(query));
  }

  resolveSessionId(idOrPrefix: string): string | null {
    return this.database.readTransaction(() => this.finder.resolve(idOrPrefix));
  }

  findSession(text: string): FoundSession {
    return this.database.readTransaction(() => this.finder.find(text));
  }

  setTitle(sessionId: string, title: string, source: TitleSource): boolean {
    return this.write(() => this.titling.set(sessionId, title, source));
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

  branchSession(input: BranchSession): BranchedSession {
    return this.write(() => this.branching.branch(input));
  }

  rewindSession(input: RewindSession): RewoundSession {
    return this.write(() => this.rewinding.rewind(input));
  }

  branchesOf(sessionId: string): readonly ConversationBranch[] {
    return this.database.readTransaction(() => this.tree.of(sessionId));
  }

  setPinned(sessionId: string, on: boolean): void {
    this.write(() => this.marks.pin(sessionId, on));
  }

  setArchived(sessionId: string, on: boolean): void {
    this.write(() => this.marks.archive(sessionId, on));
  }

  trashSession(sessionId: string, now: number): void {
    this.write(() => this.marks.trash(sessionId, now));
  }

  restoreSession(sessionId: string): void {
    this.write(() => this.marks.restore(sessionId));
  }

  setSeen(sessionId: string, now: number): void {
    this.write(() => this.marks.see(sessionId, now));
  }

  pruneTrash(before: number): ForgottenSessions {
    const forgotten = this.write(() => this.forgetting.prune(before));
    const isComplete = this.forgetting.isRewritable;
    this.scrub();
    return { ...forgotten, isComplete };
  }

  forgetSession(sessionId: string): ForgottenSessions {
    const forgotten = this.write(() => this.forgetting.forget(sessionId));
    const isComplete = this.forgetting.isRewritable;
    this.scrub();
    return { ...forgotten, isComplete };
  }

  /** Rewrites the file when something was deleted from it that must not be readable in its free pages. */
  scrub(): void {
    if (!this.forgetting.isScrubDue) return;
    this.write(() => this.index.compact());
    this.forgetting.scrub();
  }

  promptVersions(sessionId: string): readonly PromptVersions[] {
    return this.database.readTransaction(() => this.versions.of(sessionId));
  }

  showVersion(input: ShowVersion): readonly Message[] {
    return this.write(() => this.versions.show(input));
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

  recoverTurns(except: readonly string[] = []): readonly SettledTurn[] {
    return this.write(() => this.life.recover(this.now(), except));
  }

  foldSpill(spill: SpilledTurn): FoldedSpill {
    return this.write(() => this.folding.fold(spill));
  }

  // Reading

  setApiContent(messageUid: string, text: string): void {
    this.write(() => this.wireTexts.set(messageUid, text));
  }

  apiContents(sessionId: string): readonly ApiContent[] {
    return this.database.readTransaction(() => this.wireTexts.ofSession(sessionId));
  }

  activeMessages(sessionId: string): readonly Message[] {
    return this.database.readTransaction(() => this.reading.active(sessionId));
  }

  getMessage(uid: string): Message | null {
    return this.database.readTransaction(() => this.messages.find(uid)?.message ?? null);
  }

  revisionsOf(messageUid: string): readonly MessageRevision[] {
    return this.database.readTransaction(() => this.messages.revisionsOf(messageUid));
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
    return this.database.readTransaction(() => {
      const page = this.reading.page(query);
      const turns = new Set(page.turns.map(({ uid }) => uid));
      return { ...page, versions: this.versions.of(query.sessionId).filter(({ turnUid }) => turns.has(turnUid)) };
    });
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
  *searchSlices(query: SearchQuery): Generator<SearchProgress | undefined, readonly SearchHit[], void> {
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

  deleteMeta(key: string): void {
    this.write(() => this.database.run('DELETE FROM state_meta WHERE key = ?', [key]));
  }

  // Outbox

  outboxAdd(entry: NewOutboxEntry): void {
    this.write(() => this.outbox.add(entry));
  }

  outboxDue(provider: string, now: number, limit: number): readonly OutboxEntry[] {
    return this.outbox.due(provider, now, limit);
  }

  outboxDone(uid: string): void {
    this.write(() => this.outbox.done(uid));
  }

  outboxFailed(uid: string, error: string, nextAttemptAt: number): void {
    this.write(() => this.outbox.failed(uid, error, nextAttemptAt));
  }

  outboxCounts(): readonly OutboxCount[] {
    return this.outbox.counts();
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

function runWhole<T>(slices: Generator<unknown, T, void>): T {
  for (;;) {
    const step = slices.next();
    if (step.done === true) return step.value;
  }
}
