import type { ToolCallContext } from '../tool';

/** A file's bytes; null where there is no file. */
export interface FileState {
  readonly path: string;
  readonly bytes: Uint8Array | null;
}

/** Keeps what files held before the agent changed them, so that a turn can be reverted. Every tool that changes files tells it. */
export interface EditJournal {
  /** Durable when it resolves: only then the files may be changed. The call's `after` closes it. */
  begin(call: ToolCallContext, before: readonly FileState[]): Promise<OpenedEdit>;
}

export interface OpenedEdit {
  /** What the files hold now. A file that holds what it held before is no change. */
  end(after: readonly FileState[]): Promise<void>;
}
