import type { SqlRow, SqlValue } from '../engine/sqlDatabase';
import type { BranchedSession, BranchSession, ForgottenSessions } from '../conversations';
import type { BeginImport, BegunImport, FinishImport, ImportWhole } from '../importing';
import type { ApiContent, PromptContext, SearchHit, SearchQuery, TranscriptRepair } from '../requests';
import { type SlicedWork, sliceTimer } from '../slicedWork';
import type { Message } from '../../transcript/message';
import type { CheckedRow } from '../../transcript/rules/checkedSession';
import { fileFinding, type Finding } from '../../transcript/rules/finding';
import {
  isRepairBorder,
  isSound,
  joinedRepairs,
  repairSequence,
  type SequenceRepair,
} from '../../transcript/sequenceRepair';
import { checkedRow, fileChecks, sessionFindings, tableChecks } from './queries/integrity';
import type { BranchProgress } from './operations/branching';
import type { Erased } from './operations/forgetting';
import { readText, countOf } from './tables/columns';
import { type BatchedWork, inBatches, batchRows } from './tables/inBatches';
import { countedWith, estimateRows } from '../../transcript/contextUse';
import { StorePart } from './tables/storePart';
import type { StoreParts } from './storeParts';

/** Findings that a verification returns, of one check. */
const mostFindings = 20;

/** Long operations over a session's rows, in slices. Between two slices no other request may change the session,
 *  except that its open turn may add text to its last row: the worker's queue ensures that. */
export class LongOperations extends StorePart<StoreParts> {
  /** Branches that are being created. */
  private readonly inTheMaking = new Set<string>();
  /** Sessions that are being imported. */
  private readonly imports = new Set<string>();

  private get transactions(): StoreParts['transactions'] {
    return this.store.transactions;
  }

  /** In slices of about 20 ms: other calls may run in between, and the caller may stop it. */
  *search(query: SearchQuery): SlicedWork<readonly SearchHit[]> {
    try {
      return yield* this.store.messageSearch.slices(query);
    } catch (error) {
      if (!this.transactions.repairIndex(error)) throw error;
      return yield* this.store.messageSearch.slices(query);
    }
  }

  /** With a pause before each check. One may take seconds on a large file. */
  *verifyIntegrity(): SlicedWork<readonly Finding[]> {
    yield undefined;
    // First: SQLite's check of the file ends at an index page that it cannot read.
    const damage = this.transactions.checkIndex();
    const findings = damage === null ? [] : [fileFinding('indexDrift', damage)];
    for (const check of [...fileChecks, ...tableChecks]) {
      findings.push(...this.transactions.read(() => check(this.database)).slice(0, mostFindings));
      yield undefined;
    }
    return findings;
  }

  *checkSession(sessionId: string): SlicedWork<readonly Finding[]> {
    const findings: Finding[] = [];
    const segments = this.transactions.read(() =>
      this.database.all('SELECT * FROM sessions WHERE conversation_id = ?', [
        this.store.sessions.require(sessionId).conversationId,
      ]),
    );
    for (const segment of segments) {
      const rows: CheckedRow[] = [];
      const reading = this.rows(readText(segment, 'id', ''), (row) => checkedRow(this.database, segment, row));
      let step = reading.next();
      for (; step.done !== true; step = reading.next()) {
        rows.push(...(step.value?.entries ?? []));
        yield undefined;
      }
      rows.push(...step.value);
      findings.push(...this.transactions.read(() => sessionFindings(this.database, segment, rows)));
    }
    return findings.slice(0, mostFindings);
  }

  *activeMessages(sessionId: string): SlicedWork<readonly Message[]> {
    this.transactions.read(() => this.store.sessions.require(sessionId));
    return yield* this.rows(sessionId, (row) => this.messages.read(row).message);
  }

  *apiContents(sessionId: string): SlicedWork<readonly ApiContent[]> {
    const where = 'api_content IS NOT NULL AND active = 1';
    return yield* this.rows(sessionId, (row) => this.store.wireTexts.read(row), where);
  }

  /** In slices for the sake of the tokens: where no answer was counted, every row is looked at. */
  *promptContext(sessionId: string | null, promptUid: string | null): SlicedWork<PromptContext> {
    const { sessions, turns, messages, queuedPrompts: prompts } = this.store;
    const found = this.transactions.read(() => {
      const message = promptUid === null ? null : (messages.find(promptUid)?.message ?? null);
      const queued = promptUid === null ? null : prompts.find(promptUid);
      const named = sessionId === null ? null : sessions.find(sessionId);
      const session = named === null ? null : sessions.find(sessions.tip(named.id));
      if (session === null) return { session, isSubAgent: false, openTurn: null, message, queued };
      const root = sessions.find(session.conversationId);
      const isSubAgent = root?.parentKind === 'delegate';
      return { session, isSubAgent, openTurn: turns.openOf(session.conversationId), message, queued };
    });
    const historyTokens = found.session === null ? null : yield* this.historyTokens(found.session.id);
    return { ...found, historyTokens };
  }

  /** Examines the rows part by part, and writes if there is something to repair. */
  *repairTranscript(sessionId: string): SlicedWork<TranscriptRepair> {
    const { rewriting, messages } = this.store;
    const circumstances = this.transactions.read(() => rewriting.circumstances(sessionId, this.now()));
    const reading = this.rows(sessionId, (row) => messages.read(row).message);
    const repairs: SequenceRepair[] = [];
    let waiting: readonly Message[] = [];
    for (let isWhole = false; !isWhole;) {
      const step = reading.next();
      isWhole = step.done === true;
      const rows = [...waiting, ...(step.done === true ? step.value : (step.value?.entries ?? []))];
      const border = isWhole ? rows.length : lastBorder(rows);
      repairs.push(repairSequence(rows.slice(0, border), circumstances));
      waiting = rows.slice(border);
      if (!isWhole) yield undefined;
    }
    if (repairs.every(isSound)) return { messages: [], reasons: [] };
    return this.transactions.write(() => rewriting.apply(sessionId, joinedRepairs(repairs)));
  }

  *branchSession(input: BranchSession): SlicedWork<BranchedSession> {
    // Left by a failed attempt.
    yield* this.sweep((id) => id === input.childId);
    this.inTheMaking.add(input.childId);
    try {
      return yield* inBatches(this.branching(input), this.transactions);
    } finally {
      this.inTheMaking.delete(input.childId);
    }
  }

  *beginImport(input: BeginImport): SlicedWork<BegunImport> {
    const { sessionId } = input;
    if (this.store.foreignImport.isLeft(sessionId)) yield* this.sweep((id) => isSegmentOf(id, sessionId));
    this.imports.add(sessionId);
    try {
      return this.transactions.write(() => this.store.foreignImport.begin(input));
    } catch (error) {
      this.imports.delete(sessionId);
      throw error;
    }
  }

  *importWhole({ batch, finish }: ImportWhole): SlicedWork<void> {
    const { sessionId } = batch;
    if (this.store.foreignImport.isLeft(sessionId)) yield* this.sweep((id) => isSegmentOf(id, sessionId));
    const { foreignImport } = this.store;
    this.transactions.write(() => {
      foreignImport.begin(finish);
      foreignImport.add(batch);
      foreignImport.finish(finish);
    });
  }

  finishImport(input: FinishImport): void {
    this.transactions.write(() => this.store.foreignImport.finish(input));
    this.endImport(input.sessionId);
  }

  /** From now on, rows of the session that are still hidden are removed by `tidy`. */
  endImport(sessionId: string): void {
    this.imports.delete(sessionId);
  }

  private branching(
    input: BranchSession,
  ): BatchedWork<{ readonly progress: BranchProgress; readonly total: number }, BranchedSession> {
    const { branching } = this.store;
    return {
      begin: () => {
        const begun = branching.begin(input);
        return 'stored' in begun
          ? { answer: begun.stored }
          : { state: { progress: begun.progress, total: branching.rowsIn(begun.progress.cut) } };
      },
      step: ({ progress, total }) => {
        if (progress.hasAllRows && progress.turns.length === 0) return { answer: branching.publish(progress, input) };
        return { state: { progress: branching.advance(progress, input.childId), total } };
      },
      progress: ({ progress, total }) => ({ done: Math.min(progress.seen, total), total }),
    };
  }

  *forgetSession(sessionId: string): SlicedWork<ForgottenSessions> {
    const erased = yield* inBatches(this.store.forgetting.forgetting(sessionId), this.transactions);
    return yield* this.scrubbed(erased);
  }

  *pruneTrash(before: number): SlicedWork<ForgottenSessions> {
    const erased: Erased[] = [];
    for (const conversationId of this.store.forgetting.prunable(before))
      erased.push(yield* inBatches(this.store.forgetting.pruning(conversationId), this.transactions));
    const sessionIds = erased.flatMap((one) => one.sessionIds);
    const gone = new Set(sessionIds);
    const branches = new Map(
      erased
        .flatMap((one) => one.branches)
        .filter(({ sessionId }) => !gone.has(sessionId))
        .map((branch) => [branch.conversationId, branch]),
    );
    return yield* this.scrubbed({ sessionIds, branches: [...branches.values()] });
  }

  /** Does the work that long operations left: see `sweep` and `scrub`. */
  *tidy(): SlicedWork<void> {
    yield* this.sweep();
    this.scrub();
  }

  /** Deletes the rows of sessions that no process finishes: stopped branches, and those left by a crash. */
  private *sweep(which: (sessionId: string) => boolean = () => true): SlicedWork<void> {
    yield* inBatches(
      this.store.forgetting.sweeping(
        (id) => which(id) && !this.inTheMaking.has(id) && ![...this.imports].some((one) => isSegmentOf(id, one)),
      ),
      this.transactions,
    );
  }

  /** Rewrites the file if rows were deleted from it, unless a turn is running, which would have to wait. Then the
   *  rewrite stays due. Returns true when nothing is due any more. */
  private scrub(): boolean {
    const { forgetting } = this.store;
    if (!forgetting.isScrubDue) return true;
    if (forgetting.isTurnRunning) return false;
    this.rewriteFile();
    return true;
  }

  private rewriteFile(): void {
    const { index, forgetting } = this.store;
    this.transactions.write(() => index.compact());
    try {
      forgetting.scrub();
    } catch (error) {
      if (!this.transactions.repairIndex(error)) throw error;
      forgetting.scrub();
    }
  }

  private *scrubbed(erased: Erased): SlicedWork<ForgottenSessions> {
    const isRewritable = this.store.forgetting.isRewritable;
    // Serve waiting requests first: rewriting the file cannot be cut into slices.
    yield undefined;
    return { ...erased, isComplete: this.scrub() && isRewritable };
  }

  /** Reads rows of a session in order of position, in each read transaction as many as fit into a slice. Leaves out
   *  rows added after the last row once reading has started. The caller ensures that nothing else of the session
   *  changes meanwhile, except for text added to its last row. `where`: a condition on the rows. */
  private *rows<T>(sessionId: string, read: (row: SqlRow) => T, where = 'active = 1'): SlicedWork<readonly T[], T> {
    const { database, transactions } = this;
    const last =
      database.get('SELECT max(position) AS last FROM messages WHERE session_id = ?', [sessionId])?.['last'] ?? 0;
    const total = countOf(database, 'SELECT count(*) AS n FROM messages WHERE session_id = ?', [sessionId]);
    let after: SqlValue = Number.MIN_SAFE_INTEGER;
    let done = 0;
    for (;;) {
      const timer = sliceTimer(transactions.monotonicMs);
      const entries: T[] = [];
      const isWhole = transactions.read(() => {
        do {
          const rows = database.all(
            `SELECT * FROM messages
             WHERE session_id = ? AND position > ? AND position <= ? AND ${where} ORDER BY position LIMIT ?`,
            [sessionId, after, last, batchRows],
          );
          for (const row of rows) entries.push(read(row));
          if (rows.length < batchRows) return true;
          after = rows.at(-1)?.['position'] ?? last;
        } while (!timer.isFull());
        return false;
      });
      if (isWhole) return entries;
      done += entries.length;
      yield { entries, progress: { done: Math.min(done, total), total } };
    }
  }

  /** Tokens of a session's active rows as `contextUse` says. Reads backward from the end to the newest answer that was
   *  counted. */
  private *historyTokens(sessionId: string): SlicedWork<number> {
    const { database, messages, transactions } = this;
    const after: Message[] = [];
    let before: SqlValue = null;
    for (;;) {
      const timer = sliceTimer(transactions.monotonicMs);
      const found = transactions.read(() => {
        do {
          const rows: readonly SqlRow[] = database.all(
            `SELECT * FROM messages
             WHERE session_id = ? AND position > ? AND ${before === null ? '' : 'position < ? AND'} active = 1
             ORDER BY position DESC LIMIT ?`,
            [sessionId, Number.MIN_SAFE_INTEGER, ...(before === null ? [] : [before]), batchRows],
          );
          for (const row of rows) {
            const { message } = messages.read(row);
            const counted = countedWith(message);
            if (counted !== null) return { tokens: counted + estimateRows(after) };
            after.push(message);
          }
          if (rows.length < batchRows) return { tokens: estimateRows(after) };
          before = rows.at(-1)?.['position'] ?? null;
        } while (!timer.isFull());
        return null;
      });
      if (found !== null) return found.tokens;
      yield undefined;
    }
  }
}

function isSegmentOf(id: string, imported: string): boolean {
  return id === imported || id.startsWith(`${imported}.`);
}

/** Number of rows up to the last border at which a part can be repaired separately; 0 when there is none. */
function lastBorder(rows: readonly Message[]): number {
  for (let index = rows.length - 1; index > 0; index--) {
    const [before, next] = [rows[index - 1], rows[index]];
    if (before !== undefined && next !== undefined && isRepairBorder(before, next)) return index;
  }
  return 0;
}
