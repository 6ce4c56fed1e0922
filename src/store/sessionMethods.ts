import type { SessionOperations, SessionStore, WorkOptions } from './sessionStore';
import type { SlicedWork, WorkProgress } from './slicedWork';

export type MethodName = keyof SessionOperations;
export type MethodArguments = { readonly [M in MethodName]: Parameters<SessionOperations[M]> };
export type MethodResults = { readonly [M in MethodName]: ReturnType<SessionOperations[M]> };
type MethodTable = { readonly [M in MethodName]: (...args: MethodArguments[M]) => MethodResults[M] };

/** Methods that `SessionStore` gives a signal and a progress callback after their one argument. */
type LongMethod = {
  [M in MethodName]: Parameters<SessionStore[M]> extends MethodArguments[M] ? never : M;
}[MethodName];

/** read: stores nothing · write: stores something that the user said or decided · maintenance: stores something that a
 *  window decides alone. */
type Effect = 'read' | 'write' | 'maintenance';

/** The store's methods by name, with their effect; `long` marks those that take a signal. */
const effects = {
  createSession: 'write',
  getSession: 'read',
  listSessions: 'read',
  resolveSessionId: 'read',
  setTitle: 'write',
  setSessionModel: 'write',
  sessionEffort: 'read',
  setSessionEffort: 'write',
  sessionSpending: 'read',
  spendingSince: 'read',
  allowSpending: 'write',
  endSession: 'write',
  conversationTip: 'read',
  compressSession: 'write',
  findSession: 'read',
  branchSession: 'long write',
  rewindSession: 'long write',
  branchesOf: 'read',
  setPinned: 'write',
  setArchived: 'write',
  trashSession: 'write',
  restoreSession: 'write',
  pruneTrash: 'maintenance',
  forgetSession: 'long write',
  setSeen: 'maintenance',
  copyToThisFolder: 'write',
  importStates: 'read',
  beginImport: 'write',
  importWhole: 'write',
  addImported: 'write',
  finishImport: 'write',
  discardImport: 'write',
  extendImport: 'write',
  promptVersions: 'read',
  showVersion: 'long write',
  openTurn: 'long write',
  appendChunks: 'write',
  putMessages: 'write',
  repairTranscript: 'write',
  previewRepair: 'read',
  repairSession: 'write',
  undoRepair: 'write',
  repairsOf: 'read',
  steerTurn: 'write',
  addUsage: 'write',
  settleTurn: 'write',
  recoverTurns: 'maintenance',
  requestApproval: 'write',
  decideApproval: 'write',
  approval: 'read',
  approvalsOf: 'read',
  pendingApproval: 'read',
  sessionRules: 'read',
  sessionMode: 'read',
  setSessionMode: 'write',
  setApiContent: 'write',
  apiContents: 'read',
  activeMessages: 'read',
  revisionsOf: 'read',
  getMessage: 'read',
  getTurn: 'read',
  openTurnOf: 'read',
  readTranscript: 'read',
  promptContext: 'read',
  transcriptOutline: 'read',
  findInTranscript: 'read',
  transcriptRows: 'read',
  storedRow: 'read',
  subAgentsOf: 'read',
  enqueue: 'write',
  queue: 'read',
  queuedPrompt: 'read',
  editQueued: 'write',
  removeQueued: 'write',
  promoteQueued: 'write',
  draft: 'read',
  draftParts: 'read',
  setDraft: 'write',
  search: 'long read',
  getMeta: 'read',
  setMeta: 'maintenance',
  deleteMeta: 'maintenance',
  recordFileChanges: 'write',
  completeFileChanges: 'write',
  fileChangesOf: 'read',
  fileChangesFrom: 'read',
  fileChangesAt: 'read',
  changedPaths: 'read',
  fileContent: 'read',
  markReviewed: 'write',
  outboxAdd: 'write',
  outboxDue: 'read',
  outboxDone: 'maintenance',
  outboxFailed: 'maintenance',
  outboxCounts: 'read',
  indexBatch: 'maintenance',
  checkpoint: 'maintenance',
  verifyIntegrity: 'read',
  checkSession: 'read',
  statistics: 'read',
  storeSizes: 'read',
  sync: 'maintenance',
} as const satisfies { readonly [M in MethodName]: M extends LongMethod ? `long ${Effect}` : Effect };

/** True for a method that stores nothing. */
export function isRead(method: MethodName): boolean {
  return effects[method].endsWith('read');
}

/** True for a method that stores something that the user said or decided. */
export function isUserWrite(method: MethodName): boolean {
  return effects[method].endsWith('write');
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

/** Methods that can also run in slices. */
export type SlicedMethods = {
  readonly [M in MethodName]?: (...args: MethodArguments[M]) => SlicedWork<MethodResults[M]>;
};

/** Runs one method in slices; null for a method that has no slices. */
export function performInSlices<M extends MethodName>(
  slices: SlicedMethods,
  method: M,
  args: MethodArguments[M],
): SlicedWork<MethodResults[M]> | null {
  return slices[method]?.(...args) ?? null;
}

export type CallMethod = <M extends MethodName>(
  method: M,
  args: MethodArguments[M],
  signal?: AbortSignal,
  /** Receives the progress of long work. */
  onProgress?: (progress: WorkProgress) => void,
) => Promise<MethodResults[M]>;

/** The store's methods as promises, over one function that carries a call. */
export function promisedOperations(call: CallMethod): Omit<SessionStore, 'close'> {
  const methods = Object.keys(effects) as readonly MethodName[];
  const forwards = methods.map((method) => [
    method,
    effects[method].startsWith('long')
      ? (input: never, ...options: WorkOptions) => call(method, [input], ...options)
      : (...args: MethodArguments[MethodName]) => call(method, args),
  ]);
  return Object.fromEntries(forwards) as Omit<SessionStore, 'close'>;
}
