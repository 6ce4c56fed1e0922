import type { ApprovalDecision, ApprovalRequest, Mode } from '../../transcript/approval';
import type { AskedAccess } from '../tool';

/** A call that wants to do something, with what is known of the session it stands in. */
export interface AskedCall {
  readonly tool: string;
  readonly asked: AskedAccess;
  readonly mode: Mode;
  /** Whose outputs of commands it may read unasked. Without it, nobody's. */
  readonly conversationId?: string;
  /** Rules the person allowed for this session. */
  readonly sessionRules: readonly string[];
}

/** `sentence` is for the model: what was refused, by what, and what it can do instead. */
export type Verdict =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny'; readonly sentence: string }
  | { readonly kind: 'ask'; readonly request: ApprovalRequest };

/** Decides what runs at once, what never runs, and what the person is asked. docs/approvals.md has the rules. */
export interface ApprovalPolicy {
  judge(call: AskedCall): Verdict;
  /** Keeps the rules of a decision for this workspace or everywhere; durable when it resolves, which is before the tool runs. */
  remember(decision: ApprovalDecision): Promise<void>;
}
