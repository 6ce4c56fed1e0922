import type { SqlDatabase } from '../engine/sqlDatabase';
import type { BringOver, BroughtOver } from '../bringingOver';
import type {
  BranchedSession,
  BranchSession,
  ConversationBranch,
  ForgottenSessions,
  FoundSession,
  PromptVersions,
  RewindSession,
  RewoundSession,
  ShowVersion,
} from '../conversations';
import type {
  ChunkBatch,
  CompressedSession,
  CompressSession,
  EnqueuePrompt,
  FoldedSpill,
  MessageRevision,
  NewSession,
  OpenTurn,
  PromptContext,
  PutMessage,
  SearchHit,
  SearchQuery,
  SessionOperations,
  SessionQuery,
  SettledTurn,
  SettleTurn,
  SpilledTurn,
  SteerTurn,
  StoreStatistics,
  TranscriptPage,
  TranscriptQuery,
  TranscriptRepair,
} from '../sessionStore';
import type { ContentHash, FileChange, FileContent } from '../fileChanges';
import type { ApiContent, RecalledFor } from '../wireTexts';
import type {
  FoundRows,
  OutlineRow,
  StoredRow,
  StoredRows,
  StoredTextQuery,
  TranscriptSlice,
} from '../storedRowQueries';
import type { NewOutboxEntry, OutboxCount, OutboxEntry } from '../outbox/outbox';
import type { NewApproval } from '../approvals';
import { runWhole, type SlicedWork } from '../slicedWork';
import { StoreError } from '../storeError';
import type { Approval, ApprovalDecision, Mode } from '../../transcript/approval';
import type { DraftPart, DraftSurroundings } from '../../transcript/draftPart';
import type { Message } from '../../transcript/message';
import type { ReasoningEffort } from '../../transcript/reasoningEffort';
import type { QueuedPrompt, Session, SessionSummary, TitleSource } from '../../transcript/session';
import type { Turn } from '../../transcript/turn';
import type { Usage } from '../../transcript/usage';
import { bringOver, type OpenOther, opensNoOther } from './import/bringOver';
import { countOf, textOr } from './tables/columns';
import { transcriptChecks } from './queries/integrity';
import { invalid } from './tables/refusal';
import { roomsOver, type Rooms } from './rooms';
import { LongOperations, type SlicedOperations } from './slicedOperations';
import { StoreImport, type ImportReport } from './import/storeImport';
import type { StoreRows } from './import/storeRows';

export interface SessionDbParts {
  /** A database that `migrate` has brought to the newest schema version. */
  readonly database: SqlDatabase;
  /** Seconds since the epoch. */
  readonly now: () => number;
  /** Bytes of the database file and of its log, for `statistics`. */
  readonly fileSizes: () => { readonly fileBytes: number; readonly logBytes: number };
  /** Default: none; sessions of other stores then cannot be imported. */
  readonly openOther?: OpenOther;
  /** Monotonic milliseconds, used to size slices. Default: `now`. */
  readonly monotonicMs?: () => number;
}

/** SQLite's messages when the index's own tables are damaged or missing: then FTS4 only reports "SQL logic error".
 *  Damage of the file itself causes the same messages; the check of the index tells them apart. */
const indexFailure = /malformed|corrupt|messages_fts|SQL logic error/;

/** The sessions on disk. Each call is one transaction, and its writes are durable when it returns. `sessionStore.ts`
 *  states the contract of each method; the classes that make up this one do the work inside the transaction. */
export class SessionDb implements SessionOperations {
  private readonly database: SqlDatabase;
  private readonly now: () => number;
  private readonly fileSizes: SessionDbParts['fileSizes'];
  private readonly openOther: OpenOther;
  private readonly rooms: Rooms;
  private readonly long: LongOperations;

  constructor({ database, now, fileSizes, openOther, monotonicMs }: SessionDbParts) {
    this.database = database;
    this.now = now;
    this.fileSizes = fileSizes;
    this.openOther = openOther ?? opensNoOther;
    this.rooms = roomsOver(database, now);
    const transactions = {
      write: <T>(work: () => T): T => this.write(work),
      read: <T>(work: () => T): T => database.readTransaction(work),
      monotonicMs: monotonicMs ?? (() => now() * 1000),
    };
    this.long = new LongOperations(database, this.rooms, transactions, now, () => this.rewriteFile());
  }

  /** Operations in slices; `LongOperations` states which other calls may run in between. */
  get slices(): SlicedOperations {
    return {
      ...this.long.sliced,
      search: (query) => this.searchSlices(query),
      verifyIntegrity: () => this.verifySlices(),
    };
  }

  // Sessions

  createSession(input: NewSession): Session {
    return this.write(() => this.rooms.sessions.create(input));
  }

  getSession(sessionId: string): Session | null {
    return this.rooms.sessions.find(sessionId);
  }

  listSessions(query: SessionQuery): readonly SessionSummary[] {
    return this.database.readTransaction(() => this.rooms.list.list(query));
  }

  resolveSessionId(idOrPrefix: string): string | null {
    return this.database.readTransaction(() => this.rooms.finder.resolve(idOrPrefix));
  }

  findSession(text: string): FoundSession {
    return this.database.readTransaction(() => this.rooms.finder.find(text));
  }

  setTitle(sessionId: string, title: string, source: TitleSource): boolean {
    return this.write(() => this.rooms.titling.set(sessionId, title, source));
  }

  setSessionModel(sessionId: string, model: string | null): void {
    this.write(() => this.rooms.sessions.setModel(sessionId, model));
  }

  sessionEffort(sessionId: string): ReasoningEffort | null {
    return this.rooms.effort.of(sessionId);
  }

  setSessionEffort(sessionId: string, effort: ReasoningEffort | null): void {
    this.write(() => this.rooms.effort.set(sessionId, effort));
  }

  endSession(sessionId: string, reason: string): void {
    this.write(() => this.rooms.sessions.end(sessionId, reason, this.now()));
  }

  conversationTip(sessionId: string): string {
    return this.database.readTransaction(() => this.rooms.sessions.tip(sessionId));
  }

  compressSession(input: CompressSession): CompressedSession {
    return this.write(() => this.rooms.compression.publish(input));
  }

  branchSession(input: BranchSession): BranchedSession {
    return runWhole(this.long.branchSession(input));
  }

  rewindSession(input: RewindSession): RewoundSession {
    return runWhole(this.long.rewindSession(input));
  }

  branchesOf(sessionId: string, withTrash = false): readonly ConversationBranch[] {
    return this.database.readTransaction(() => this.rooms.tree.of(sessionId, withTrash));
  }

  setPinned(sessionId: string, on: boolean): void {
    this.write(() => this.rooms.marks.pin(sessionId, on));
  }

  setArchived(sessionId: string, on: boolean): void {
    this.write(() => this.rooms.marks.archive(sessionId, on));
  }

  trashSession(sessionId: string, now: number): void {
    this.write(() => this.rooms.marks.trash(sessionId, now));
  }

  restoreSession(sessionId: string): void {
    this.write(() => this.rooms.marks.restore(sessionId));
  }

  setSeen(sessionId: string, now: number): void {
    this.write(() => this.rooms.marks.see(sessionId, now));
  }

  pruneTrash(before: number): ForgottenSessions {
    return runWhole(this.long.pruneTrash(before));
  }

  forgetSession(sessionId: string): ForgottenSessions {
    return runWhole(this.long.forgetSession(sessionId));
  }

  /** Completes long changes that a crash interrupted: deletes rows of sessions that no process finishes, and
   *  rewrites the file when deleted rows must not stay readable in its free pages. */
  scrub(): void {
    runWhole(this.long.sweep());
    this.long.scrub();
  }

  /** Does the work of `scrub` in slices, when the store is idle. */
  *tidySlices(): SlicedWork<void> {
    yield* this.long.sweep();
    this.long.scrub();
  }

  promptVersions(sessionId: string): readonly PromptVersions[] {
    return this.database.readTransaction(() => this.rooms.versions.of(sessionId));
  }

  showVersion(input: ShowVersion): readonly string[] {
    return runWhole(this.long.showVersion(input));
  }

  // A turn, in the order of its lifecycle

  openTurn(input: OpenTurn): { readonly turn: Turn; readonly userMessage: Message } {
    return runWhole(this.long.openTurn(input));
  }

  appendChunks(batch: ChunkBatch): void {
    this.write(() => this.rooms.life.append(batch));
  }

  putMessages(messages: readonly PutMessage[]): readonly Message[] {
    return this.write(() => this.rooms.life.put(messages));
  }

  repairTranscript(sessionId: string): TranscriptRepair {
    return runWhole(this.long.repairTranscript(sessionId));
  }

  steerTurn(input: SteerTurn): Message | null {
    return this.write(() => this.rooms.life.steer(input));
  }

  addUsage(turnUid: string, usage: Usage): void {
    this.write(() => this.rooms.life.addUsage(turnUid, usage));
  }

  settleTurn(input: SettleTurn): SettledTurn {
    return this.write(() => this.rooms.life.settle(input));
  }

  recoverTurns(except: readonly string[] = []): readonly SettledTurn[] {
    return this.write(() => {
      this.rooms.stretches.settleAll();
      return this.rooms.life.recover(this.now(), except);
    });
  }

  // Approvals

  requestApproval(input: NewApproval): { readonly approval: Approval; readonly turn: Turn } {
    return this.write(() => this.rooms.approvals.request(input));
  }

  decideApproval(
    id: string,
    decision: ApprovalDecision,
    decidedAt: number,
    modeOf?: string,
  ): { readonly approval: Approval; readonly turn: Turn } {
    return this.write(() => this.rooms.approvals.decide(id, decision, decidedAt, modeOf));
  }

  approval(id: string): Approval | null {
    return this.rooms.approvals.find(id);
  }

  approvalsOf(turnUid: string): readonly Approval[] {
    return this.database.readTransaction(() => this.rooms.approvals.ofTurn(turnUid));
  }

  pendingApproval(sessionId: string): Approval | null {
    return this.database.readTransaction(() => this.rooms.approvals.pending(sessionId));
  }

  sessionRules(sessionId: string): readonly string[] {
    return this.database.readTransaction(() => this.rooms.approvals.rules(sessionId));
  }

  sessionMode(sessionId: string): Mode | null {
    return this.rooms.approvals.mode(sessionId);
  }

  setSessionMode(sessionId: string, mode: Mode | null): void {
    this.write(() => this.rooms.approvals.setMode(sessionId, mode));
  }

  foldSpill(spill: SpilledTurn): FoldedSpill {
    return this.write(() => this.rooms.folding.fold(spill));
  }

  // Reading

  setApiContent(messageUid: string, text: string, recalled?: RecalledFor): void {
    this.write(() => {
      this.rooms.wireTexts.set(messageUid, text);
      if (recalled !== undefined) this.rooms.turns.setRecalled(recalled.turnUid, recalled.found);
    });
  }

  apiContents(sessionId: string): readonly ApiContent[] {
    return runWhole(this.long.apiContents(sessionId));
  }

  activeMessages(sessionId: string): readonly Message[] {
    return runWhole(this.long.activeMessages(sessionId));
  }

  getMessage(uid: string): Message | null {
    return this.database.readTransaction(() => this.rooms.messages.find(uid)?.message ?? null);
  }

  revisionsOf(messageUid: string): readonly MessageRevision[] {
    return this.database.readTransaction(() => this.rooms.messages.revisionsOf(messageUid));
  }

  getTurn(uid: string): Turn | null {
    return this.rooms.turns.find(uid);
  }

  openTurnOf(sessionId: string): Turn | null {
    return this.database.readTransaction(() => {
      const session = this.rooms.sessions.find(sessionId);
      return session === null ? null : this.rooms.turns.openOf(session.conversationId);
    });
  }

  readTranscript(query: TranscriptQuery): TranscriptPage {
    return this.database.readTransaction(() => {
      const page = this.rooms.reading.page(query);
      const turns = new Set(page.turns.map(({ uid }) => uid));
      return { ...page, versions: this.rooms.versions.of(query.sessionId).filter(({ turnUid }) => turns.has(turnUid)) };
    });
  }

  promptContext(sessionId: string | null, promptUid: string | null): PromptContext {
    return runWhole(this.long.promptContext(sessionId, promptUid));
  }

  transcriptOutline(query: TranscriptSlice): readonly OutlineRow[] {
    return this.database.readTransaction(() => this.rooms.stored.outline(query));
  }

  findInTranscript(query: TranscriptSlice & StoredTextQuery): FoundRows {
    return this.database.readTransaction(() => this.rooms.stored.find(query));
  }

  transcriptRows(uids: readonly string[]): StoredRows {
    return this.database.readTransaction(() => this.rooms.stored.named(uids));
  }

  storedRow(uid: string): StoredRow | null {
    return this.database.readTransaction(() => this.rooms.stored.row(uid));
  }

  subAgentsOf(conversationIds: readonly string[]): readonly ConversationBranch[] {
    return this.database.readTransaction(() => this.rooms.tree.subAgentsOf(conversationIds));
  }

  // Queue and drafts

  enqueue(prompt: EnqueuePrompt): readonly QueuedPrompt[] {
    return this.write(() => this.rooms.prompts.add(prompt));
  }

  queue(sessionId: string): readonly QueuedPrompt[] {
    return this.database.readTransaction(() => this.rooms.prompts.of(sessionId));
  }

  queuedPrompt(uid: string): QueuedPrompt | null {
    return this.rooms.prompts.find(uid);
  }

  editQueued(uid: string, text: string): readonly QueuedPrompt[] {
    return this.write(() => this.rooms.prompts.edit(uid, text));
  }

  removeQueued(uid: string): readonly QueuedPrompt[] {
    return this.write(() => this.rooms.prompts.remove(uid));
  }

  promoteQueued(uid: string): readonly QueuedPrompt[] {
    return this.write(() => this.rooms.prompts.promote(uid));
  }

  draft(key: string): string {
    return this.rooms.prompts.draft(key);
  }

  draftParts(key: string): readonly DraftPart[] {
    return this.rooms.prompts.draftParts(key);
  }

  setDraft(key: string, text: string, parts?: readonly DraftPart[], around: DraftSurroundings = {}): void {
    this.write(() => this.rooms.prompts.setDraft(key, text, parts, around, this.now()));
  }

  // Search

  search(query: SearchQuery): readonly SearchHit[] {
    return runWhole(this.searchSlices(query));
  }

  /** `search` in slices of about 20 ms: other calls may run in between, and the caller may stop it. */
  *searchSlices(query: SearchQuery): SlicedWork<readonly SearchHit[]> {
    try {
      return yield* this.rooms.messageSearch.slices(query);
    } catch (error) {
      if (!this.repairIndex(error)) throw error;
      return yield* this.rooms.messageSearch.slices(query);
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

  // Files

  recordFileChanges(changes: readonly FileChange[], contents: readonly FileContent[]): void {
    this.write(() => this.rooms.files.record(changes, contents));
  }

  completeFileChanges(
    results: readonly { readonly uid: string; readonly after: ContentHash }[],
    contents: readonly FileContent[],
  ): void {
    this.write(() => this.rooms.files.complete(results, contents));
  }

  fileChangesOf(turnUids: readonly string[]): readonly FileChange[] {
    return this.rooms.files.of(turnUids);
  }

  fileChangesFrom(turnUid: string): readonly FileChange[] {
    return this.rooms.files.from(turnUid);
  }

  fileContent(hash: string): Uint8Array | null {
    return this.rooms.files.content(hash);
  }

  markReviewed(uids: readonly string[], kind: 'reverted' | 'kept' | null, at: number): void {
    this.write(() => this.rooms.files.review(uids, kind, at));
  }

  // Outbox

  outboxAdd(entry: NewOutboxEntry): void {
    this.write(() => this.rooms.outbox.add(entry));
  }

  outboxDue(provider: string, now: number, limit: number): readonly OutboxEntry[] {
    return this.rooms.outbox.due(provider, now, limit);
  }

  outboxDone(uid: string): void {
    this.write(() => this.rooms.outbox.done(uid));
  }

  outboxFailed(uid: string, error: string, nextAttemptAt: number): void {
    this.write(() => this.rooms.outbox.failed(uid, error, nextAttemptAt));
  }

  outboxCounts(): readonly OutboxCount[] {
    return this.rooms.outbox.counts();
  }

  // Maintenance

  indexBatch(rows: number): number {
    if (!Number.isInteger(rows) || rows < 1) throw invalid('an index batch without rows');
    return this.write(() => this.rooms.index.indexBatch(rows));
  }

  checkpoint(): void {
    this.database.execute('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  verifyIntegrity(): readonly string[] {
    return runWhole(this.verifySlices());
  }

  /** `verifyIntegrity` with a pause between two checks. One check may take seconds on a large file. */
  *verifySlices(): SlicedWork<readonly string[]> {
    const problems: string[] = [];
    // First: SQLite's check of the file ends at an index page that it cannot read.
    const damage = this.indexDamage();
    if (damage !== null) this.rebuildIndex();
    for (const check of transcriptChecks) {
      problems.push(...this.database.readTransaction(() => check(this.database)));
      yield undefined;
    }
    return damage === null
      ? problems
      : [...problems, `the search index was damaged and is being built again: ${damage}`];
  }

  statistics(): StoreStatistics {
    return this.database.readTransaction(() => ({
      sessions: countOf(this.database, 'SELECT count(*) AS n FROM sessions WHERE pending IS NULL'),
      messages: countOf(this.database, 'SELECT count(*) AS n FROM messages'),
      dirtyRows: this.rooms.index.dirtyRows(),
      ...this.fileSizes(),
    }));
  }

  bringOver(input: BringOver): BroughtOver {
    return bringOver(
      input,
      this.openOther,
      (work) => this.write(work),
      () => this.importer(),
    );
  }

  /** Imports the rows of a suffixed sibling store, or the rows salvaged from a damaged file (`StoreImport`).
   *  `liveTurns`: running turns of this process, which continue. Idempotent. */
  mergeFrom(source: StoreRows, liveTurns: readonly string[] = []): ImportReport {
    return this.write(() => this.importer().run(source, 'goOn', liveTurns));
  }

  private rewriteFile(): void {
    this.write(() => this.rooms.index.compact());
    try {
      this.rooms.forgetting.scrub();
    } catch (error) {
      if (!this.repairIndex(error)) throw error;
      this.rooms.forgetting.scrub();
    }
  }

  private importer(): StoreImport {
    return new StoreImport(this.database, this.rooms.messages, this.rooms.closing, this.now);
  }

  /** Runs one durable transaction. Rewriting an indexed row touches the index, and a damaged index must not block
   *  the transcript: then the index is rebuilt and the write repeated. The write is also repeated when the disk is
   *  full and the log can be emptied. */
  private write<T>(work: () => T): T {
    try {
      return this.database.transaction(work);
    } catch (error) {
      if (!this.madeRoom(error) && !this.repairIndex(error)) throw error;
      return this.database.transaction(work);
    }
  }

  /** Frees space when the disk is full: checkpoints the log, which otherwise grows to megabytes before SQLite does
   *  so. Returns true when that succeeded. */
  private madeRoom(error: unknown): boolean {
    if (!(error instanceof StoreError) || error.causeClass !== 'full' || this.fileSizes().logBytes === 0) return false;
    try {
      this.checkpoint();
      return true;
    } catch {
      return false;
    }
  }

  /** Returns true when the error came from a damaged index, which is then dropped and queued for rebuilding. Damage
   *  of the rows is not touched. If no check of the index finds a problem, intact rows are the evidence: FTS4 has
   *  failures that only a write meets. */
  private repairIndex(error: unknown): boolean {
    if (!(error instanceof StoreError) || !indexFailure.test(error.technical)) return false;
    if (this.indexDamage() === null && !(error.causeClass === 'corrupt' && this.rowsReadWell())) return false;
    this.rebuildIndex();
    return true;
  }

  /** The problem of the search index, or null when it is intact. */
  private indexDamage(): string | null {
    const { index } = this.rooms;
    return complaint(() => this.database.transaction(() => index.check())) ?? complaint(() => index.damagedPages()[0]);
  }

  private rowsReadWell(): boolean {
    return complaint(() => this.rooms.index.damagedRows()[0]) === null;
  }

  private rebuildIndex(): void {
    try {
      this.database.transaction(() => this.rooms.index.rebuild());
    } catch (error) {
      if (!(error instanceof StoreError) || error.causeClass !== 'corrupt') throw error;
      this.database.transaction(() => {
        this.rooms.index.replace();
        this.rooms.forgetting.scrubLater();
      });
    }
  }
}

/** The problem that `check` returns or throws; null when there is none. */
function complaint(check: () => string | undefined | void): string | null {
  try {
    return check() ?? null;
  } catch (error) {
    if (error instanceof StoreError) return error.technical;
    throw error;
  }
}
