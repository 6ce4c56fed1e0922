import type { SessionSummary } from '../../../../src/transcript/session';
import { session } from '../scriptedGateway';

/** A session as lists show it; `from` names the one it was branched from. */
export function summary(
  id: string,
  { from, ...changes }: Partial<SessionSummary> & { readonly from?: string } = {},
): SessionSummary {
  return {
    ...session(id),
    preview: null,
    turnCount: 1,
    messageCount: 2,
    lastTurn: { state: 'complete' },
    queuedCount: 0,
    unread: false,
    problem: null,
    branchOf: from === undefined ? null : { conversationId: from, sessionId: from, title: `Title of ${from}` },
    ...changes,
  };
}
