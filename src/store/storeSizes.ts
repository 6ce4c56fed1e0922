/** Bytes that one session takes. */
export interface SessionSize {
  readonly sessionId: string;
  readonly title: string | null;
  /** Sub-agents' sessions are counted separately. */
  readonly messages: number;
  /** Rows, with what the session's messages were before they were rewritten, and without images. */
  readonly textBytes: number;
  readonly imageBytes: number;
}

/** Bytes of the store, by what takes them. The parts count content only, so their sum is less than `fileBytes`: the
 *  rest is indexes and unused room within pages. */
export interface StoreSizes {
  /** The largest first. */
  readonly sessions: readonly SessionSize[];
  /** Contents of files before and after an agent's changes, each once, as stored. */
  readonly fileContentBytes: number;
  readonly searchIndexBytes: number;
  /** Pages that hold nothing now and are used again. */
  readonly freeBytes: number;
  readonly fileBytes: number;
}
