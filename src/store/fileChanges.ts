/** What a file held: its bytes' SHA-256 in hex, or null where there was no file. */
export type ContentHash = string | null;

/** One file that one tool call changed. */
export interface FileChange {
  /** Given by the caller, so that a repeated write stores one. */
  readonly uid: string;
  readonly sessionId: string;
  readonly turnUid: string;
  readonly callId: string;
  /** Absolute. */
  readonly path: string;
  readonly before: ContentHash;
  /** undefined: the call was cut off before it was known what it left behind. */
  readonly after: ContentHash | undefined;
  /** Seconds since the epoch. */
  readonly changedAt: number;
  /** Null, or when the person reverted or kept the change. */
  readonly reviewed: { readonly kind: 'reverted' | 'kept'; readonly at: number } | null;
}

export interface FileContent {
  readonly hash: string;
  readonly bytes: Uint8Array;
}

/** What files held around the agent's changes, so that a turn can be reverted without anyone's version control. Part of `SessionOperations`;
 *  one call is one transaction. Contents are stored once by hash, compressed, and go when the last change that names them is forgotten. */
export interface FileChangeOperations {
  /** Stores what is about to be changed, with the contents. A change with a known uid stays as it is. */
  recordFileChanges(changes: readonly FileChange[], contents: readonly FileContent[]): void;
  /** What the call left behind. A change that left the file as it was goes. */
  completeFileChanges(
    results: readonly { readonly uid: string; readonly after: ContentHash }[],
    contents: readonly FileContent[],
  ): void;
  /** All of these turns, in the order they were made. */
  fileChangesOf(turnUids: readonly string[]): readonly FileChange[];
  /** All of this turn, of the turns that began after it in its conversation, shown or not, and of sub-agents that worked meanwhile, in the order
   *  they were made. */
  fileChangesFrom(turnUid: string): readonly FileChange[];
  /** Null: it was too large to be kept, or is damaged. */
  fileContent(hash: string): Uint8Array | null;
  markReviewed(uids: readonly string[], kind: 'reverted' | 'kept' | null, at: number): void;
}
