import type { WorkProgress } from '../../../../store/slicedWork';
import type { Finding } from '../../../../transcript/rules/finding';
import { namedRules } from '../../../../transcript/rules/rules';

export interface CheckResult {
  readonly kind: 'own' | 'hermes';
  readonly path: string;
  readonly sessions: number;
  readonly messages: number;
  /** At most `mostFindings`. */
  readonly findings: readonly Finding[];
  readonly total: number;
}

/** Findings that a result holds; further ones are only counted. */
const mostFindings = 5000;

export interface CheckOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: WorkProgress) => void;
}

/** Collects findings, each place of a kind once. */
export class Findings {
  private readonly kept: Finding[] = [];
  private readonly places = new Set<string>();
  private total = 0;

  add(finding: Finding): void {
    const place = JSON.stringify([finding.id, finding.sessionId, finding.row, finding.row === null && finding.detail]);
    if (this.places.has(place)) return;
    this.total++;
    if (this.kept.length === mostFindings) return;
    this.places.add(place);
    this.kept.push(finding);
  }

  result(facts: Omit<CheckResult, 'findings' | 'total'>): CheckResult {
    const order = (id: Finding['id']): number => namedRules.findIndex(([name]) => name === id);
    const findings = this.kept.toSorted((one, other) => order(one.id) - order(other.id));
    return { ...facts, findings, total: this.total };
  }
}
