import { t } from '../../base/translate';
import type { CheckedSession } from './checkedSession';
import type { LineageFacts, RepairStep } from './rule';
import { namedRules, rules, type RuleName } from './rules';

/** Damage that a rule found at one place. */
export interface Finding {
  readonly id: RuleName;
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

/** A finding of the file as a whole. */
export function fileFinding(id: RuleName, detail: string | null, steps: readonly RepairStep[] = []): Finding {
  return { id, sessionId: null, title: null, row: null, detail, steps };
}

/** Everything that the rules find among the rows of a session. */
export function findInSession(session: CheckedSession): readonly Finding[] {
  return namedRules.flatMap(([name, { inSession }]) =>
    (inSession?.(session) ?? []).map(({ row, detail = null, steps = [] }) => ({
      id: name,
      sessionId: session.id,
      title: session.title,
      row,
      detail,
      steps: session.kind === 'own' ? steps : [],
    })),
  );
}

/** Everything that the rules find in how the sessions of a file belong together. */
export function findInLineage(
  kind: CheckedSession['kind'],
  sessions: readonly (LineageFacts & { readonly title: string | null })[],
): readonly Finding[] {
  const byId = new Map(sessions.map((one) => [one.id, one]));
  return namedRules.flatMap(([name, { inLineage }]) =>
    (inLineage?.(byId) ?? []).map(({ session, detail = null, steps = [] }) => ({
      id: name,
      sessionId: session,
      title: byId.get(session)?.title ?? null,
      row: null,
      detail,
      steps: kind === 'own' ? steps : [],
    })),
  );
}

/** Title of a finding, in a few words. */
export function findingTitle(id: RuleName): string {
  return rules[id].text()[0];
}

/** Consequence of a finding, in one or two sentences. */
export function findingMeaning(id: RuleName): string {
  return rules[id].text()[1];
}

/** A finding in one line: its title and its place. */
export function findingSentence(finding: Finding): string {
  return [findingTitle(finding.id), findingPlace(finding)].filter((part) => part !== '').join(': ');
}

/** The place of a finding: session, row, and a name to find it by. */
export function findingPlace({ sessionId, title, row, detail }: Finding): string {
  const session = sessionId === null ? null : title === null ? sessionId : `${title} (${sessionId})`;
  return [session, row === null ? null : t('row {row}', { row }), detail === '' ? null : detail]
    .filter((part) => part !== null)
    .join(' · ');
}
