import type { ApprovalDecision, ApprovalRequest, AskReason, Mode } from '../../transcript/approval';
import type { AskedAccess } from '../tool';

/** Tool call that needs a decision, with the relevant facts of its session. */
export interface AskedCall {
  readonly tool: string;
  readonly asked: AskedAccess;
  readonly mode: Mode;
  /** Conversation whose command outputs the call may read without approval. Default: none. */
  readonly conversationId?: string;
  /** Why the user is asked whatever the rules allow. Absent: as the rules say. */
  readonly asksFor?: AskReason | undefined;
  /** Rules that the user allowed for this session. */
  readonly sessionRules: readonly string[];
}

/** Decision of the policy. `sentence` tells the model what was refused, by what, and what it can do instead. */
export type Verdict =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny'; readonly sentence: string }
  | { readonly kind: 'ask'; readonly request: ApprovalRequest };

/** Decides which calls run at once, which never run, and which need the user's approval. Rules: docs/approvals.md. */
export interface ApprovalPolicy {
  judge(call: AskedCall): Verdict;
  /** Stores the rules of a decision, for this workspace or everywhere. Durable when it resolves, which is before the
   *  tool runs. */
  remember(decision: ApprovalDecision): Promise<void>;
}
