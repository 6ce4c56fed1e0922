import type { reviewCommands, reviewRequests, ReviewResults } from '../../protocol/workProtocol';
import type { ChangedFile, ReviewOutcome } from '../../transcript/changedFile';
import { Slot } from '../common/slot';
import type { CommandHandlers, RequestHandlers } from './viewEndpoint';

/** Files that turns have changed, for chat views. */
export interface ChatFiles {
  /** Changed files by turn. Leaves out turns that changed nothing. */
  ofTurns(turnUids: readonly string[]): Promise<Readonly<Record<string, readonly ChangedFile[]>>>;
  /** Files that `takeBack` would revert. */
  from(turnUid: string): Promise<readonly ChangedFile[]>;
  /** Reverts the changes of this turn and of every turn after it. Resolves with a sentence for the user, or null
   *  when everything was reverted. Never rejects. */
  takeBack(turnUid: string): Promise<string | null>;
  /** Answers what views ask about a review. */
  readonly handlers: {
    readonly commands: CommandHandlers<typeof reviewCommands>;
    readonly requests: RequestHandlers<typeof reviewRequests, ReviewResults>;
  };
}

const nothing = async (): Promise<void> => undefined;
const done = async (): Promise<ReviewOutcome> => ({ sentence: null, conflicts: [] });
const noHandlers: ChatFiles['handlers'] = {
  commands: { openDiff: nothing, openReview: nothing, openProposal: nothing, openProposals: nothing },
  requests: { fileHunks: async () => [], reviewFiles: done, reviewHunk: done, undoRevert: done },
};

/** Changed files of a window: those of a feature. Without one, no turn is known to have changed files. */
export class FeatureFiles extends Slot<ChatFiles> implements ChatFiles {
  async ofTurns(turnUids: readonly string[]): ReturnType<ChatFiles['ofTurns']> {
    return (await this.current?.ofTurns(turnUids)) ?? {};
  }

  async from(turnUid: string): Promise<readonly ChangedFile[]> {
    return (await this.current?.from(turnUid)) ?? [];
  }

  async takeBack(turnUid: string): Promise<string | null> {
    return (await this.current?.takeBack(turnUid)) ?? null;
  }

  get handlers(): ChatFiles['handlers'] {
    return this.current?.handlers ?? noHandlers;
  }
}
