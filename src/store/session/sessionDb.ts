import type { SqlDatabase } from '../engine/sqlDatabase';
import type { SessionOperations } from '../sessionStore';
import { runWhole, type SlicedWork } from '../slicedWork';
import { copyToThisFolder, type OpenOther, opensNoOther } from './import/copyToThisFolder';
import type { EarlierSpill, TakenInSpill } from './import/earlierSpill';
import { StoreImport, type ImportReport } from './import/storeImport';
import type { StoreRows } from './import/soundRows';
import { RepairingTransactions } from './repairingTransactions';
import { createDbOperations, type DbOperations } from './dbOperations';
import { LongOperations } from './slicedOperations';
import { BroughtBack } from './import/broughtBack';
import { findingsOf } from './queries/integrity';
import { SyncStore } from './sync/syncStore';
import { performSync, type SyncedStore } from '../syncing';
import { countOf, readText } from './tables/columns';
import { invalid } from './tables/refusal';

interface SessionDbDeps {
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

/** The sessions on disk. Each call is one transaction, and its writes are durable when it returns. */
export interface SessionDb extends SessionOperations {
  /** Operations in slices; `LongOperations` states which other calls may run in between. */
  readonly slices: LongOperations;
  /** Exchange with a server, which `sync` calls. */
  readonly synced: SyncedStore;
  /** Does in slices, when the store is idle, the work of `scrub`. */
  tidySlices(): SlicedWork<void>;
  /** Completes long changes that a crash interrupted: deletes rows of sessions that no process finishes, and
   *  rewrites the file when deleted rows must not stay readable in its free pages. */
  scrub(): void;
  /** Imports the rows of a suffixed sibling store, or the rows salvaged from a damaged file (`StoreImport`). Shows what
   *  only a lost row would lead to.
   *  `liveTurns`: running turns of this process, which continue. Idempotent. */
  mergeFrom(source: StoreRows, liveTurns?: readonly string[]): ImportReport;
  /** Stores what an earlier build kept in a file of its own. Idempotent. */
  takeInSpill(spill: EarlierSpill): TakenInSpill;
}

export function createSessionDb(deps: SessionDbDeps): SessionDb {
  const { database, now, fileSizes } = deps;
  const operations = createDbOperations(database, now);
  const transactions = new RepairingTransactions(
    database,
    operations,
    () => fileSizes().logBytes,
    deps.monotonicMs ?? (() => now() * 1000),
  );
  const slices = new LongOperations(database, operations, transactions, now);
  const importer = (): StoreImport => new StoreImport(database, operations.messages, operations.closing, now);
  const broughtBack = new BroughtBack(database, importer, (id) => operations.forgetting.belonging(id));
  const synced = new SyncStore({
    database,
    transactions,
    parts: operations,
    erase: (conversationId) => void runWhole(slices.forgetSession(conversationId)),
    belonging: (conversationId) => operations.forgetting.belonging(conversationId),
    broughtBack,
    now,
    monotonicMs: deps.monotonicMs ?? (() => now() * 1000),
  });
  return {
    ...operationsOver(deps, operations, transactions, slices, (input) =>
      copyToThisFolder(input, {
        database,
        openOther: deps.openOther ?? opensNoOther,
        write: (work) => transactions.write(work),
        importer,
        broughtBack,
      }),
    ),
    slices,
    synced,
    sync: (call) => performSync(synced, call),
    tidySlices: () => slices.tidy(),
    scrub: () => runWhole(slices.tidy()),
    takeInSpill: (spill) => transactions.write(() => operations.earlierSpills.takeIn(spill)),
    mergeFrom: (source, liveTurns = []) =>
      transactions.write(() => {
        const report = importer().run(source, 'goOn', liveTurns);
        const steps = findingsOf(database, 'hiddenForGood').flatMap((finding) => finding.steps);
        operations.repair.run({ steps, at: now() });
        return report;
      }),
  };
}

/** Binds every method of the store to the operation that does its work, and to its transaction. `sessionStore.ts`
 *  states the contract of each method, and its types. */
function operationsOver(
  { database, now, fileSizes }: SessionDbDeps,
  operations: DbOperations,
  transactions: RepairingTransactions,
  long: LongOperations,
  copyToThisFolder: SessionOperations['copyToThisFolder'],
): Omit<SessionOperations, 'sync'> {
  const { sessions, messages, turns, approvals, queuedPrompts: prompts, files, outbox } = operations;
  const read: InTransaction =
    (work) =>
    (...args) =>
      transactions.read(() => work(...args));
  const write: InTransaction =
    (work) =>
    (...args) =>
      transactions.write(() => work(...args));
  return {
    // Sessions
    createSession: write((input) => sessions.create(input)),
    getSession: (sessionId) => sessions.find(sessionId),
    listSessions: read((query) => operations.list.list(query)),
    resolveSessionId: read((idOrPrefix) => operations.finder.resolve(idOrPrefix)),
    findSession: read((text) => operations.finder.find(text)),
    setTitle: write((sessionId, title, source) => operations.titling.set(sessionId, title, source)),
    setSessionAgent: write((sessionId, agent) => sessions.setAgent(sessionId, agent)),
    setSessionModel: write((sessionId, model) => sessions.setModel(sessionId, model)),
    sessionEffort: (sessionId) => sessions.effort(sessionId),
    setSessionEffort: write((sessionId, effort) => sessions.setEffort(sessionId, effort)),
    sessionSpending: read((sessionId) => operations.spending.of(sessionId)),
    spendingSince: read((since) => operations.spending.since(since)),
    allowSpending: write((sessionId, usd) => operations.spending.allow(sessionId, usd)),
    endSession: write((sessionId, reason) => sessions.end(sessionId, reason, now())),
    conversationTip: read((sessionId) => sessions.tip(sessionId)),
    compressSession: write((input) => operations.compression.publish(input)),
    branchSession: (input) => runWhole(long.branchSession(input)),
    rewindSession: (input) => runWhole(long.rewindSession(input)),
    branchesOf: read((sessionId, withTrash = false) => operations.tree.of(sessionId, withTrash)),
    subAgentsOf: read((conversationIds) => operations.tree.subAgentsOf(conversationIds)),
    setPinned: write((sessionId, on) => operations.marks.pin(sessionId, on)),
    setArchived: write((sessionId, on) => operations.marks.archive(sessionId, on)),
    trashSession: write((sessionId, at) => operations.marks.trash(sessionId, at)),
    restoreSession: write((sessionId) => operations.marks.restore(sessionId)),
    setSeen: write((sessionId, at) => operations.marks.see(sessionId, at)),
    pruneTrash: (before) => runWhole(long.pruneTrash(before)),
    forgetSession: (sessionId) => runWhole(long.forgetSession(sessionId)),
    promptVersions: read((sessionId) => operations.versions.of(sessionId)),
    showVersion: (input) => runWhole(long.showVersion(input)),
    importStates: read((sessionIds) => operations.foreignImport.states(sessionIds)),
    beginImport: (input) => runWhole(long.beginImport(input)),
    importWhole: (input) => runWhole(long.importWhole(input)),
    addImported: write((batch) => operations.foreignImport.add(batch)),
    finishImport: (input) => {
      transactions.write(() => operations.foreignImport.finish(input));
      long.endImport(input.sessionId);
    },
    discardImport: (sessionId) => long.endImport(sessionId),
    extendImport: write((input) => operations.foreignImport.extend(input)),
    copyToThisFolder,

    // A turn, in the order of its lifecycle
    openTurn: (input) => runWhole(long.openTurn(input)),
    appendChunks: write((batch) => operations.turnLifecycle.append(batch)),
    putMessages: write((rows) => operations.turnLifecycle.put(rows)),
    repairTranscript: (sessionId) => runWhole(long.repairTranscript(sessionId)),
    steerTurn: write((input) => operations.turnLifecycle.steer(input)),
    addUsage: write((turnUid, usage) => operations.turnLifecycle.addUsage(turnUid, usage)),
    settleTurn: write((input) => operations.turnLifecycle.settle(input)),
    recoverTurns: write((except = []) => {
      operations.ranges.settleAll();
      return operations.turnLifecycle.recover(now(), except);
    }),
    previewRepair: (input) => operations.repair.preview(input, (work) => transactions.write(work)),
    repairSession: write((input) => operations.repair.apply(input)),
    undoRepair: write((sessionId, repairId) => operations.repair.undo(sessionId, repairId)),
    repairsOf: read((sessionId) => operations.repair.of(sessionId)),

    // Approvals
    requestApproval: write((input) => approvals.request(input)),
    decideApproval: write((id, decision, decidedAt, modeOf) => approvals.decide(id, decision, decidedAt, modeOf)),
    approval: (id) => approvals.find(id),
    approvalsOf: read((turnUid) => approvals.ofTurn(turnUid)),
    pendingApproval: read((sessionId) => approvals.pending(sessionId)),
    sessionRules: read((sessionId) => approvals.rules(sessionId)),
    sessionMode: (sessionId) => approvals.mode(sessionId),
    setSessionMode: write((sessionId, mode) => approvals.setMode(sessionId, mode)),

    // Reading
    setApiContent: write((messageUid, text, recalled) => {
      operations.wireTexts.set(messageUid, text);
      if (recalled !== undefined) turns.setRecalled(recalled.turnUid, recalled.found);
    }),
    apiContents: (sessionId) => runWhole(long.apiContents(sessionId)),
    activeMessages: (sessionId) => runWhole(long.activeMessages(sessionId)),
    getMessage: read((uid) => messages.find(uid)?.message ?? null),
    revisionsOf: read((messageUid) => messages.revisionsOf(messageUid)),
    getTurn: (uid) => turns.find(uid),
    openTurnOf: read((sessionId) => {
      const session = sessions.find(sessionId);
      return session === null ? null : turns.openOf(session.conversationId);
    }),
    readTranscript: read((query) => {
      const page = operations.reading.page(query);
      const shown = new Set(page.turns.map(({ uid }) => uid));
      return { ...page, versions: operations.versions.of(query.sessionId).filter(({ turnUid }) => shown.has(turnUid)) };
    }),
    promptContext: (sessionId, promptUid) => runWhole(long.promptContext(sessionId, promptUid)),
    transcriptOutline: read((query) => operations.stored.outline(query)),
    findInTranscript: read((query) => operations.stored.find(query)),
    transcriptRows: read((uids) => operations.stored.named(uids)),
    storedRow: read((uid) => operations.stored.row(uid)),
    search: (query) => runWhole(long.search(query)),

    // Queue and drafts
    enqueue: write((prompt) => prompts.add(prompt)),
    queue: read((sessionId) => prompts.of(sessionId)),
    queuedPrompt: (uid) => prompts.find(uid),
    editQueued: write((uid, text) => prompts.edit(uid, text)),
    removeQueued: write((uid) => prompts.remove(uid)),
    promoteQueued: write((uid) => prompts.promote(uid)),
    draft: (key) => prompts.draft(key),
    draftParts: (key) => prompts.draftParts(key),
    setDraft: write((key, text, parts, around = {}) => prompts.setDraft(key, text, parts, around, now())),

    // Small durable values
    getMeta: (key) => {
      const row = database.get('SELECT value FROM state_meta WHERE key = ?', [key]);
      return row === undefined ? null : readText(row, 'value', null);
    },
    setMeta: write((key, value) =>
      database.run('INSERT OR REPLACE INTO state_meta (key, value) VALUES (?, ?)', [key, value]),
    ),
    deleteMeta: write((key) => database.run('DELETE FROM state_meta WHERE key = ?', [key])),

    // Files
    recordFileChanges: write((changes, contents) => files.record(changes, contents)),
    completeFileChanges: write((results, contents) => files.complete(results, contents)),
    fileChangesOf: (turnUids) => files.of(turnUids),
    fileChangesFrom: (turnUid) => files.from(turnUid),
    fileChangesAt: (paths, since) => files.at(paths, since),
    changedPaths: (since) => files.pathsSince(since),
    fileContent: (hash) => files.content(hash),
    markReviewed: write((uids, kind, at) => files.review(uids, kind, at)),

    // Outbox
    outboxAdd: write((entry) => outbox.add(entry)),
    outboxDue: (provider, at, limit) => outbox.due(provider, at, limit),
    outboxDone: write((uid) => outbox.done(uid)),
    outboxFailed: write((uid, error, nextAttemptAt) => outbox.failed(uid, error, nextAttemptAt)),
    outboxCounts: () => outbox.counts(),

    // Maintenance
    indexBatch: (rows) => {
      if (!Number.isInteger(rows) || rows < 1) throw invalid('an index batch without rows');
      return transactions.write(() => operations.index.indexBatch(rows));
    },
    checkpoint: () => transactions.checkpoint(),
    verifyIntegrity: () => runWhole(long.verifyIntegrity()),
    checkSession: (sessionId) => runWhole(long.checkSession(sessionId)),
    storeSizes: () => runWhole(long.storeSizes()),
    statistics: read(() => ({
      sessions: countOf(database, 'SELECT count(*) AS n FROM sessions WHERE pending IS NULL'),
      messages: countOf(database, 'SELECT count(*) AS n FROM messages'),
      dirtyRows: operations.index.dirtyRows(),
      ...fileSizes(),
    })),
  };
}

/** Gives a method its transaction. */
type InTransaction = <A extends readonly unknown[], R>(work: (...args: A) => R) => (...args: A) => R;
