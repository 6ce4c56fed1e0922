import { joinSentences } from '../../base/messageText';
import { t } from '../../base/translate';
import { allowRuleProblem, denyRuleProblem } from '../../tools/approval/ruleText';

export interface ApprovalSettings {
  readonly allow: readonly string[];
  /** Includes unreadable entries: the policy asks before everything that they may be meant to deny. */
  readonly deny: readonly string[];
  /** True when rules that end in ` *` also count for commands without a sandbox. */
  readonly matchesPrefixes: boolean;
}

/** Reads both rule lists. Reports and ignores an invalid allow rule; reports and keeps an invalid deny rule. */
export function readApprovals(
  allow: unknown,
  deny: unknown,
  complain: (setting: string, sentence: string) => void,
): Omit<ApprovalSettings, 'matchesPrefixes'> {
  const allowed = entriesOf(allow).filter((rule) => {
    const problem = allowRuleProblem(rule);
    if (problem !== null)
      complain(
        'hermes.approvals.allow',
        joinSentences([problem, t('It is in the setting `hermes.approvals.allow` and is ignored until you fix it.')]),
      );
    return problem === null;
  });
  const denied = entriesOf(deny);
  for (const sentence of denied.map(denyRuleProblem))
    if (sentence !== null) complain('hermes.approvals.deny', sentence);
  return { allow: allowed, deny: denied };
}

function entriesOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  return entries.map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)));
}
