import { Emitter } from '../../base/disposable';
import type { Disposable } from '../../base/disposable';
import type { WorkNotifications } from '../../protocol/workProtocol';
import type { ChangedFile, FileHunk, ReviewOutcome } from '../../transcript/changedFile';

/** What a chat view asks about the files that turns have changed. */
export interface ChatFiles {
  /** By turn; a turn that changed nothing is left out. */
  ofTurns(turnUids: readonly string[]): Promise<Readonly<Record<string, readonly ChangedFile[]>>>;
  hunks(turnUid: string, path: string): Promise<readonly FileHunk[]>;
  /** `paths` null: every file of the turn. */
  review(
    turnUid: string,
    paths: readonly string[] | null,
    action: 'keep' | 'revert',
    overwrite: boolean,
  ): Promise<ReviewOutcome>;
  reviewHunk(turnUid: string, path: string, hunk: string, action: 'keep' | 'revert'): Promise<ReviewOutcome>;
  /** What `takeBack` would revert. */
  from(turnUid: string): Promise<readonly ChangedFile[]>;
  /** Reverts what this turn and everything behind it changed. Answers with what the person should know, null when all went back. Never rejects. */
  takeBack(turnUid: string): Promise<string | null>;
  openDiff(turnUid: string, path: string): Promise<void>;
  /** What is asked about, whole, in an editor. */
  openProposal(approvalId: string): Promise<void>;
  openOutput(file: string): Promise<void>;
  readonly onDidChange: (listener: (change: WorkNotifications['changedFiles']) => void) => Disposable;
}

/** Where no files are kept. */
export const noChangedFiles: ChatFiles = {
  ofTurns: async () => ({}),
  hunks: async () => [],
  review: async () => ({ sentence: null, conflicts: [] }),
  reviewHunk: async () => ({ sentence: null, conflicts: [] }),
  from: async () => [],
  takeBack: async () => null,
  openDiff: async () => undefined,
  openProposal: async () => undefined,
  openOutput: async () => undefined,
  onDidChange: new Emitter<WorkNotifications['changedFiles']>().event,
};
