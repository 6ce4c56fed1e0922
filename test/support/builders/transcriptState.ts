import type { TranscriptBranch, TranscriptRows, TranscriptState } from '../../../src/protocol/transcriptProtocol';
import { afternoon, session } from './viewMessages';

/** Rows of a transcript; all there are, unless it is said otherwise. */
export function transcriptPage(change: Partial<TranscriptRows> = {}): TranscriptRows {
  return { messages: [], turns: [], hasEarlier: false, later: 0, total: change.messages?.length ?? 0, ...change };
}

export function transcriptState(rows: Partial<TranscriptRows>, change: Partial<TranscriptState> = {}): TranscriptState {
  return { session: session(), rows: transcriptPage(rows), branches: [], problem: null, reveal: null, otherFolder: null, localization: {}, ...change };
}

export function treeBranch(conversationId: string, parentConversationId: string | null, change: Partial<TranscriptBranch> = {}): TranscriptBranch {
  return { conversationId, tipId: conversationId, title: `Title of ${conversationId}`, parentConversationId, branchedFrom: null, lastActiveAt: afternoon, turnCount: 3, ...change };
}
