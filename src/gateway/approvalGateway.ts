import type { Approval, ApprovalDecision, Mode } from '../transcript/approval';

/** What a person decides about a turn at work. Part of `Gateway`; rejections are `StoreError` or `GatewayError`. */
export interface ApprovalGateway {
  /** Stores the decision, and only then lets the call run (or be refused). A turn that waits in the store only, after a reload, a crash or a
   *  hand-over, goes on here. The first decision stands: a second one, from another surface, changes nothing. Rejects with `notFound` for an
   *  approval that is not there, and with `invalid` for rules that are none. */
  decideApproval(approvalId: string, decision: ApprovalDecision): Promise<void>;
  /** What the session waits for; null where nothing is asked. */
  pendingApproval(sessionId: string): Promise<Approval | null>;
  /** How freely the session's agent may act: what was chosen for the session, else the setting. Null names what the empty state of the surface begins with. */
  mode(surfaceId: string, sessionId: string | null): Promise<Mode>;
  /** From the next call on, also within a running turn. */
  setMode(surfaceId: string, sessionId: string | null, mode: Mode): Promise<void>;
  /** Ends one running call; the turn goes on and the model is told. No-op for a call that does not run. */
  stopCall(sessionId: string, callId: string): Promise<void>;
  /** The turn goes on while what this call started keeps running. No-op where nothing can be left running. */
  proceedCall(sessionId: string, callId: string): Promise<void>;
}
