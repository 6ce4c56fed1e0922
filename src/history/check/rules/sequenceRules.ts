import type { RepairReason } from '../../../transcript/sequenceRepair';
import type { CheckedSession, Found, SessionRule } from '../findings/checkedSession';
import type { FindingId } from '../findings/finding';

/** Two prompts without an answer between them. */
const missingAnswer = hiddenRows('missingAnswer', 'adjacentPrompts');
/** Two answers without a prompt or a result between them. */
const adjacentAnswers = hiddenRows('adjacentAnswers', 'adjacentAnswers');
/** A result that answers no call before it. */
const orphanResult = hiddenRows('orphanResult', 'strayResult');
/** A second result of one call. */
const repeatedResult = hiddenRows('repeatedResult', 'repeatedResult');

const unansweredCall: SessionRule = {
  id: 'unansweredCall',
  find: (session) =>
    session.isContinued
      ? []
      : session.repair.answered.flatMap(({ message }) => {
          const { callId } = message.parts[0];
          const row = session.rows.find((one) => message.uid === `${one.message.uid}/result/${callId}`);
          if (row === undefined || isStillRunning(session, row.id)) return [];
          return [{ row: row.id, detail: callId, steps: sequence(session) }];
        }),
};

/** Results that no answer follows: the next prompt comes directly after them. In our store, turns show it. */
const endsWithResult: SessionRule = {
  id: 'endsWithResult',
  find: (session) =>
    session.kind === 'own'
      ? []
      : session.rows.flatMap(({ id, message }, index) => {
          const next = session.rows[index + 1]?.message;
          const isEnd = next === undefined ? session.isEnded : next.role === 'user';
          return message.role === 'tool' && isEnd ? [{ row: id }] : [];
        }),
};

/** An ended session whose last prompt was never answered. */
const noAnswerAtEnd: SessionRule = {
  id: 'noAnswerAtEnd',
  find: (session) => {
    const last = session.rows.at(-1);
    if (session.kind === 'own' || !session.isEnded || session.isContinued) return [];
    return last?.message.role === 'user' ? [{ row: last.id }] : [];
  },
};

export const sequenceRules: readonly SessionRule[] = [
  missingAnswer,
  noAnswerAtEnd,
  endsWithResult,
  adjacentAnswers,
  unansweredCall,
  orphanResult,
  repeatedResult,
];

function hiddenRows(id: FindingId, reason: Exclude<RepairReason, 'unansweredCall'>): SessionRule {
  return {
    id,
    find: (session) => {
      if (session.isContinued) return [];
      const rows = new Map(session.rows.map((row) => [row.message.uid, row]));
      return session.repair.hidden.flatMap(({ uid, why }): readonly Found[] => {
        const row = rows.get(uid);
        if (why !== reason || row === undefined) return [];
        const detail = row.message.role === 'tool' ? { detail: row.message.parts[0].callId } : {};
        return [{ row: row.id, ...detail, steps: sequence(session) }];
      });
    },
  };
}

function sequence({ id }: CheckedSession) {
  return [{ kind: 'sequence', sessionId: id }] as const;
}

/** True for the last calls of a session that another program may be working on. */
function isStillRunning({ kind, isEnded, rows }: CheckedSession, rowId: string): boolean {
  if (kind === 'own' || isEnded) return false;
  const index = rows.findIndex(({ id }) => id === rowId);
  return rows.slice(index + 1).every(({ message }) => message.role === 'tool');
}
