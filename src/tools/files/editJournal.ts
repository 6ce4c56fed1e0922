import type { ToolCallContext } from '../tool';

/** Bytes of a file; null when there is no file. */
export interface FileState {
  readonly path: string;
  readonly bytes: Uint8Array | null;
}

/** The call that changes files, and the turn that it belongs to. */
export type EditingCall = Pick<ToolCallContext, 'callId' | 'sessionId' | 'turnUid'>;

/** Stores file contents before the agent changes them, so that a turn can be reverted. Every tool that changes files
 *  calls it. */
export interface EditJournal {
  /** Durable when it resolves; change the files only then. Call `end` of the result afterwards. */
  begin(call: EditingCall, before: readonly FileState[]): Promise<OpenedEdit>;
}

export interface OpenedEdit {
  /** Records the present contents. A file with unchanged content is no change. */
  end(after: readonly FileState[]): Promise<void>;
}
