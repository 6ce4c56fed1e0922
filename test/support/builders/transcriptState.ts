import type {
  StoredTurn,
  TranscriptBranch,
  TranscriptRows,
  TranscriptState,
} from '../../../src/features/transcript/protocol/transcriptProtocol';
import type { Turn } from '../../../src/transcript/turn';
import { afternoon, session } from './viewMessages';

/** Rows of a transcript; all there are, unless it is said otherwise. */
export function transcriptPage(change: Partial<TranscriptRows> = {}): TranscriptRows {
  const messages = change.messages ?? [];
  const earlier = change.earlier ?? 0;
  const matching = change.matching ?? earlier + messages.length + (change.later ?? 0);
  return {
    messages,
    numbers: messages.map((_, index) => earlier + index + 1),
    turns: [],
    approvals: [],
    absorbed: [],
    absorbers: [],
    revised: [],
    earlier,
    later: 0,
    matching,
    total: matching,
    counts: {
      complete: matching,
      interrupted: 0,
      failed: 0,
      waiting: 0,
      repaired: 0,
      hidden: messages.filter(({ visibility }) => visibility.kind === 'hidden' || visibility.kind === 'closing').length,
    },
    segments: [],
    ...change,
  };
}

export function storedTurn(turn: Turn, number = 1, change: Partial<StoredTurn> = {}): StoredTurn {
  return { turn, number, files: [], versions: [], ...change };
}

export function transcriptState(rows: Partial<TranscriptRows>, change: Partial<TranscriptState> = {}): TranscriptState {
  return {
    session: session(),
    rows: transcriptPage(rows),
    branches: [],
    problem: null,
    reveal: null,
    otherFolder: null,
    file: null,
    readAt: null,
    localization: {},
    ...change,
  };
}

export function treeBranch(
  conversationId: string,
  parentConversationId: string | null,
  change: Partial<TranscriptBranch> = {},
): TranscriptBranch {
  return {
    conversationId,
    tipId: conversationId,
    title: `Title of ${conversationId}`,
    parentConversationId,
    branchedFrom: null,
    subAgent: false,
    lastActiveAt: afternoon,
    turnCount: 3,
    ...change,
  };
}
