import type { Approval, ApprovalRequest, ApprovalDecision, Mode } from '../transcript/approval';
import type { Turn } from '../transcript/turn';
import { read, write } from './storeMethod';

export interface NewApproval {
  /** Set by the caller, so that a repeated request stores only one. */
  readonly id: string;
  readonly turnUid: string;
  /** The segment that now receives the turn's rows. */
  readonly sessionId: string;
  readonly messageUid: string;
  readonly callId: string;
  readonly request: ApprovalRequest;
  readonly requestedAt: number;
}

interface ApprovalOfTurn {
  readonly approval: Approval;
  readonly turn: Turn;
}

/** Approval requests, the user's decisions, and how freely a session's agent may act. Part of `SessionOperations`;
 *  one call is one transaction. */
export const approvalMethods = {
  /** Stores the request and sets its turn to `waiting`. Throws `invalid` for a turn that is settled or waits for
   *  another approval. A repeated call returns the stored row. */
  requestApproval: write<(input: NewApproval) => ApprovalOfTurn>(),
  /** Stores the decision and sets its turn to `running`. Null: nobody waits for one any more, and the request expires.
   *  The first decision wins: a later one, or one for a turn that ended, changes nothing and returns the stored row. A
   *  mode in the decision becomes that of the session `modeOf` in the same transaction; default: the session that asks.
   *  Throws `not-found` for an unknown id. */
  decideApproval: write<(id: string, given: ApprovalDecision | null, at: number, modeOf?: string) => ApprovalOfTurn>(),
  /** Null for an unknown id. */
  approval: read<(id: string) => Approval | null>(),
  /** All approvals of a turn, oldest first. */
  approvalsOf: read<(turnUid: string) => readonly Approval[]>(),
  /** The approval that the session's conversation waits for; null when there is none. */
  pendingApproval: read<(sessionId: string) => Approval | null>(),
  /** Rules that the user allowed for the session's conversation, in the order of the decisions. A sub-agent's
   *  session and its parent session share theirs. */
  sessionRules: read<(sessionId: string) => readonly string[]>(),
  /** Null: the setting decides. Applies to the whole conversation; a branch starts without one. */
  sessionMode: read<(sessionId: string) => Mode | null>(),
  setSessionMode: write<(sessionId: string, mode: Mode | null) => void>(),
};
