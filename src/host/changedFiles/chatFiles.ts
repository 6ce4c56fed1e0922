import type { Disposable } from '../../base/disposable';
import type { WorkNotifications } from '../../protocol/workProtocol';
import type { ChangedFile, FileHunk, ReviewOutcome } from '../../transcript/changedFile';

/** Requests of a chat view about files that turns have changed. */
export interface ChatFiles {
  /** Changed files by turn. Leaves out turns that changed nothing. */
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
  /** Files that `takeBack` would revert. */
  from(turnUid: string): Promise<readonly ChangedFile[]>;
  /** Reverts the changes of this turn and of every turn after it. Resolves with a sentence for the user, or null
   *  when everything was reverted. Never rejects. */
  takeBack(turnUid: string): Promise<string | null>;
  /** Undoes the newest revert of each of these files. `paths` null: of every file of the turn. */
  undoRevert(turnUid: string, paths: readonly string[] | null): Promise<ReviewOutcome>;
  openDiff(turnUid: string, path: string): Promise<void>;
  /** Opens all files of the turn, or of its whole session, in the editor's multi-file diff. */
  openReview(turnUid: string, isWholeSession: boolean): Promise<void>;
  /** Opens the whole proposed change in an editor. */
  openProposal(approvalId: string): Promise<void>;
  /** Opens the change of this approval and of the edits that wait after it in the editor's multi-file diff. */
  openProposals(approvalId: string): Promise<void>;
  openOutput(file: string): Promise<void>;
  stopCommand(file: string): Promise<void>;
  readonly onDidChange: (listener: (change: WorkNotifications['changedFiles']) => void) => Disposable;
}
