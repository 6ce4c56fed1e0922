import type { SqlDatabase } from '../../engine/sqlDatabase';
import { integerOr, textOr } from '../tables/columns';
import { hashOf, unpacked } from '../tables/fileChangeTable';

export type StoreRuleId =
  | 'unfoldedChunks'
  | 'chunkGap'
  | 'streamingWithoutTurn'
  | 'unansweredCall'
  | 'turnWithoutAnswer'
  | 'unreadableMessage'
  | 'wrongCount'
  | 'missingFirstSegment'
  | 'endedWithoutContinuation'
  | 'shownAndHidden'
  | 'hiddenWithMissingTurn'
  | 'copyOfMissing'
  | 'waitingWithoutApproval'
  | 'approvalWithoutTurn'
  | 'unnamedContent'
  | 'turnElsewhere';

/** An invariant of ours over the stored rows: the query returns the uids that violate it. */
interface StoreRule {
  readonly id: StoreRuleId;
  readonly broken: string;
  readonly sql: string;
}

const shown = `active = 1 AND display_kind IS NULL`;

export const storeRules: readonly StoreRule[] = [
  {
    id: 'unfoldedChunks',
    broken: 'a final message has chunks that were not folded into it',
    sql: "SELECT DISTINCT uid FROM messages JOIN stream_chunks ON message_uid = uid WHERE state = 'final'",
  },
  {
    id: 'chunkGap',
    broken: 'the chunks of a message have a gap',
    sql: `SELECT uid FROM messages m JOIN stream_chunks c ON c.message_uid = m.uid GROUP BY m.uid
      HAVING min(c.seq) <> m.last_seq + 1 OR max(c.seq) - min(c.seq) + 1 <> count(*)`,
  },
  {
    id: 'streamingWithoutTurn',
    broken: 'a message is still streaming and has no open turn',
    sql: `SELECT uid FROM messages m WHERE state = 'streaming'
      AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.uid = m.turn_uid AND t.state <> 'settled')`,
  },
  {
    id: 'unansweredCall',
    broken: 'a settled turn has a call without a result',
    sql: `SELECT DISTINCT m.uid FROM messages m
      JOIN turns t ON t.uid = m.turn_uid AND t.state = 'settled', json_each(m.tool_calls) c
      WHERE m.active = 1 AND m.tool_calls IS NOT NULL AND json_valid(m.tool_calls)
        AND NOT EXISTS (SELECT 1 FROM messages r
          WHERE r.session_id = m.session_id AND r.active = 1 AND r.position > m.position
          AND r.tool_call_id = json_extract(c.value, '$.id'))`,
  },
  {
    id: 'turnWithoutAnswer',
    broken: 'a settled turn does not end with an answer',
    sql: `SELECT t.uid FROM turns t JOIN messages m ON m.id = (
        SELECT l.id FROM messages l WHERE l.turn_uid = t.uid AND l.active = 1 ORDER BY l.position DESC LIMIT 1)
      WHERE t.state = 'settled' AND (m.role <> 'assistant' OR m.tool_calls IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM messages a WHERE a.turn_uid = t.uid AND a.absorbed_into IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM messages a WHERE a.session_id = m.session_id AND a.absorbed_into = m.uid)`,
  },
  {
    id: 'unreadableMessage',
    broken: 'a message cannot be read',
    sql: 'SELECT uid FROM messages WHERE NOT json_valid(parts)',
  },
  {
    id: 'wrongCount',
    broken: 'a session counts its messages wrongly',
    sql: `SELECT id AS uid FROM sessions s WHERE message_count <>
      (SELECT count(*) FROM messages m WHERE m.session_id = s.id AND ${shown} AND carried_from IS NULL)`,
  },
  {
    id: 'missingFirstSegment',
    broken: 'a session belongs to a conversation whose first segment is missing',
    sql: `SELECT id AS uid FROM sessions s
      WHERE NOT EXISTS (SELECT 1 FROM sessions root WHERE root.id = s.conversation_id)`,
  },
  {
    id: 'endedWithoutContinuation',
    broken: 'a session that was compressed is not continued by a segment with a handoff',
    sql: `SELECT id AS uid FROM sessions s WHERE end_reason = 'compression' AND NOT EXISTS (SELECT 1 FROM sessions c
      JOIN messages h ON h.session_id = c.id AND h.display_kind = 'handoff' AND h.content <> ''
      WHERE c.parent_session_id = s.id AND c.parent_kind = 'compression')`,
  },
  {
    id: 'shownAndHidden',
    broken: 'a message is shown and marked as hidden with a version of a prompt',
    sql: 'SELECT uid FROM messages WHERE hidden_with IS NOT NULL AND active = 1',
  },
  {
    id: 'hiddenWithMissingTurn',
    broken: 'a message is hidden with a turn that is not stored',
    sql: `SELECT uid FROM messages m
      WHERE hidden_with IS NOT NULL AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.uid = m.hidden_with)`,
  },
  {
    id: 'copyOfMissing',
    broken: 'a message is a copy of one that is not stored',
    // In a synchronized store the original may be on its way, or be a part of what another machine made a branch of.
    sql: `SELECT uid FROM messages m
      WHERE copied_from IS NOT NULL AND NOT EXISTS (SELECT 1 FROM messages o WHERE o.uid = m.copied_from)
      AND NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'sync_changes')`,
  },
  {
    id: 'waitingWithoutApproval',
    broken: 'a turn waits for an approval that is not pending',
    sql: `SELECT uid FROM turns t
      WHERE state = 'waiting' AND NOT EXISTS (SELECT 1 FROM approvals a
      WHERE a.id = t.approval_id AND a.turn_uid = t.uid AND a.state = 'pending')`,
  },
  {
    id: 'approvalWithoutTurn',
    broken: 'an approval is pending for which no turn waits',
    sql: `SELECT id AS uid FROM approvals a
      WHERE state = 'pending' AND NOT EXISTS (SELECT 1 FROM turns t
      WHERE t.uid = a.turn_uid AND t.state = 'waiting' AND t.approval_id = a.id)`,
  },
  {
    id: 'unnamedContent',
    broken: 'a file content is kept that no change names',
    sql: `SELECT hash AS uid FROM file_contents f
      WHERE NOT EXISTS (SELECT 1 FROM file_changes c WHERE c.before_hash = f.hash)
      AND NOT EXISTS (SELECT 1 FROM file_changes c WHERE c.after_hash = f.hash)`,
  },
  {
    id: 'turnElsewhere',
    broken: 'a turn stands in another conversation than its session',
    sql: `SELECT t.uid FROM turns t JOIN sessions s ON s.id = t.session_id
      WHERE t.conversation_id <> s.conversation_id`,
  },
];

const mostNamed = 5;

/** Returns the problems found in the stored rows; empty when there are none. */
type Check = (database: SqlDatabase) => readonly string[];

/** Excludes SQLite's findings on the full-text index: it is checked separately, because it can be rebuilt. */
export const fileCheck: Check = (database) =>
  database
    .all('PRAGMA integrity_check')
    .flatMap((row) => Object.values(row))
    .filter((line): line is string => typeof line === 'string' && line !== 'ok' && !line.includes('messages_fts'));

const orphanCheck: Check = (database) =>
  database.all('PRAGMA foreign_key_check').map((row) => `a row of ${textOr(row, 'table', '?')} belongs to nothing`);

/** Stored file contents must match their hash; otherwise a revert would write wrong content. */
const contentCheck: Check = (database) => {
  const broken: string[] = [];
  for (const row of database.iterate('SELECT * FROM file_contents')) {
    const bytes = unpacked(row);
    const hash = textOr(row, 'hash', '?');
    if (bytes === null || hashOf(bytes) !== hash || bytes.length !== integerOr(row, 'size', -1))
      broken.push(`a file content is not what it was: ${hash}`);
  }
  return broken.slice(0, mostNamed);
};

/** SQLite's own check of the file and its foreign keys, then our checks of the rows. */
export const transcriptChecks: readonly Check[] = [
  fileCheck,
  orphanCheck,
  contentCheck,
  ...storeRules.map(
    (rule): Check =>
      (database) =>
        database.all(`${rule.sql} LIMIT ${mostNamed}`).map((row) => `${rule.broken}: ${textOr(row, 'uid', '?')}`),
  ),
];
