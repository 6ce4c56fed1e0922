import * as v from 'valibot';
import { approvalDecision, type Mode } from '../transcript/approval';
import { modes } from '../transcript/approvalChecks';
import type { ChangedFile, FileHunk, ReviewOutcome } from '../transcript/changedFile';

/** Messages of a chat view about an agent at work. Becomes part of `chatRequests` and `chatCommands`. */

const decision = approvalDecision(v.pipe(v.string(), v.nonEmpty()));

export const approvalRequests = {
  decideApproval: v.object({ approvalId: v.string(), decision }),
  /** Null: for the empty state. */
  setMode: v.object({ sessionId: v.nullable(v.string()), mode: v.picklist(modes) }),
  stopCall: v.object({ sessionId: v.string(), callId: v.string() }),
  proceedCall: v.object({ sessionId: v.string(), callId: v.string() }),
} as const;

export const changedFileRequests = {
  changedFiles: v.object({ turnUid: v.string() }),
  /** Files that would be reverted with everything from this turn on: what Rewind, Retry and Edit & Resend offer. */
  filesFrom: v.object({ turnUid: v.string() }),
} as const;

export interface ChangedFileResults {
  readonly changedFiles: readonly ChangedFile[];
  readonly filesFrom: readonly ChangedFile[];
}

/** Review of changed files. */
export const reviewRequests = {
  fileHunks: v.object({ turnUid: v.string(), path: v.string() }),
  /** `paths` null: every file of the turn. `overwrite`: also overwrites changes the user has made since. */
  reviewFiles: v.object({
    turnUid: v.string(),
    paths: v.nullable(v.array(v.string())),
    action: v.picklist(['keep', 'revert']),
    overwrite: v.boolean(),
  }),
  reviewHunk: v.object({
    turnUid: v.string(),
    path: v.string(),
    hunk: v.string(),
    action: v.picklist(['keep', 'revert']),
  }),
  /** Undoes the newest revert of each of these files. `paths` null: of every file of the turn. */
  undoRevert: v.object({ turnUid: v.string(), paths: v.nullable(v.array(v.string())) }),
} as const;

export interface ReviewResults {
  readonly fileHunks: readonly FileHunk[];
  readonly reviewFiles: ReviewOutcome;
  readonly reviewHunk: ReviewOutcome;
  readonly undoRevert: ReviewOutcome;
}

export const reviewCommands = {
  /** Opens VS Code's diff editor: the file before the turn against the file now. */
  openDiff: v.object({ turnUid: v.string(), path: v.string() }),
  /** Opens all files of the turn in VS Code's multi-file diff editor. `session`: all files of its session. */
  openReview: v.object({ turnUid: v.string(), session: v.boolean() }),
  /** Opens the complete proposed change in an editor. */
  openProposal: v.object({ approvalId: v.string() }),
  /** Opens the changes of this request and of the edits that wait after it, in VS Code's multi-file diff editor. */
  openProposals: v.object({ approvalId: v.string() }),
} as const;

export const outputCommands = {
  /** Opens the complete output of a command in an editor. */
  openOutput: v.object({ file: v.string() }),
  /** Stops a command that runs in the background, with everything it started. */
  stopCommand: v.object({ file: v.string() }),
} as const;

export interface ChangedFileNotifications {
  /** A call of this turn changed files, or the user kept or reverted some. */
  readonly changedFiles: {
    readonly sessionId: string;
    readonly turnUid: string;
    readonly files: readonly ChangedFile[];
  };
}

/** Command that runs in the background of this window, or ran there. */
export interface BackgroundCommand {
  /** File of its output. Identifies the command. */
  readonly file: string;
  /** On one line. */
  readonly command: string;
  /** Seconds since the epoch. */
  readonly startedAt: number;
  /** Null while it, or a process it started, runs. */
  readonly end: { readonly exitCode: number | null; readonly signal: string | null; readonly ms: number } | null;
}

export interface WorkNotifications extends ChangedFileNotifications {
  readonly mode: { readonly sessionId: string | null; readonly mode: Mode };
}
