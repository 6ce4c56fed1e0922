import { joinSentences } from '../../base/messageText';
import type { changedFileCommands, changedFileRequests, ChangedFileResults } from '../../protocol/workProtocol';
import type { CommandHandlers, RequestHandlers } from '../webviews/viewEndpoint';
import type { ChatFiles } from './chatFiles';

interface ChangedFileHandlers {
  readonly commands: CommandHandlers<typeof changedFileCommands>;
  readonly requests: RequestHandlers<typeof changedFileRequests, ChangedFileResults>;
}

export function changedFileHandlers(files: ChatFiles): ChangedFileHandlers {
  return {
    commands: {
      openDiff: ({ turnUid, path }) => files.openDiff(turnUid, path),
      openReview: ({ turnUid, session }) => files.openReview(turnUid, session),
      openProposal: ({ approvalId }) => files.openProposal(approvalId),
      openProposals: ({ approvalId }) => files.openProposals(approvalId),
      openOutput: ({ file }) => files.openOutput(file),
      stopCommand: ({ file }) => files.stopCommand(file),
    },
    requests: {
      changedFiles: async ({ turnUid }) => (await files.ofTurns([turnUid]))[turnUid] ?? [],
      fileHunks: ({ turnUid, path }) => files.hunks(turnUid, path),
      reviewFiles: ({ turnUid, paths, action, overwrite }) => files.review(turnUid, paths, action, overwrite),
      reviewHunk: ({ turnUid, path, hunk, action }) => files.reviewHunk(turnUid, path, hunk, action),
      undoRevert: ({ turnUid, paths }) => files.undoRevert(turnUid, paths),
      filesFrom: ({ turnUid }) => files.from(turnUid),
    },
  };
}

/** Joins the sentences with spaces; skips nulls. Null: all are null. */
export function joined(...sentences: readonly (string | null)[]): string | null {
  const present = sentences.filter((sentence) => sentence !== null);
  return present.length === 0 ? null : joinSentences(present);
}
