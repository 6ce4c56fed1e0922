import type { RepairStep } from '../../../store/repairs';

/** Kinds of damage, in the order of a report. docs/checking.md explains each. */
const findingIds = [
  'missingAnswer',
  'noAnswerAtEnd',
  'endsWithResult',
  'adjacentAnswers',
  'unansweredCall',
  'orphanResult',
  'repeatedResult',
  'duplicateCallId',
  'cutArguments',
  'doubledRow',
  'scaffolding',
  'emptyAnswer',
  'damagedRow',
  'unfoldedText',
  'danglingParent',
  'parentCycle',
  'endedWithoutChild',
  'emptyContinuation',
  'twoContinuations',
  'lostRows',
  'orphanRows',
  'wrongCount',
  'brokenLink',
  'brokenApproval',
  'indexDrift',
  'damagedFile',
] as const;
export type FindingId = (typeof findingIds)[number];

/** Damage at one place. */
export interface Finding {
  readonly id: FindingId;
  /** Null: the file as a whole. */
  readonly sessionId: string | null;
  readonly title: string | null;
  /** Uid of a row of our store, or number of a row of a Hermes database; null for a session as a whole. */
  readonly row: string | null;
  /** A name, id or reason to find it by; null when the place says it all. */
  readonly detail: string | null;
  /** Repairs it in our store. Empty: there is no repair, or the database belongs to another program. */
  readonly steps: readonly RepairStep[];
}

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

export interface CheckProgress {
  readonly done: number;
  readonly total: number;
}

export interface CheckCourse {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: CheckProgress) => void;
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
    const order = (id: FindingId): number => findingIds.indexOf(id);
    const findings = this.kept.toSorted((one, other) => order(one.id) - order(other.id));
    return { ...facts, findings, total: this.total };
  }
}
