import { describe, expect, it } from 'vitest';
import { reportingUnkept } from '../../../src/host/approvals/approvalRules';
import type { ApprovalDecision } from '../../../src/transcript/approval';

describe('a rule that the user allowed', () => {
  const remembered = async (decision: ApprovalDecision, problem: string | null): Promise<readonly string[]> => {
    const seen: string[] = [];
    const remember = (): Promise<void> => (problem === null ? Promise.resolve() : Promise.reject(new Error(problem)));
    const policy = reportingUnkept({ judge: () => ({ kind: 'allow' }), remember }, (sentence) =>
      seen.push(`told: ${sentence}`),
    );
    await policy.remember(decision).catch((error: Error) => seen.push(`rejected: ${error.message}`));
    return seen;
  };

  it('and that cannot be saved is reported to apply only this once', async () => {
    const decision: ApprovalDecision = { kind: 'allow', scope: 'user', rules: ['run(npm test)', 'run(ls)'] };
    expect([await remembered(decision, null), await remembered(decision, 'The settings cannot be written.')]).toEqual([
      [],
      [
        'told: Allowed this once. The rule couldn’t be saved, so Hermes will ask again: run(npm test), ' +
          'run(ls). The settings cannot be written.',
        'rejected: The settings cannot be written.',
      ],
    ]);
  });
});
