import { allowRuleProblem, denyRuleProblem } from '../../tools/approval/ruleText';

export interface ApprovalSettings {
  readonly allow: readonly string[];
  /** With the entries that cannot be read: the policy asks for everything they may be meant for. */
  readonly deny: readonly string[];
}

/** Reads the two lists of rules. An allow rule that is none is named and ignored; a deny rule that is none is named and kept. */
export function readApprovals(
  allow: unknown,
  deny: unknown,
  complain: (setting: string, sentence: string) => void,
): ApprovalSettings {
  const allowed = entriesOf(allow).filter((rule) => {
    const problem = allowRuleProblem(rule);
    if (problem !== null)
      complain(
        'hermes.approvals.allow',
        `${problem} It is in the setting \`hermes.approvals.allow\` and is ignored until it is corrected.`,
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
