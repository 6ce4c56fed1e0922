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
