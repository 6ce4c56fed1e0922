import type { Translate } from '../../base/translate';
import type { ApprovalPolicy } from '../../tools/approval/approvalPolicy';

/** Wraps the policy to notify the user when rules they allowed could not be saved: the call runs, and they are asked
 *  again next time. */
export function tellingUnkept(policy: ApprovalPolicy, t: Translate, tell: (sentence: string) => void): ApprovalPolicy {
  return {
    judge: (call) => policy.judge(call),
    remember: async (decision) => {
      try {
        await policy.remember(decision);
      } catch (error) {
        const rules = decision.kind === 'allow' && decision.scope !== 'once' ? decision.rules.join(', ') : '';
        tell(
          t('Allowed this once. The rule couldn’t be saved, so Hermes will ask again: {rules}. {reason}', {
            rules,
            reason: error instanceof Error ? error.message : String(error),
          }),
        );
        throw error;
      }
    },
  };
}
