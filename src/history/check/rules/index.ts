import type { CheckedSession, SessionRule } from '../findings/checkedSession';
import type { Finding } from '../findings/finding';
import { callRules } from './callRules';
import { rowRules } from './rowRules';
import { sequenceRules } from './sequenceRules';

const sessionRules: readonly SessionRule[] = [...sequenceRules, ...callRules, ...rowRules];

/** Everything that the rules find in one session. */
export function findIn(session: CheckedSession): readonly Finding[] {
  return sessionRules.flatMap((rule) =>
    rule.find(session).map(({ row, detail = null, steps = [] }) => ({
      id: rule.id,
      sessionId: session.id,
      title: session.title,
      row,
      detail,
      steps: session.kind === 'own' ? steps : [],
    })),
  );
}
