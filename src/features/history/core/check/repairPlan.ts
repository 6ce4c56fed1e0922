import { groupedBy } from '../../../../base/groupedBy';
import type { Finding } from '../../../../transcript/rules/finding';
import type { RepairStep } from '../../../../transcript/rules/rule';

/** Repairs of one session, in the order in which they work: rows before the sequence that they form. */
export interface RepairPlan {
  /** `storeItself` for the file as a whole. */
  readonly sessionId: string;
  readonly title: string | null;
  readonly findings: readonly Finding[];
  readonly steps: readonly RepairStep[];
}

/** Session under which repairs of the file as a whole are kept. */
const storeItself = '*';

const order: readonly RepairStep['kind'][] = [
  'restoreSession',
  'detach',
  'moveTurn',
  'fold',
  'reread',
  'hide',
  'arguments',
  'renameCall',
  'settleTurn',
  'closeTurn',
  'sequence',
  'unlink',
  'show',
  'reopen',
  'expireApproval',
  'recount',
  'rebuildIndex',
];

/** Steps after which the rows of a session may form another sequence. */
const changesRows: ReadonlySet<RepairStep['kind']> = new Set([
  'fold',
  'reread',
  'hide',
  'show',
  'settleTurn',
  'closeTurn',
]);

/** One plan for each session that can be repaired, in the order of the findings. */
export function repairPlans(findings: readonly Finding[]): readonly RepairPlan[] {
  const bySession = groupedBy(
    findings.filter(({ steps }) => steps.length > 0),
    ({ sessionId }) => sessionId ?? storeItself,
  );
  return [...bySession].map(([sessionId, found]) => {
    const steps = found.flatMap((finding) => finding.steps);
    const sequence: readonly RepairStep[] = steps.some(({ kind }) => changesRows.has(kind))
      ? [{ kind: 'sequence', sessionId }]
      : [];
    const unique = new Map([...steps, ...sequence].map((step) => [JSON.stringify(step), step]));
    return {
      sessionId,
      title: found[0]?.title ?? null,
      findings: found,
      steps: [...unique.values()].toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind)),
    };
  });
}
