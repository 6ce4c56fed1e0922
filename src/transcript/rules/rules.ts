import { t } from '../../base/translate';
import type { LineageFacts, RepairStep, Rule, TableQuery } from './rule';
import {
  cutArguments,
  damagedRows,
  doubledCallIds,
  emptyAnswers,
  hiddenBy,
  promptAtEnd,
  resultsAtEnd,
  rowsTwice,
  scaffolding,
  unansweredCalls,
} from './sessionRules';

type Sessions = ReadonlyMap<string, LineageFacts>;

/** Every kind of damage, in the order of a report. docs/checking.md explains each. */
export const rules = {
  missingAnswer: {
    text: () => [
      t('Answer missing between two prompts'),
      t('The answer was not stored. A model that gets both prompts may answer the first one again.'),
    ],
    inSession: hiddenBy('missingAnswer'),
  },
  noAnswerAtEnd: {
    text: () => [t('Last prompt without an answer'), t('The session ended before an answer was stored.')],
    inSession: promptAtEnd,
  },
  endsWithResult: {
    text: () => [
      t('Turn without a last answer'),
      t('Its last answer was not stored, or never came. The turn may end with a tool result.'),
    ],
    inSession: resultsAtEnd,
    inTables: [
      {
        subject: 'turn',
        sql: `SELECT t.uid FROM turns t JOIN messages m ON m.id = (
            SELECT l.id FROM messages l WHERE l.turn_uid = t.uid AND l.active = 1 ORDER BY l.position DESC LIMIT 1)
          WHERE t.state = 'settled' AND (m.role <> 'assistant' OR m.tool_calls IS NOT NULL)
            AND NOT EXISTS (SELECT 1 FROM messages a WHERE a.turn_uid = t.uid AND a.absorbed_into IS NOT NULL)
            AND NOT EXISTS (SELECT 1 FROM messages a WHERE a.session_id = m.session_id AND a.absorbed_into = m.uid)`,
        mends: (turnUid) => [{ kind: 'closeTurn', turnUid }],
      },
    ],
  },
  adjacentAnswers: {
    text: () => [t('Two answers in a row'), t('Providers refuse a history in which roles do not alternate.')],
    inSession: hiddenBy('adjacentAnswers'),
  },
  unansweredCall: {
    text: () => [t('Tool call without a result'), t('Providers refuse a history in which a call has no result.')],
    inSession: unansweredCalls,
    // Finds it in every session at once, and in segments that are never sent again. A call and its result may each
    // have one of the two names of an id, or both.
    inTables: [
      {
        subject: 'message',
        sql: `SELECT DISTINCT m.uid FROM messages m
          JOIN turns t ON t.uid = m.turn_uid AND t.state = 'settled', json_each(m.tool_calls) c
          WHERE m.active = 1 AND m.tool_calls IS NOT NULL AND json_valid(m.tool_calls)
            AND NOT EXISTS (SELECT 1 FROM messages r
              WHERE r.session_id = m.session_id AND r.active = 1 AND r.position > m.position
              AND r.tool_call_id IS NOT NULL
              AND (instr('|' || r.tool_call_id || '|', '|' || json_extract(c.value, '$.id') || '|') > 0
                OR instr('|' || json_extract(c.value, '$.id') || '|', '|' || r.tool_call_id || '|') > 0))`,
        mends: (_, sessionId) => [{ kind: 'sequence', sessionId }],
      },
    ],
  },
  orphanResult: {
    text: () => [t('Result without a tool call'), t('Providers refuse a result that answers no call.')],
    inSession: hiddenBy('orphanResult'),
  },
  repeatedResult: {
    text: () => [t('Second result of a tool call'), t('A call has one result. The first one counts.')],
    inSession: hiddenBy('repeatedResult'),
  },
  duplicateCallId: {
    text: () => [t('Tool call id used twice'), t('The result of one call may be taken for that of the other.')],
    inSession: doubledCallIds,
  },
  cutArguments: {
    text: () => [t('Arguments of a tool call cut off'), t('The arguments end in the middle and can’t be read.')],
    inSession: cutArguments,
  },
  doubledRow: {
    text: () => [t('Message stored twice'), t('A model gets it twice, and the session grows faster.')],
    inSession: rowsTwice,
  },
  scaffolding: {
    text: () => [
      t('Text of the program itself'),
      t('It was meant for one failed request, and not for the transcript.'),
    ],
    inSession: scaffolding,
  },
  emptyAnswer: {
    text: () => [t('Answer without content'), t('Some providers refuse an empty message.')],
    inSession: emptyAnswers,
  },
  damagedRow: {
    text: () => [t('Message can’t be read'), t('The row, or a part of it, is damaged.')],
    inSession: damagedRows,
    inTables: [
      {
        subject: 'message',
        sql: 'SELECT uid FROM messages WHERE NOT json_valid(parts)',
        mends: (uid) => [{ kind: 'reread', uid }],
      },
    ],
  },
  unfoldedText: {
    text: () => [t('Answer text not put together'), t('Pieces of the answer are stored, but not part of it yet.')],
    inTables: [
      unfolded("SELECT DISTINCT uid FROM messages JOIN stream_chunks ON message_uid = uid WHERE state = 'final'"),
      unfolded(`SELECT uid FROM messages m JOIN stream_chunks c ON c.message_uid = m.uid GROUP BY m.uid
        HAVING min(c.seq) <> m.last_seq + 1 OR max(c.seq) - min(c.seq) + 1 <> count(*)`),
      unfolded(`SELECT uid FROM messages m WHERE state = 'streaming'
        AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.uid = m.turn_uid AND t.state <> 'settled')`),
    ],
  },
  danglingParent: {
    text: () => [t('Earlier session missing'), t('The session says that it continues one that is not stored.')],
    inLineage: (sessions) =>
      [...sessions.values()].flatMap(({ id, parentId }) =>
        parentId !== null && !sessions.has(parentId) ? [{ session: id, detail: parentId, steps: [detach(id)] }] : [],
      ),
    inTables: [
      {
        subject: 'session',
        sql: `SELECT id AS uid FROM sessions s
          WHERE NOT EXISTS (SELECT 1 FROM sessions root WHERE root.id = s.conversation_id)`,
        mends: (sessionId) => [detach(sessionId)],
      },
    ],
  },
  parentCycle: {
    text: () => [t('Session continues itself'), t('Following the earlier sessions leads back to this one.')],
    inLineage: (sessions) =>
      [...sessions.values()].flatMap(({ id, parentId }) =>
        isOwnAncestor(sessions, id, parentId) ? [{ session: id, ...detailOf(parentId) }] : [],
      ),
  },
  endedWithoutChild: {
    text: () => [
      t('Compressed session without continuation'),
      t('It was ended for a continuation that is not stored, so nothing can be added to it.'),
    ],
    inLineage: (sessions) => {
      const continued = new Set([...sessions.values()].flatMap((one) => (one.isContinuation ? [one.parentId] : [])));
      return [...sessions.values()].flatMap(({ id, isCompressed }) =>
        isCompressed && !continued.has(id)
          ? [{ session: id, steps: [{ kind: 'reopen', sessionId: id }] as const }]
          : [],
      );
    },
  },
  emptyContinuation: {
    text: () => [t('Continuation without messages'), t('The summary and the last messages were not stored in it.')],
    inLineage: (sessions) =>
      [...sessions.values()].flatMap(({ id, isContinuation, hasRows, parentId }) =>
        isContinuation && !hasRows ? [{ session: id, ...detailOf(parentId) }] : [],
      ),
  },
  twoContinuations: {
    text: () => [
      t('Session continued twice'),
      t('Two sessions continue the same one. Messages may be in either of them.'),
    ],
    inLineage: (sessions) => {
      const first = new Map<string, string>();
      return [...sessions.values()].flatMap(({ id, isContinuation, parentId }) => {
        if (!isContinuation || parentId === null) return [];
        const other = first.get(parentId);
        if (other === undefined) first.set(parentId, id);
        return other === undefined ? [] : [{ session: id, detail: other }];
      });
    },
  },
  lostRows: {
    text: () => [t('Messages missing'), t('The session counts messages, and none is stored.')],
    inLineage: (sessions) =>
      [...sessions.values()].flatMap(({ id, counted, hasRows }) =>
        counted !== null && counted > 0 && !hasRows ? [{ session: id, detail: String(counted) }] : [],
      ),
  },
  orphanRows: {
    text: () => [t('Messages without a session'), t('The session of these messages is not stored.')],
    inTables: [
      {
        subject: 'session',
        sql: `SELECT uid FROM (${['messages', 'turns', 'approvals', 'queue', 'file_changes']
          .map((from) => `SELECT session_id AS uid FROM ${from}`)
          .join(' UNION ')}) WHERE uid NOT IN (SELECT id FROM sessions)`,
        mends: (sessionId) => [{ kind: 'restoreSession', sessionId }],
      },
    ],
  },
  wrongCount: {
    text: () => [t('Wrong number of messages'), t('The session counts more or fewer messages than it has.')],
    inTables: [
      {
        subject: 'session',
        sql: `SELECT id AS uid FROM sessions s WHERE message_count <> (SELECT count(*) FROM messages m
          WHERE m.session_id = s.id AND active = 1 AND display_kind IS NULL AND carried_from IS NULL)`,
        mends: (sessionId) => [{ kind: 'recount', sessionId }],
      },
    ],
  },
  brokenLink: {
    text: () => [t('Link to a missing row'), t('The row names a message or turn that is not stored.')],
    inTables: [
      // Shown, and marked as hidden with a version of its prompt.
      link('hidden_with IS NOT NULL AND active = 1'),
      link('absorbed_into IS NOT NULL AND NOT EXISTS (SELECT 1 FROM messages o WHERE o.uid = m.absorbed_into)'),
      // In a synchronized store the turn or the original may be on its way, or be a part of what another machine made
      // a branch of.
      link(`turn_uid IS NOT NULL AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.uid = m.turn_uid)
        AND NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'sync_changes')`),
      link(`copied_from IS NOT NULL AND NOT EXISTS (SELECT 1 FROM messages o WHERE o.uid = m.copied_from)
        AND NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'sync_changes')`),
      {
        subject: 'turn',
        sql: `SELECT t.uid FROM turns t JOIN sessions s ON s.id = t.session_id
          WHERE t.conversation_id <> s.conversation_id`,
        mends: (turnUid) => [{ kind: 'moveTurn', turnUid }],
      },
      {
        subject: 'other',
        sql: `SELECT message_uid AS uid FROM stream_chunks UNION SELECT message_uid FROM message_revisions
          EXCEPT SELECT uid FROM messages`,
        mends: () => [],
      },
    ],
  },
  hiddenForGood: {
    text: () => [
      t('Message hidden for good'),
      t('The version that it was hidden with, or the message that it repeats, is not stored, so nothing shows it.'),
    ],
    inTables: [
      unshown('active = 0 AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.uid = m.hidden_with) AND hidden_with NOT NULL'),
      unshown(`carried_from IS NOT NULL AND active = 1
        AND NOT EXISTS (SELECT 1 FROM messages o WHERE o.uid = m.carried_from)`),
    ],
  },
  brokenApproval: {
    text: () => [t('Approval that nothing waits for'), t('A question and its turn do not match.')],
    inTables: [
      {
        subject: 'turn',
        sql: `SELECT uid FROM turns t WHERE state = 'waiting' AND NOT EXISTS (SELECT 1 FROM approvals a
          WHERE a.id = t.approval_id AND a.turn_uid = t.uid AND a.state = 'pending')`,
        mends: (turnUid) => [{ kind: 'settleTurn', turnUid }],
      },
      {
        subject: 'approval',
        sql: `SELECT id AS uid FROM approvals a WHERE state = 'pending' AND NOT EXISTS (SELECT 1 FROM turns t
          WHERE t.uid = a.turn_uid AND t.state = 'waiting' AND t.approval_id = a.id)`,
        mends: (approvalId) => [{ kind: 'expireApproval', approvalId }],
      },
    ],
  },
  brokenContent: {
    text: () => [
      t('Earlier version of a file damaged'),
      t('Its content is not what was kept, or it belongs to no change.'),
    ],
    inTables: [
      {
        subject: 'other',
        sql: `SELECT hash AS uid FROM file_contents f
          WHERE NOT EXISTS (SELECT 1 FROM file_changes c WHERE c.before_hash = f.hash)
          AND NOT EXISTS (SELECT 1 FROM file_changes c WHERE c.after_hash = f.hash)`,
        mends: () => [],
      },
    ],
  },
  indexDrift: {
    text: () => [t('Search index out of date'), t('Search may miss messages, or find deleted ones.')],
  },
  damagedFile: {
    text: () => [t('Damaged file'), t('SQLite can’t read a part of the file. Restore a backup, if there is one.')],
  },
} as const satisfies Readonly<Record<string, Rule>>;

export type RuleName = keyof typeof rules;

/** The rules with their names, in the order of a report. */
export const namedRules = Object.entries(rules) as readonly (readonly [RuleName, Rule])[];

function unfolded(sql: string): TableQuery {
  return { subject: 'message', sql, mends: (uid) => [{ kind: 'fold', uid }] };
}

/** `where`: a condition on a message `m`. */
function link(where: string): TableQuery {
  return {
    subject: 'message',
    sql: `SELECT uid FROM messages m WHERE ${where}`,
    mends: (uid) => [{ kind: 'unlink', uid }],
  };
}

/** `where`: a condition on a message `m`. */
function unshown(where: string): TableQuery {
  return {
    subject: 'message',
    sql: `SELECT uid FROM messages m WHERE ${where}`,
    mends: (uid, sessionId) => [
      { kind: 'show', uid },
      { kind: 'recount', sessionId },
    ],
  };
}

function detach(sessionId: string): RepairStep {
  return { kind: 'detach', sessionId };
}

function detailOf(parentId: string | null): { readonly detail?: string } {
  return parentId === null ? {} : { detail: parentId };
}

function isOwnAncestor(sessions: Sessions, id: string, parentId: string | null): boolean {
  const seen = new Set<string>();
  for (let next = parentId; next !== null && !seen.has(next); next = sessions.get(next)?.parentId ?? null) {
    if (next === id) return true;
    seen.add(next);
  }
  return false;
}
