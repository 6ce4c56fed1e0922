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
  SearchHit,
  SearchProgress,
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
import type { FoundRows, OutlineRow, StoredRow, StoredRows, StoredTextQuery, TranscriptSlice } from '../transcriptLook';
import type { NewOutboxEntry, OutboxCount, OutboxEntry } from '../outbox/outbox';
import type { NewApproval } from '../approvals';
import { StoreError } from '../storeError';
import type { Approval, ApprovalDecision, Mode } from '../../transcript/approval';
import type { DraftPart } from '../../transcript/draftPart';
import type { HiddenReason, Message, NewMessage } from '../../transcript/message';
import type { ReasoningEffort } from '../../transcript/reasoningEffort';
import type { QueuedPrompt, Session, SessionSummary, TitleSource } from '../../transcript/session';
import type { Turn } from '../../transcript/turn';
import type { Usage } from '../../transcript/usage';
import { bringOver, type OpenOther, opensNoOther } from './bringOver';
import { countOf, textOr } from './columns';
import { transcriptChecks } from './integrity';
import { invalid } from './refusal';
import { roomsOver, type Rooms } from './rooms';
import { StoreImport, type ImportReport, type StoreRows } from './storeImport';

export interface SessionDbParts {
  /** A database that `migrate` has brought to the newest version. */
  readonly database: SqlDatabase;
  /** Seconds since the epoch. */
  readonly now: () => number;
  /** Bytes of the database file and of its log, for `statistics`. */
  readonly fileSizes: () => { readonly fileBytes: number; readonly logBytes: number };
  /** Without it no other store's sessions can be brought over. */
  readonly openOther?: OpenOther;
}

/** The sessions on disk. Each call is one transaction, and what it wrote is durable when it returns. `sessionStore.ts` says what each method
 *  promises; the classes this one is made of do the work inside the transaction. */
export class SessionDb implements SessionOperations {
  private readonly database: SqlDatabase;
  private readonly now: () => number;
  private readonly fileSizes: SessionDbParts['fileSizes'];
  private readonly openOther: OpenOther;
  private readonly rooms: Rooms;

  constructor({ database, now, fileSizes, openOther }: SessionDbParts) {
    this.database = database;
    this.now = now;
    this.fileSizes = fileSizes;
    this.openOther = openOther ?? opensNoOther;
    this.rooms = roomsOver(database, now);
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
    return this.write(() => this.rooms.branching.branch(input));
  }

  rewindSession(input: RewindSession): RewoundSession {
    return this.write(() => this.rooms.rewinding.rewind(input));
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
    const forgotten = this.write(() => this.rooms.forgetting.prune(before));
    const isComplete = this.rooms.forgetting.isRewritable;
    this.scrub();
    return { ...forgotten, isComplete };
  }

  forgetSession(sessionId: string): ForgottenSessions {
    const forgotten = this.write(() => this.rooms.forgetting.forget(sessionId));
    const isComplete = this.rooms.forgetting.isRewritable;
    this.scrub();
    return { ...forgotten, isComplete };
  }

  /** Rewrites the file when something was deleted from it that must not be readable in its free pages. */
  scrub(): void {
    if (!this.rooms.forgetting.isScrubDue) return;
    this.write(() => this.rooms.index.compact());
    this.rooms.forgetting.scrub();
  }

  promptVersions(sessionId: string): readonly PromptVersions[] {
    return this.database.readTransaction(() => this.rooms.versions.of(sessionId));
  }

  showVersion(input: ShowVersion): readonly Message[] {
    return this.write(() => this.rooms.versions.show(input));
  }

  // A turn, in the order of its life

  openTurn(input: OpenTurn): { readonly turn: Turn; readonly userMessage: Message } {
    return this.write(() => this.rooms.life.open(input));
  }

  appendChunks(batch: ChunkBatch): void {
    this.write(() => this.rooms.life.append(batch));
  }

  putMessages(messages: readonly NewMessage[]): readonly Message[] {
    return this.write(() => this.rooms.life.put(messages));
  }

  repairTranscript(sessionId: string): TranscriptRepair {
    return this.write(() => this.rooms.rewriting.repair(sessionId, this.now()));
  }

  replaceMessages(sessionId: string, messages: readonly NewMessage[], reason: HiddenReason): readonly Message[] {
    return this.write(() => this.rooms.rewriting.replace(sessionId, messages, reason));
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
    return this.write(() => this.rooms.life.recover(this.now(), except));
  }

  // What the person is asked

  requestApproval(input: NewApproval): { readonly approval: Approval; readonly turn: Turn } {
    return this.write(() => this.rooms.approvals.request(input));
  }

  decideApproval(
    id: string,
    decision: ApprovalDecision,
    decidedAt: number,
  ): { readonly approval: Approval; readonly turn: Turn } {
    return this.write(() => this.rooms.approvals.decide(id, decision, decidedAt));
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
    return this.database.readTransaction(() => this.rooms.wireTexts.ofSession(sessionId));
  }

  activeMessages(sessionId: string): readonly Message[] {
    return this.database.readTransaction(() => this.rooms.reading.active(sessionId));
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

  setDraft(key: string, text: string, parts?: readonly DraftPart[]): void {
    this.write(() => this.rooms.prompts.setDraft(key, text, parts, this.now()));
  }

  // Search

  search(query: SearchQuery): readonly SearchHit[] {
    return runWhole(this.searchSlices(query));
  }

  /** `search` in slices of about 20 ms: between two of them other calls may run, and the caller may stop. */
  *searchSlices(query: SearchQuery): Generator<SearchProgress | undefined, readonly SearchHit[], void> {
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

  // Care

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
  *verifySlices(): Generator<void, readonly string[], void> {
    const problems: string[] = [];
    for (const check of transcriptChecks) {
      problems.push(...this.database.readTransaction(() => check(this.database)));
      yield;
    }
    const damage = this.database.transaction(() => this.rooms.index.damage());
    if (damage === null) return problems;
    this.database.transaction(() => this.rooms.index.rebuild());
    return [...problems, `the search index was damaged and is being built again: ${damage}`];
  }

  statistics(): StoreStatistics {
    return this.database.readTransaction(() => ({
      sessions: countOf(this.database, 'SELECT count(*) AS n FROM sessions'),
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

  /** Brings in the rows of a suffixed sibling store, or what was salvaged from a damaged file (`StoreImport`). Idempotent. */
  mergeFrom(source: StoreRows): ImportReport {
    return this.write(() => this.importer().run(source));
  }

  private importer(): StoreImport {
    return new StoreImport(this.database, this.rooms.messages, this.rooms.closing, this.now);
  }

  /** One durable transaction. Rewriting an indexed row touches the index, and a damaged index must not stop the transcript: then the
   *  index is made anew and the write done again. So it is when the disk is full and the log can be emptied. */
  private write<T>(work: () => T): T {
    try {
      return this.database.transaction(work);
    } catch (error) {
      if (!this.madeRoom(error) && !this.repairIndex(error)) throw error;
      return this.database.transaction(work);
    }
  }

  /** Whether the disk is full and the log, which may take megabytes before it is carried over of itself, has given its room back. */
  private madeRoom(error: unknown): boolean {
    if (!(error instanceof StoreError) || error.causeClass !== 'full' || this.fileSizes().logBytes === 0) return false;
    try {
      this.checkpoint();
      return true;
    } catch {
      return false;
    }
  }

  /** Whether the error came from a damaged index, which is then dropped and queued for rebuilding. Damage elsewhere is not touched. */
  private repairIndex(error: unknown): boolean {
    if (!(error instanceof StoreError) || !indexFailure.test(error.technical)) return false;
    if (this.database.transaction(() => this.rooms.index.damage()) === null) return false;
    this.database.transaction(() => this.rooms.index.rebuild());
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
