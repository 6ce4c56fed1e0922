import { read, write } from './storeMethod';

/** Content of a file: its bytes' SHA-256 in hex, or null when there was no file. */
export type ContentHash = string | null;

/** One file that one tool call changed. */
export interface FileChange {
  /** Set by the caller, so that a repeated write stores only one. */
  readonly uid: string;
  readonly sessionId: string;
  readonly turnUid: string;
  readonly callId: string;
  /** Absolute path. */
  readonly path: string;
  readonly before: ContentHash;
  /** Undefined when the call was cut off before its result was known. */
  readonly after: ContentHash | undefined;
  /** Seconds since the epoch. */
  readonly changedAt: number;
  /** Null, or the time at which the user reverted or kept the change. */
  readonly reviewed: { readonly kind: 'reverted' | 'kept'; readonly at: number } | null;
}

export interface FileContent {
  readonly hash: string;
  readonly bytes: Uint8Array;
}

/** File contents before and after the agent's changes, so that a turn can be reverted without version control. Part
 *  of `SessionOperations`; one call is one transaction. Contents are stored once by hash, compressed, and deleted
 *  with the last change that names them. */
export const fileChangeMethods = {
  /** Stores changes that are about to be made, with the contents. A change with a known uid stays as it is. */
  recordFileChanges: write<(changes: readonly FileChange[], contents: readonly FileContent[]) => void>(),
  /** Stores the state after the call. Deletes a change that left the file as it was. */
  completeFileChanges:
    write<
      (
        results: readonly { readonly uid: string; readonly after: ContentHash }[],
        contents: readonly FileContent[],
      ) => void
    >(),
  /** All changes of these turns, in the order they were made. */
  fileChangesOf: read<(turnUids: readonly string[]) => readonly FileChange[]>(),
  /** All changes of this turn, of the turns that began after it in its conversation (shown or not), and of
   *  sub-agents that worked meanwhile, in the order they were made. */
  fileChangesFrom: read<(turnUid: string) => readonly FileChange[]>(),
  /** All changes of these files since then, by whichever session, with reverts and keeps, in the order they were
   *  made. */
  fileChangesAt: read<(paths: readonly string[], since: number) => readonly FileChange[]>(),
  /** Files that were changed since then. */
  changedPaths: read<(since: number) => readonly string[]>(),
  /** Null when the content was too large to be kept, or is damaged. */
  fileContent: read<(hash: string) => Uint8Array | null>(),
  markReviewed: write<(uids: readonly string[], kind: 'reverted' | 'kept' | null, at: number) => void>(),
};
