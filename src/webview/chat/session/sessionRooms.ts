import { ApprovalController, plainDecision } from './approvalController';
import type { ChatHost } from '../connection/chatHost';
import { Effort } from './effort';
import { FileReviews } from './fileReviews';
import type { HostRequests } from '../connection/hostRequests';
import { SessionContext } from './sessionContext';

export interface SessionRoomsNeeds {
  readonly host: ChatHost;
  readonly requests: HostRequests;
  readonly shownSession: () => string | null;
  readonly isBusy: () => boolean;
  readonly nowMs: () => number;
  /** Called when the user has decided; the card disappears immediately. */
  readonly decided: (sessionId: string, approvalId: string) => void;
}

/** Services of the chat that need only the host and the shown session. */
export interface SessionRooms {
  readonly context: SessionContext;
  readonly approvals: ApprovalController;
  readonly effort: Effort;
  readonly files: FileReviews;
}

export function sessionRooms({
  host,
  requests,
  shownSession,
  isBusy,
  nowMs,
  decided,
}: SessionRoomsNeeds): SessionRooms {
  return {
    context: new SessionContext({
      requests,
      shownSession,
      isBusy,
      contextUse: (sessionId) => host.request('contextUse', { sessionId }),
      preview: (sessionId) => host.request('compressionPreview', { sessionId }),
      compress: (sessionId, focus) => host.request('compress', { sessionId, focus }),
    }),
    approvals: new ApprovalController({
      requests,
      shownSession,
      nowMs,
      decided,
      decide: (approvalId, decision) =>
        host.request('decideApproval', { approvalId, decision: plainDecision(decision) }),
      setMode: (sessionId, mode) => host.request('setMode', { sessionId, mode }),
      stopCall: (sessionId, callId) => host.request('stopCall', { sessionId, callId }),
      proceedCall: (sessionId, callId) => host.request('proceedCall', { sessionId, callId }),
    }),
    effort: new Effort({
      requests,
      shownSession,
      setEffort: (sessionId, effort) => host.request('setEffort', { sessionId, effort }),
    }),
    files: new FileReviews(host),
  };
}
