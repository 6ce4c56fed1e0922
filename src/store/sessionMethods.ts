import type { SessionOperations, SessionStore } from './sessionStore';
import type { SlicedOperations } from './session/slicedOperations';
import type { SlicedWork, WorkProgress } from './slicedWork';

export type MethodName = keyof SessionOperations;
export type MethodArguments = { readonly [M in MethodName]: Parameters<SessionOperations[M]> };
export type MethodResults = { readonly [M in MethodName]: ReturnType<SessionOperations[M]> };
type MethodTable = { readonly [M in MethodName]: (...args: MethodArguments[M]) => MethodResults[M] };

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

/** Runs one method in slices; null for a method that has no slices. */
export function performInSlices<M extends MethodName>(
  slices: Partial<SlicedOperations>,
  method: M,
  args: MethodArguments[M],
): SlicedWork<MethodResults[M]> | null {
  const table: { readonly [N in MethodName]?: (...args: MethodArguments[N]) => SlicedWork<MethodResults[N]> } = slices;
  return table[method]?.(...args) ?? null;
}

export type CallMethod = <M extends MethodName>(
  method: M,
  args: MethodArguments[M],
  signal?: AbortSignal,
  /** Receives the progress of long work. */
  onProgress?: (progress: WorkProgress) => void,
) => Promise<MethodResults[M]>;

/** The store's methods as promises, over one function that carries a call. Written out so that a method added to
 *  `SessionOperations` is a compile error here until it is carried too. */
export function promisedOperations(call: CallMethod): Omit<SessionStore, 'close'> {
  return {
    createSession: (...args) => call('createSession', args),
    getSession: (...args) => call('getSession', args),
    listSessions: (...args) => call('listSessions', args),
    resolveSessionId: (...args) => call('resolveSessionId', args),
    setTitle: (...args) => call('setTitle', args),
    setSessionModel: (...args) => call('setSessionModel', args),
    sessionEffort: (...args) => call('sessionEffort', args),
    setSessionEffort: (...args) => call('setSessionEffort', args),
    sessionSpending: (...args) => call('sessionSpending', args),
    spendingSince: (...args) => call('spendingSince', args),
    allowSpending: (...args) => call('allowSpending', args),
    endSession: (...args) => call('endSession', args),
    conversationTip: (...args) => call('conversationTip', args),
    compressSession: (...args) => call('compressSession', args),
    findSession: (...args) => call('findSession', args),
    branchSession: (input, signal, onProgress) => call('branchSession', [input], signal, onProgress),
    rewindSession: (input, signal, onProgress) => call('rewindSession', [input], signal, onProgress),
    branchesOf: (...args) => call('branchesOf', args),
    setPinned: (...args) => call('setPinned', args),
    setArchived: (...args) => call('setArchived', args),
    trashSession: (...args) => call('trashSession', args),
    restoreSession: (...args) => call('restoreSession', args),
    pruneTrash: (...args) => call('pruneTrash', args),
    forgetSession: (sessionId, signal, onProgress) => call('forgetSession', [sessionId], signal, onProgress),
    setSeen: (...args) => call('setSeen', args),
    bringOver: (...args) => call('bringOver', args),
    promptVersions: (...args) => call('promptVersions', args),
    showVersion: (input, signal, onProgress) => call('showVersion', [input], signal, onProgress),
    openTurn: (input, signal, onProgress) => call('openTurn', [input], signal, onProgress),
    appendChunks: (...args) => call('appendChunks', args),
    putMessages: (...args) => call('putMessages', args),
    repairTranscript: (...args) => call('repairTranscript', args),
    steerTurn: (...args) => call('steerTurn', args),
    addUsage: (...args) => call('addUsage', args),
    settleTurn: (...args) => call('settleTurn', args),
    recoverTurns: (...args) => call('recoverTurns', args),
    requestApproval: (...args) => call('requestApproval', args),
    decideApproval: (...args) => call('decideApproval', args),
    approval: (...args) => call('approval', args),
    approvalsOf: (...args) => call('approvalsOf', args),
    pendingApproval: (...args) => call('pendingApproval', args),
    sessionRules: (...args) => call('sessionRules', args),
    sessionMode: (...args) => call('sessionMode', args),
    setSessionMode: (...args) => call('setSessionMode', args),
    foldSpill: (...args) => call('foldSpill', args),
    setApiContent: (...args) => call('setApiContent', args),
    apiContents: (...args) => call('apiContents', args),
    activeMessages: (...args) => call('activeMessages', args),
    revisionsOf: (...args) => call('revisionsOf', args),
    getMessage: (...args) => call('getMessage', args),
    getTurn: (...args) => call('getTurn', args),
    openTurnOf: (...args) => call('openTurnOf', args),
    readTranscript: (...args) => call('readTranscript', args),
    promptContext: (...args) => call('promptContext', args),
    transcriptOutline: (...args) => call('transcriptOutline', args),
    findInTranscript: (...args) => call('findInTranscript', args),
    transcriptRows: (...args) => call('transcriptRows', args),
    storedRow: (...args) => call('storedRow', args),
    subAgentsOf: (...args) => call('subAgentsOf', args),
    enqueue: (...args) => call('enqueue', args),
    queue: (...args) => call('queue', args),
    queuedPrompt: (...args) => call('queuedPrompt', args),
    editQueued: (...args) => call('editQueued', args),
    removeQueued: (...args) => call('removeQueued', args),
    promoteQueued: (...args) => call('promoteQueued', args),
    draft: (...args) => call('draft', args),
    draftParts: (...args) => call('draftParts', args),
    setDraft: (...args) => call('setDraft', args),
    search: (query, signal, onProgress) => call('search', [query], signal, onProgress),
    getMeta: (...args) => call('getMeta', args),
    setMeta: (...args) => call('setMeta', args),
    deleteMeta: (...args) => call('deleteMeta', args),
    recordFileChanges: (...args) => call('recordFileChanges', args),
    completeFileChanges: (...args) => call('completeFileChanges', args),
    fileChangesOf: (...args) => call('fileChangesOf', args),
    fileChangesFrom: (...args) => call('fileChangesFrom', args),
    fileContent: (...args) => call('fileContent', args),
    markReviewed: (...args) => call('markReviewed', args),
    outboxAdd: (...args) => call('outboxAdd', args),
    outboxDue: (...args) => call('outboxDue', args),
    outboxDone: (...args) => call('outboxDone', args),
    outboxFailed: (...args) => call('outboxFailed', args),
    outboxCounts: (...args) => call('outboxCounts', args),
    indexBatch: (...args) => call('indexBatch', args),
    checkpoint: (...args) => call('checkpoint', args),
    verifyIntegrity: (...args) => call('verifyIntegrity', args),
    statistics: (...args) => call('statistics', args),
  };
}
