import type { Approval, ApprovalRequest, ApprovalDecision, Mode } from '../transcript/approval';
import type { Turn } from '../transcript/turn';

export interface NewApproval {
  /** Given by the caller, so that a repeated request stores one. */
  readonly id: string;
  readonly turnUid: string;
  /** The segment that takes the turn's rows now. */
  readonly sessionId: string;
  readonly messageUid: string;
  readonly callId: string;
  readonly request: ApprovalRequest;
  readonly requestedAt: number;
}

/** What the person is asked and has decided, and how freely a session's agent may act. Part of `SessionOperations`; one call is one transaction. */
export interface ApprovalOperations {
  /** Stores the question; its turn waits from now on. Throws `invalid` for a turn that is settled or waits for another one. A repeated call
   *  answers with what is stored. */
  requestApproval(input: NewApproval): { readonly approval: Approval; readonly turn: Turn };
  /** Stores the decision; its turn runs from now on. The first decision stands: a later one, and one for a turn that ended, changes nothing and
   *  is answered with what is stored. Throws `not-found` for an unknown id. */
  decideApproval(
    id: string,
    decision: ApprovalDecision,
    decidedAt: number,
  ): { readonly approval: Approval; readonly turn: Turn };
  /** Null for an unknown id. */
  approval(id: string): Approval | null;
  /** All of a turn, oldest first. */
  approvalsOf(turnUid: string): readonly Approval[];
  /** What the session's conversation waits for; null where nothing is asked. */
  pendingApproval(sessionId: string): Approval | null;
  /** Rules that were allowed for the session's conversation, in the order of the decisions. A sub-agent's session and the one it works for have theirs together. */
  sessionRules(sessionId: string): readonly string[];
  /** Null: the setting decides. Of the whole conversation; a branch begins without one. */
  sessionMode(sessionId: string): Mode | null;
  setSessionMode(sessionId: string, mode: Mode | null): void;
}
