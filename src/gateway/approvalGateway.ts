import type { Approval, ApprovalDecision, Mode } from '../transcript/approval';

/** The user's decisions about a running turn. Part of `Gateway`. Rejects with `StoreError` or `GatewayError`. */
export interface ApprovalGateway {
  /** Stores the decision, and only then runs the call (or refuses it). Also resumes a turn that waits only in the
   *  store, after a reload, a crash or a handover to another window. The first decision counts: a second one, from
   *  another surface, changes nothing. Rejects with `notFound` when the approval does not exist, and with `invalid`
   *  when a rule is empty. */
  decideApproval(approvalId: string, decision: ApprovalDecision): Promise<void>;
  /** Returns the approval that the session waits for. Null when there is none. */
  pendingApproval(sessionId: string): Promise<Approval | null>;
  /** Returns how freely the session's agent may act: the session's own choice, or else the setting. Null means the
   *  empty state of the surface. */
  mode(surfaceId: string, sessionId: string | null): Promise<Mode>;
  /** Takes effect with the next call, also within a running turn. */
  setMode(surfaceId: string, sessionId: string | null, mode: Mode): Promise<void>;
  /** Ends one running call. The turn continues and the model is notified. No-op when the call does not run. */
  stopCall(sessionId: string, callId: string): Promise<void>;
  /** Continues the turn while the process that this call started keeps running. No-op when nothing can be left
   *  running. */
  proceedCall(sessionId: string, callId: string): Promise<void>;
}
