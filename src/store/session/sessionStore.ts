import type { CallOptions } from '../../base/threads/calls';
import type { ApprovalDecision, Mode } from '../../transcript/approval';
import type { DraftPart, DraftSurroundings } from '../../transcript/draftPart';
import type { NewMessage } from '../../transcript/message';
import type { ReasoningEffort, TitleSource } from '../../transcript/session';
import type { Usage } from '../../transcript/usage';
import type {
  ChunkBatch,
  CompressSession,
  EnqueuePrompt,
  NewApproval,
  NewSession,
  OpenTurn,
  PutMessage,
  RecalledFor,
  SearchQuery,
  SessionQuery,
  SettleTurn,
  SteerTurn,
  StoredTextQuery,
  TranscriptQuery,
  TranscriptSlice,
  TranscriptPage,
} from '../requests';
import type { BranchSession, RewindSession, ShowVersion } from '../conversations';
import type { ContentHash, FileChange, FileContent } from '../fileChanges';
import type { BeginImport, ExtendImport, FinishImport, ImportBatch, ImportWhole } from '../importing';
import type { NewOutboxEntry } from '../outbox';
import type { RepairSession } from '../repairs';
import type { CopyToThisFolder } from '../sessionCopying';
import type { SlicedWork } from '../slicedWork';
import { performSync, type SyncCall } from '../syncing';
import {
  longRead,
  longWrite,
  lookup,
  maintenance,
  ownMaintenance,
  ownWrite,
  read,
  slicedMaintenance,
  slicedRead,
  slicedWrite,
  write,
  type Operations,
  type PromisedOperations,
  type Traits,
  type WorkOptions,
} from './storeMethod';
import type { StoreParts } from './storeParts';
import { inBatches } from './tables/inBatches';
import { storeSizesInSlices } from './queries/storeSizeReading';

type Db = StoreParts;

const turn = (uid: string): string => `turn:${uid}`;

const session = (id: string): string => `session:${id}`;

const message = (uid: string): string => `message:${uid}`;

function ofMessage(stored: NewMessage): readonly string[] {
  return [message(stored.uid), session(stored.sessionId), ...(stored.turnUid === null ? [] : [turn(stored.turnUid)])];
}

const ofSession = { about: (sessionId: string) => [session(sessionId)] };
const ofInput = { about: (input: { readonly sessionId: string }) => [session(input.sessionId)] };
const ofEverything = { about: (): 'everything' => 'everything' };
const readingRows = { ...ofSession, rowsOf: (sessionId: string) => sessionId };
const inBackground = { isBackground: true } as const;
const turnOf = ({ turnUid }: { readonly turnUid: string }) => turnUid;

/** All operations on stored sessions that the rest of the project may use, each with its effect. `SessionDb` implements
 *  them synchronously; through the worker every method returns a promise (`SessionStore`). One call is one transaction:
 *  when it returns (or resolves), its writes survive a power cut. Every method may throw a `StoreError`. An aborted
 *  long call rejects with the signal's reason: a search reads no further, a change is restored first. If it was already
 *  done, or can no longer be stopped, it resolves. `forgetSession` cannot be stopped, because erased rows are gone. */
const storeMethods = {
  // Sessions
  createSession: write((db: Db, input: NewSession) => db.sessions.create(input), {
    about: (input) => [session(input.id)],
    isRetried: true,
  }),
  getSession: lookup((db: Db, sessionId: string) => db.sessions.find(sessionId)),
  /** One entry per conversation, its newest segment; newest activity first (in the trash: trashed last first).
   *  Excludes sub-agents' sessions. A row that cannot be read is an entry that says so (`problem`). */
  listSessions: read((db: Db, query: SessionQuery) => db.list.list(query)),
  /** Resolves an exact id, or the only session whose id begins with the text; null when none or several match. A
   *  session without rows resolves to the one that continues it: its continuation, or its only branch with rows. */
  resolveSessionId: read((db: Db, idOrPrefix: string) => db.finder.resolve(idOrPrefix)),
  /** Titles the whole conversation. An automatic title never replaces one of higher authority (derived < model <
   *  person). An automatic title that another conversation in the same tree of branches has gets a number (" #2").
   *  Returns true when the title was set. Throws `invalid`, with a sentence, for a title without a visible
   *  character, one over 200 characters, and a user's title that is taken in the tree. */
  setTitle: write((db: Db, sessionId: string, title: string, source: TitleSource) =>
    db.titling.set(sessionId, title, source),
  ),
  /** The custom agent that answers, by its name, on all segments of the conversation. Null: the usual agent. */
  setSessionAgent: write((db: Db, sessionId: string, agent: string | null) => db.sessions.setAgent(sessionId, agent)),
  setSessionModel: write((db: Db, sessionId: string, model: string | null) => db.sessions.setModel(sessionId, model)),
  /** Reasoning effort for the session's model, on all segments of its conversation. Null: not chosen there, a
   *  setting decides. A branch starts with null. */
  sessionEffort: lookup((db: Db, sessionId: string) => db.sessions.effort(sessionId)),
  setSessionEffort: write((db: Db, sessionId: string, effort: ReasoningEffort | null) =>
    db.sessions.setEffort(sessionId, effort),
  ),
  /** The first end reason wins. */
  endSession: write((db: Db, sessionId: string, reason: string) => db.sessions.end(sessionId, reason, db.now()), {
    ...ofSession,
    isRetried: true,
  }),
  /** Follows compression children to the newest segment. */
  conversationTip: read((db: Db, sessionId: string) => db.sessions.tip(sessionId)),
  /** Ends a segment and starts the next one of its conversation in one transaction. The child begins with the
   *  handoff, followed by a copy (`carriedFrom`) of every active row after the last one that the handoff covers, so
   *  messages that arrived meanwhile are included. The parent keeps its rows; queued prompts, the draft and the open
   *  turn move to the child. Throws `conversation-busy` while a turn other than `turnUid` is open, and `invalid` for
   *  an ended parent, an empty handoff, or a border inside a group of calls and results. A repeated call returns
   *  what is stored. */
  compressSession: write((db: Db, input: CompressSession) => db.compression.publish(input), {
    about: ({ parentId, childId }) => [session(parentId), session(childId)],
    isRetried: true,
  }),
  // A turn, in the order of its lifecycle
  /** Inserts the user row and the turn row, and removes a queued prompt from the queue, in one transaction. Throws
   *  `conversation-busy` when the conversation has a running or waiting turn, and `invalid` for a compressed
   *  segment: the caller must read the tip first. With `replaces`, hides the rows of that settled turn and of every
   *  turn after it in the segment in the same transaction, as a version that `showVersion` can bring back; throws
   *  `invalid` when its prompt is not shown in the segment. A repeated call returns what is stored. */
  openTurn: longWrite((db: Db, input: OpenTurn) => inBatches(db.turnLifecycle.opening(input), db.transactions), {
    about: (input) => [
      turn(input.turnUid),
      session(input.sessionId),
      ...ofMessage(input.userMessage),
      ...(input.replaces === undefined ? [] : [turn(input.replaces.turnUid)]),
    ],
    turnOf,
  }),
  /** Stores delivered text. The first chunk of a message inserts its row. Chunks of a message arrive in order of
   *  `seq`. A repeated seq is ignored when its text is the same, and refused otherwise. */
  appendChunks: write((db: Db, batch: ChunkBatch) => db.turnLifecycle.append(batch), {
    about: ({ turnUid, sessionId, chunks }) => [
      turn(turnUid),
      session(sessionId),
      ...chunks.map((chunk) => message(chunk.messageUid)),
    ],
    turnOf,
  }),
  /** Upserts whole messages by uid. Chunks of these messages are deleted (their text is in `parts`). A new row goes
   *  after the row in `after`; without it, to the end of its turn if that is settled, else to the end of its
   *  session. Returns the messages as stored. */
  putMessages: write((db: Db, messages: readonly PutMessage[]) => db.turnLifecycle.put(messages), {
    about: (messages) => messages.flatMap(ofMessage),
    turnOf: ([first]) => first?.turnUid ?? null,
  }),
  /** Makes the session's active rows a sequence that every provider accepts (`transcript/sequenceRepair.ts`), all or
   *  nothing. Survivors are rewritten under their uids with a revision of the old content, absorbed and dropped rows
   *  are hidden, open calls answered. Rows of an open turn stay, but its prompt may be absorbed by an earlier one.
   *  Returns an empty result when the sequence is valid. */
  repairTranscript: slicedWrite((db: Db, sessionId: string) => db.long.repairTranscript(sessionId), {
    ...ofSession,
    isRetried: true,
  }),
  /** Moves a queued prompt into its conversation's running turn in one transaction: removes it from the queue and
   *  adds it to the end of the session as a user row of that turn under the prompt's uid. Null when the prompt is no
   *  longer queued. A repeated call returns what is stored. */
  steerTurn: write((db: Db, input: SteerTurn) => db.turnLifecycle.steer(input), {
    about: (input) => [turn(input.turnUid), session(input.sessionId), message(input.queuedUid)],
    turnOf,
  }),
  addUsage: write((db: Db, turnUid: string, usage: Usage) => db.turnLifecycle.addUsage(turnUid, usage), {
    about: (turnUid) => [turn(turnUid)],
    turnOf: (turnUid) => turnUid,
  }),
  /** Closes a turn in one transaction: upserts `messages`, folds every remaining chunk of the turn, marks its
   *  messages final, answers open calls with `interrupted` results, adds the hidden closing row if no assistant row
   *  would end the turn, and settles the turn row. Idempotent: a settled turn is returned unchanged. */
  settleTurn: write((db: Db, input: SettleTurn) => db.turnLifecycle.settle(input), {
    about: ({ turnUid, messages }) => [turn(turnUid), ...messages.flatMap(ofMessage)],
    turnOf,
  }),
  /** Settles turns that a dead process left running (stop reason `crash`). The owner calls it once after opening.
   *  Waiting turns stay, and so do the turns in `except`, which this process still runs. A sub-agent's waiting turn
   *  is settled too if its parent's turn is over: nothing takes its answer. */
  recoverTurns: maintenance((db: Db, except: readonly string[] = []) => {
    db.ranges.settleAll();
    return db.turnLifecycle.recover(db.now(), except);
  }, ofEverything),

  // Reading: one read transaction, chunks folded into the messages they belong to
  /** Active messages in order (shown, closing and handoff ones), as the model receives them. */
  activeMessages: slicedRead((db: Db, sessionId: string) => db.long.activeMessages(sessionId), {
    ...readingRows,
    isRetried: true,
  }),
  getMessage: read((db: Db, uid: string) => db.messages.find(uid)?.message ?? null, {
    about: (uid) => [message(uid)],
  }),
  /** Earlier contents of a message, one for each rewrite, oldest first. */
  revisionsOf: read((db: Db, messageUid: string) => db.messages.revisionsOf(messageUid)),
  getTurn: lookup((db: Db, uid: string) => db.turns.find(uid), { about: (uid) => [turn(uid)] }),
  /** The unsettled turn of the session's conversation, if there is one. */
  openTurnOf: read((db: Db, sessionId: string) => {
    const session = db.sessions.find(sessionId);
    return session === null ? null : db.turns.openOf(session.conversationId);
  }, ofSession),
  readTranscript: read((db: Db, query: TranscriptQuery): TranscriptPage => {
    const page = db.reading.page(query);
    const shown = new Set(page.turns.map(({ uid }) => uid));
    return { ...page, versions: db.versions.of(query.sessionId).filter(({ turnUid }) => shown.has(turnUid)) };
  }, ofInput),
  /** Reads in one call everything that a prompt depends on before its turn is opened. `openTurn` checks again what
   *  may have changed since. `sessionId` null: only what is stored under the prompt's uid. `promptUid` null:
   *  nothing about a prompt. */
  promptContext: slicedRead(
    (db: Db, sessionId: string | null, promptUid: string | null) => db.long.promptContext(sessionId, promptUid),
    {
      about: (sessionId, promptUid) => [
        ...(sessionId === null ? [] : [session(sessionId)]),
        ...(promptUid === null ? [] : [message(promptUid)]),
      ],
      rowsOf: (sessionId) => sessionId,
      isRetried: true,
    },
  ),

  // Queue and drafts
  /** Adds a prompt to the end of the queue, or with `after` to the front, after those of the named prompts that are
   *  still queued. A prompt that is already queued keeps its place, and one that is already part of the transcript
   *  is not queued again. Returns the conversation's queue. */
  enqueue: write((db: Db, prompt: EnqueuePrompt) => db.queuedPrompts.add(prompt)),
  queue: read((db: Db, sessionId: string) => db.queuedPrompts.of(sessionId)),
  queuedPrompt: lookup((db: Db, uid: string) => db.queuedPrompts.find(uid)),
  /** Keeps the prompt's attachments; without any the text must not be empty. */
  editQueued: write((db: Db, uid: string, text: string) => db.queuedPrompts.edit(uid, text)),
  removeQueued: write((db: Db, uid: string) => db.queuedPrompts.remove(uid)),
  /** Moves a prompt to the front. */
  promoteQueued: write((db: Db, uid: string) => db.queuedPrompts.promote(uid)),
  draft: lookup((db: Db, key: string) => db.queuedPrompts.draft(key)),
  draftParts: lookup((db: Db, key: string) => db.queuedPrompts.draftParts(key)),
  /** Without `parts`, previously saved ones stay. An empty text without parts deletes the draft. Key: a session id,
   *  or "new" for the empty state. */
  setDraft: write((db: Db, key: string, text: string, parts?: readonly DraftPart[], around: DraftSurroundings = {}) =>
    db.queuedPrompts.setDraft(key, text, parts, around, db.now()),
  ),

  // Search
  /** Newest first. */
  search: longRead((db: Db, query: SearchQuery) => db.long.search(query), inBackground),

  // Small durable values
  getMeta: lookup((db: Db, key: string) => db.meta.get(key)),
  setMeta: maintenance((db: Db, key: string, value: string) => db.meta.set(key, value)),
  deleteMeta: maintenance((db: Db, key: string) => db.meta.delete(key)),

  // Maintenance
  /** Indexes up to `rows` dirty rows; returns how many are left, counted up to a thousand. */
  indexBatch: maintenance((db: Db, rows: number) => db.index.indexBatch(rows)),
  checkpoint: ownMaintenance((db: Db) => db.transactions.checkpoint()),
  /** Runs SQLite's and the index's own integrity checks, and the rules over all sessions. Empty means that nothing was
   *  found; of one kind only the first findings are returned. */
  verifyIntegrity: slicedRead((db: Db) => db.long.verifyIntegrity(), inBackground),
  /** Runs the rules over the rows of a session's conversation. */
  checkSession: slicedRead((db: Db, sessionId: string) => db.long.checkSession(sessionId), inBackground),
  statistics: read((db: Db) => db.statistics()),
  /** Bytes of the store, by session and by what takes them. */
  storeSizes: slicedRead((db: Db) => storeSizesInSlices(db.database, db.transactions), inBackground),
  /** A call of the exchange with a server. See `SyncedStore`; `promisedSync` offers it by method. */
  sync: ownMaintenance((db: Db, call: SyncCall) => performSync(db.synced, call)),

  // Conversations. User actions on a whole conversation. One call is one transaction and, unless stated otherwise,
  // affects all segments of the conversation.
  /** Finds a session by the user's text: an id, the beginning of an id, or a title in any case, in this order.
   *  Excludes the trash. Returns newest segments. */
  findSession: read((db: Db, text: string) => db.finder.find(text)),
  /** Copies the active rows of a segment, from its beginning to `upTo`, into a new conversation; the original is not
   *  changed. An answer is copied with the rest of its group, so that no call is separated from its result. A prompt
   *  is not copied but returned as `draft`. A turn that is cut in the middle ends in the copy as stopped by the
   *  user. Rows of an open turn are left out. `upTo` null: everything of the conversation's newest segment. Throws
   *  `conversation-busy` when `upTo` belongs to an open turn, `invalid` when nothing could be copied or `upTo` is
   *  not shown. A repeated call returns what is stored. */
  branchSession: longWrite((db: Db, input: BranchSession) => db.long.branchSession(input), {
    about: ({ sessionId, childId }) => [session(sessionId), session(childId)],
    rowsOf: ({ sessionId }) => sessionId,
    isRetried: true,
  }),
  /** Hides a prompt and everything after it as rewound. Throws `conversation-busy` while a turn is open, and
   *  `invalid` for anything but the prompt of a turn shown in the newest segment. */
  rewindSession: longWrite(
    (db: Db, input: RewindSession) => inBatches(db.rewinding.rewinding(input), db.transactions),
    ofInput,
  ),
  /** The tree of branches that contains the session: one entry per conversation, a parent before its branches, the
   *  root first. Excludes sub-agents' sessions and the trash, except for entries that other entries descend from;
   *  `withTrash` includes the trash. */
  branchesOf: read((db: Db, sessionId: string, withTrash: boolean = false) => db.tree.of(sessionId, withTrash)),

  // User actions on a conversation: all its segments at once
  setPinned: write((db: Db, sessionId: string, on: boolean) => db.marks.pin(sessionId, on)),
  setArchived: write((db: Db, sessionId: string, on: boolean) => db.marks.archive(sessionId, on)),
  /** Throws `conversation-busy` while a turn is running or waiting. */
  trashSession: write((db: Db, sessionId: string, now: number) => db.marks.trash(sessionId, now), ofSession),
  restoreSession: write((db: Db, sessionId: string) => db.marks.restore(sessionId)),
  /** Deletes the conversations that were trashed before `before` (seconds since the epoch), each as `forgetSession`
   *  does. Pinned and still answering conversations stay. */
  pruneTrash: slicedMaintenance((db: Db, before: number) => db.long.pruneTrash(before)),
  /** Erases a conversation: rows, turns, revisions, queue, drafts, outbox, index, and its bytes in the file and the
   *  log. Sub-agents' sessions are erased with it; branches stay and become roots. Rewrites the whole file, which
   *  may take seconds. Throws `conversation-busy` while a turn is running or waiting. If the rows are deleted but
   *  the rewrite fails, the next call or opening completes it. */
  forgetSession: longWrite((db: Db, sessionId: string) => db.long.forgetSession(sessionId), ofSession),
  /** Records that the user has seen the conversation as of `now`: turns that settled before are no longer unread. */
  setSeen: maintenance((db: Db, sessionId: string, now: number) => db.marks.see(sessionId, now)),

  // Versions of a prompt (Retry, Edit & Resend)
  /** The prompts shown in the newest segment that have other versions. */
  promptVersions: read((db: Db, sessionId: string) => db.versions.of(sessionId), ofSession),
  /** Replaces the shown version of a prompt, and everything after it, with another version. Versions inside keep
   *  their choice. Rows that were rewound, merged or dropped stay hidden. Returns the uid of every row that was
   *  hidden or shown. Throws `conversation-busy` while a turn is open, and `invalid` for a turn that is not a
   *  version of a shown prompt. */
  showVersion: longWrite(
    (db: Db, input: ShowVersion) => inBatches(db.versions.showing(input), db.transactions),
    ofInput,
  ),

  // Cost. Cost of sessions, from the usage that is stored with their turns. A turn counts once: in a branch, the
  // turns copied from its origin do not count.
  /** All segments of the conversation, and the sub-agents that worked for it. */
  sessionSpending: read((db: Db, sessionId: string) => db.spending.of(sessionId)),
  /** Turns of all sessions that settled at `since` (seconds since the epoch) or later, and those that are open. */
  spendingSince: read((db: Db, since: number) => db.spending.since(since)),
  /** Stores that the conversation may cost up to `usd` before the user is asked again. */
  allowSpending: write((db: Db, sessionId: string, usd: number) => db.spending.allow(sessionId, usd)),

  // Sessions of another folder. Imports sessions of another folder's store into this one.
  /** Imports rows of another store, by id and uid, in one transaction. Rows that exist here stay, so a repeated call
   *  changes nothing. The other store is only read. A turn that was running there is settled as a crash. Throws
   *  `not-found` when there is no store. */
  copyToThisFolder: ownWrite((db: Db, input: CopyToThisFolder) => db.copyToThisFolder(input), {
    about: ({ sessionIds }) => sessionIds.map(session),
  }),

  // Import. Import of sessions that another program wrote. All uids of an imported session begin with its id, so a
  // repeated import makes the same rows.
  /** State of these imported sessions, in order. */
  importStates: read((db: Db, sessionIds: readonly string[]) => db.foreignImport.states(sessionIds)),
  /** Begins a session, hidden until `finishImport`. Rows of an earlier attempt are removed first. Throws `invalid` for
   *  a session that is stored. */
  beginImport: slicedWrite((db: Db, input: BeginImport) => db.long.beginImport(input), ofInput),
  /** Imports a session that fits into one transaction, in one call. Its lineage must not be a compression. */
  importWhole: slicedWrite((db: Db, input: ImportWhole) => db.long.importWhole(input), {
    about: ({ batch }) => [session(batch.sessionId)],
  }),
  /** Adds rows of a session that was begun: one transaction. The caller sizes it to about 20 ms. */
  addImported: write((db: Db, batch: ImportBatch) => db.foreignImport.add(batch), ofInput),
  /** Makes the session visible: one transaction. */
  finishImport: ownWrite((db: Db, input: FinishImport) => db.long.finishImport(input), ofInput),
  /** Gives up a session that was begun. Its rows are removed in idle moments, or at the next opening. */
  discardImport: ownWrite((db: Db, sessionId: string) => db.long.endImport(sessionId), ofSession),
  /** Adds what a stored session's source holds by now: replaces its rows from a position on, in one transaction.
   *  Returns false, and changes nothing, if the session is no longer in the state `since`, or was changed here. */
  extendImport: write((db: Db, input: ExtendImport) => db.foreignImport.extend(input), ofInput),

  // Outbox. Events for memory providers, kept until they are delivered.
  /** A repeated uid changes nothing. */
  outboxAdd: write((db: Db, entry: NewOutboxEntry) => db.outbox.add(entry)),
  /** Due entries, in the order in which they were added. An entry waits for the earlier ones of its session and
   *  provider: while one of them is deferred, the later ones are not due either. */
  outboxDue: lookup((db: Db, provider: string, now: number, limit: number) => db.outbox.due(provider, now, limit)),
  /** Removes a delivered entry. A repeated call changes nothing. */
  outboxDone: maintenance((db: Db, uid: string) => db.outbox.done(uid)),
  /** Counts a failed attempt and sets the time of the next one. Does nothing when the entry no longer exists. */
  outboxFailed: maintenance((db: Db, uid: string, error: string, nextAttemptAt: number) =>
    db.outbox.failed(uid, error, nextAttemptAt),
  ),
  /** One item per provider that has entries. */
  outboxCounts: lookup((db: Db) => db.outbox.counts()),

  // What was sent. The exact text that was sent for a prompt, if it differs from what the user wrote: with a note
  // before it, or recalled memory after it. Kept so that every later request repeats it byte for byte and provider
  // caches stay valid. It is never shown, searched or exported, and is deleted when the content of its row changes.
  /** With `recalled`, the turn's row also keeps the recalled memory for the prompt, to show to the user. Throws
   *  `invalid` for anything but a stored prompt. */
  setApiContent: write((db: Db, messageUid: string, text: string, recalled?: RecalledFor) => {
    db.wireTexts.set(messageUid, text);
    if (recalled !== undefined) db.turns.setRecalled(recalled.turnUid, recalled.found);
  }),
  /** Wire texts of the session's active rows that have one. */
  apiContents: slicedRead((db: Db, sessionId: string) => db.long.apiContents(sessionId), readingRows),

  // Files. File contents before and after the agent's changes, so that a turn can be reverted without version
  // control. Contents are stored once by hash, compressed, and deleted with the last change that names them.
  /** Stores changes that are about to be made, with the contents. A change with a known uid stays as it is. */
  recordFileChanges: write((db: Db, changes: readonly FileChange[], contents: readonly FileContent[]) =>
    db.files.record(changes, contents),
  ),
  /** Stores the state after the call. Deletes a change that left the file as it was. */
  completeFileChanges: write(
    (
      db,
      results: readonly { readonly uid: string; readonly after: ContentHash }[],
      contents: readonly FileContent[],
    ): void => db.files.complete(results, contents),
  ),
  /** All changes of these turns, in the order they were made. */
  fileChangesOf: lookup((db: Db, turnUids: readonly string[]) => db.files.of(turnUids)),
  /** All changes of this turn, of the turns that began after it in its conversation (shown or not), and of
   *  sub-agents that worked meanwhile, in the order they were made. */
  fileChangesFrom: lookup((db: Db, turnUid: string) => db.files.from(turnUid)),
  /** All changes of these files since then, by whichever session, with reverts and keeps, in the order they were
   *  made. */
  fileChangesAt: lookup((db: Db, paths: readonly string[], since: number) => db.files.at(paths, since)),
  /** Files that were changed since then. */
  changedPaths: lookup((db: Db, since: number) => db.files.pathsSince(since)),
  /** Null when the content was too large to be kept, or is damaged. */
  fileContent: lookup((db: Db, hash: string) => db.files.content(hash)),
  markReviewed: write((db: Db, uids: readonly string[], kind: 'reverted' | 'kept' | null, at: number) =>
    db.files.review(uids, kind, at),
  ),

  // Approvals. Approval requests, the user's decisions, and how freely a session's agent may act.
  /** Stores the request and sets its turn to `waiting`. Throws `invalid` for a turn that is settled or waits for
   *  another approval. A repeated call returns the stored row. */
  requestApproval: write((db: Db, input: NewApproval) => db.approvals.request(input), { turnOf }),
  /** Stores the decision and sets its turn to `running`. Null: nobody waits for one any more, and the request expires.
   *  The first decision wins: a later one, or one for a turn that ended, changes nothing and returns the stored row. A
   *  mode in the decision becomes that of the session `modeOf` in the same transaction; default: the session that asks.
   *  Throws `not-found` for an unknown id. */
  decideApproval: write(
    (db: Db, id: string, decision: ApprovalDecision | null, at: number, modeOf?: string) =>
      db.approvals.decide(id, decision, at, modeOf),
    { isRetried: true },
  ),
  /** Null for an unknown id. */
  approval: lookup((db: Db, id: string) => db.approvals.find(id)),
  /** All approvals of a turn, oldest first. */
  approvalsOf: read((db: Db, turnUid: string) => db.approvals.ofTurn(turnUid)),
  /** The approval that the session's conversation waits for; null when there is none. */
  pendingApproval: read((db: Db, sessionId: string) => db.approvals.pending(sessionId)),
  /** Rules that the user allowed for the session's conversation, in the order of the decisions. A sub-agent's
   *  session and its parent session share theirs. */
  sessionRules: read((db: Db, sessionId: string) => db.approvals.rules(sessionId)),
  /** Null: the setting decides. Applies to the whole conversation; a branch starts without one. */
  sessionMode: lookup((db: Db, sessionId: string) => db.approvals.mode(sessionId)),
  setSessionMode: write((db: Db, sessionId: string, mode: Mode | null) => db.approvals.setMode(sessionId, mode)),

  // Repairs. Repairs of stored sessions that a check found broken, with preview and undo.
  /** Returns the changes that `repairSession` would make. Stores nothing. */
  previewRepair: lookup(
    (db: Db, input: RepairSession) => db.repair.preview(input, (work) => db.transactions.write(work)),
    ofEverything,
  ),
  /** Applies the steps in their order, all or nothing. A step whose damage is gone changes nothing. Returns the
   *  changed rows. A repeated call with the same `repairId` returns what is stored. */
  repairSession: write((db: Db, input: RepairSession) => db.repair.apply(input), ofEverything),
  /** Restores the rows as they were before a repair. Throws `invalid`, with a sentence, when one of them changed
   *  since, or the repair is unknown. */
  undoRepair: write((db: Db, sessionId: string, repairId: string) => db.repair.undo(sessionId, repairId), ofEverything),
  /** Repairs of the session that were not undone, newest first. */
  repairsOf: read((db: Db, sessionId: string) => db.repair.of(sessionId)),

  // Stored rows. Stored rows for the transcript tab: includes hidden ones, from any segment. Callers read a whole
  // session in slices, so that a turn's writes never wait.
  /** Short forms of the session's rows after `after`, in order; fewer than `limit` at the end. Excludes a row that
   *  repeats one of an earlier segment. */
  transcriptOutline: read((db: Db, query: TranscriptSlice) => db.stored.outline(query), ofInput),
  /** Those of the next `limit` rows after `after` that contain the text, searched in `storedText`. */
  findInTranscript: read((db: Db, query: TranscriptSlice & StoredTextQuery) => db.stored.find(query), ofInput),
  /** The stored rows among these, in order, with all data that belongs to them. */
  transcriptRows: read((db: Db, uids: readonly string[]) => db.stored.named(uids)),
  /** The row column by column, as any other SQLite reads it, with its unfolded chunks. Of `api_content` only the
   *  length: it is never shown. Null when the row is not stored. */
  storedRow: read((db: Db, uid: string) => db.stored.row(uid)),
  /** Sessions of sub-agents that worked for these conversations, and of sub-agents that worked for those, oldest
   *  first. */
  subAgentsOf: read((db: Db, conversationIds: readonly string[]) => db.tree.subAgentsOf(conversationIds)),
};

export type SessionOperations = Operations<typeof storeMethods>;

/** The store for every floor above. */
export interface SessionStore extends PromisedOperations<typeof storeMethods> {
  /** Checkpoints, closes and releases ownership. Safe to call twice. */
  close(): Promise<void>;
}

type Untyped = (parts: StoreParts, ...args: readonly unknown[]) => unknown;

/** The methods over the parts of an open store. */
export function operationsOver(parts: StoreParts): SessionOperations {
  return over(parts, (method) => method.run as Untyped) as SessionOperations;
}

/** Those of them that have slices. */
export function slicesOver(parts: StoreParts): SlicedMethods {
  return over(parts, (method) => ('inSlices' in method ? (method.inSlices as Untyped) : null)) as SlicedMethods;
}

function over(parts: StoreParts, work: (method: (typeof storeMethods)[MethodName]) => Untyped | null): object {
  return Object.fromEntries(
    Object.entries(storeMethods).flatMap(([name, method]) => {
      const run = work(method);
      return run === null ? [] : [[name, (...args: readonly unknown[]) => run(parts, ...args)]];
    }),
  );
}

export type MethodName = keyof SessionOperations;
export type MethodArguments = { readonly [M in MethodName]: Parameters<SessionOperations[M]> };
export type MethodResults = { readonly [M in MethodName]: ReturnType<SessionOperations[M]> };
type MethodTable = { readonly [M in MethodName]: (...args: MethodArguments[M]) => MethodResults[M] };

/** True for a method that stores nothing. */
export function isRead(method: MethodName): boolean {
  return storeMethods[method].effect.endsWith('read');
}

/** True for a method that stores something that the user said or decided. */
export function isUserWrite(method: MethodName): boolean {
  return storeMethods[method].effect.endsWith('write');
}

/** One call of a store method as data. */
export type StoreRequest = {
  readonly [M in MethodName]: { readonly method: M; readonly args: MethodArguments[M] };
}[MethodName];

/** Runs one method by name, with its arguments as received over a message port. */
export function perform<M extends MethodName>(
  operations: SessionOperations,
  method: M,
  args: MethodArguments[M],
): MethodResults[M] {
  const table: MethodTable = operations;
  return table[method](...args);
}

/** The methods that can also run in slices. */
export type SlicedMethods = {
  readonly [M in MethodName as (typeof storeMethods)[M] extends { readonly inSlices: unknown } ? M : never]: (
    ...args: MethodArguments[M]
  ) => SlicedWork<MethodResults[M]>;
};

/** Runs one method in slices; null for a method that has no slices. */
export function performInSlices<M extends MethodName>(
  slices: Partial<SlicedMethods>,
  method: M,
  args: MethodArguments[M],
): SlicedWork<MethodResults[M]> | null {
  const table: { readonly [N in MethodName]?: (...args: MethodArguments[N]) => SlicedWork<MethodResults[N]> } = slices;
  return table[method]?.(...args) ?? null;
}

/** How a method is run among the others. */
export function traitsOf(method: MethodName): Traits<readonly unknown[]> {
  return storeMethods[method] as Traits<readonly unknown[]>;
}

export type CallMethod = <M extends MethodName>(
  method: M,
  args: MethodArguments[M],
  options?: CallOptions,
) => Promise<MethodResults[M]>;

/** The store's methods as promises, over one function that carries a call. */
export function promisedOperations(call: CallMethod): Omit<SessionStore, 'close'> {
  const methods = Object.keys(storeMethods) as readonly MethodName[];
  const forwards = methods.map((method) => [
    method,
    storeMethods[method].effect.startsWith('long')
      ? (input: never, ...[signal, onProgress]: WorkOptions) =>
          // An aborted read has nothing to wait for. For a change, the response shows if it was made before it could be
          // stopped.
          call(method, [input], { signal, onProgress, leavesAtOnce: isRead(method) })
      : (...args: MethodArguments[MethodName]) => call(method, args),
  ]);
  return Object.fromEntries(forwards) as Omit<SessionStore, 'close'>;
}
