import { parsedJson } from '../../../transcript/json';
import * as v from 'valibot';
import { allClosingTexts } from '../../../transcript/closingText';
import type { SqlDatabase, SqlRow, SqlValue } from '../../engine/sqlDatabase';
import { readText } from './columns';
import { encodeParts } from './partsJson';

/** Tables whose rows come from other stores too. */
export const importedTables = [
  'sessions',
  'turns',
  'stream_chunks',
  'messages',
  'message_revisions',
  'queue',
  'drafts',
  'approvals',
  'outbox',
  'state_meta',
  'file_changes',
  'file_contents',
] as const;
export type ImportedTable = (typeof importedTables)[number];

/** A text that shows as another one, or leads elsewhere when it is taken for a path or a part of one. */
const oddName = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\]|(^|\/)\.{1,2}(\/|$)/u;
/** Reading a device may never end, and reading from another computer tells it who the user is. */
const oddPath =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(^|[\\/])\.{1,2}([\\/]|$)|^\/(dev|proc|sys)\/|^([\\/]{2}|[a-z]+:\/\/[^/]+\/\/)/iu;
const longestName = 1000;
const nameColumns = ['id', 'uid', 'session_id', 'turn_uid', 'conversation_id', 'message_uid', 'parent_session_id'];

/** Where a column's value may come from when somebody else wrote the row.
 *  - `data`: from anywhere. It is shown, or it describes what is shown.
 *  - `mark`: from anywhere. How the user keeps a conversation; travels apart from its transcript.
 *  - `file`: from a file that the user chose, never from a server.
 *  - `here`: from this store alone. It gives rights, reaches a model unseen, or says something about this store. */
type Treatment = 'data' | 'mark' | 'file' | 'here';

/** Every column of every table that rows come to from elsewhere, but the row number. */
export const treatments: { readonly [T in ImportedTable]: Readonly<Record<string, Treatment>> } = {
  sessions: {
    ...all('data', 'id', 'source', 'model', 'parent_session_id', 'parent_kind', 'conversation_id', 'started_at'),
    ...all('data', 'ended_at', 'end_reason', 'last_activity_at', 'preview', 'input_tokens', 'output_tokens'),
    ...all('data', 'cache_read_tokens', 'cache_write_tokens', 'reasoning_tokens', 'cwd', 'git_branch'),
    ...all('data', 'branched_from', 'delegated_by', 'row_version'),
    ...all('mark', 'title', 'title_source', 'pinned', 'archived', 'trashed_at', 'effort'),
    ...all('file', 'private', 'seen_at'),
    ...all('here', 'mode', 'agent', 'spending_allowed', 'pending', 'origin', 'model_config', 'system_prompt'),
    ...all('here', 'message_count', 'tool_call_count', 'turn_count'),
  },
  turns: {
    ...all('data', 'uid', 'session_id', 'conversation_id', 'user_message_uid', 'model', 'state', 'approval_id'),
    ...all('data', 'outcome', 'stop_reason', 'failure', 'started_at', 'settled_at', 'usage', 'supersedes', 'recalled'),
    ...all('data', 'row_version'),
  },
  messages: {
    ...all('data', 'uid', 'session_id', 'turn_uid', 'position', 'role', 'content', 'parts', 'tool_call_id'),
    ...all('data', 'tool_calls', 'tool_name', 'timestamp', 'token_count', 'finish_reason', 'reasoning_content'),
    ...all('data', 'reasoning_details', 'active', 'display_kind', 'hidden_reason', 'absorbed_into', 'carried_from'),
    ...all('data', 'copied_from', 'hidden_with', 'state', 'last_seq', 'model', 'usage', 'row_version'),
    ...all('here', 'api_content'),
  },
  stream_chunks: all('data', 'message_uid', 'seq', 'part', 'kind', 'start', 'text', 'escaped'),
  message_revisions: all('data', 'message_uid', 'revised_at', 'content', 'parts', 'row_version'),
  approvals: {
    ...all('data', 'id', 'session_id', 'turn_uid', 'message_uid', 'call_id', 'request', 'state', 'decision'),
    ...all('data', 'requested_at', 'decided_at', 'row_version'),
  },
  queue: all('data', 'uid', 'session_id', 'conversation_id', 'place', 'text', 'parts', 'created_at', 'row_version'),
  outbox: {
    ...all('file', 'uid', 'provider', 'session_id', 'kind', 'payload', 'created_at', 'attempts', 'next_attempt_at'),
    ...all('file', 'last_error', 'row_version'),
  },
  drafts: all('data', 'key', 'text', 'parts', 'updated_at'),
  state_meta: all('file', 'key', 'value'),
  file_changes: {
    ...all('data', 'uid', 'session_id', 'turn_uid', 'call_id', 'path', 'before_hash', 'after_known', 'after_hash'),
    ...all('data', 'changed_at', 'reviewed', 'reviewed_at', 'row_version'),
  },
  file_contents: all('data', 'hash', 'encoding', 'bytes', 'size'),
};

function all(treatment: Treatment, ...columns: readonly string[]): Readonly<Record<string, Treatment>> {
  return Object.fromEntries(columns.map((column) => [column, treatment]));
}

/** Columns of a table with one of these treatments. */
export function columnsWith(table: ImportedTable, ...wanted: readonly Treatment[]): readonly string[] {
  return Object.entries(treatments[table])
    .filter(([, treatment]) => wanted.includes(treatment))
    .map(([column]) => column);
}

/** A row that somebody else wrote, without what gives rights in this store or reaches a model unseen. An approval
 *  grants nothing beyond its own call. Columns that this list does not name are left out. */
export function withoutRights(table: ImportedTable, row: SqlRow, from: 'file' | 'server'): SqlRow {
  const columns = treatments[table];
  const kept: Record<string, SqlValue> = {};
  for (const [column, value] of Object.entries(row)) {
    const treatment = Object.hasOwn(columns, column) ? columns[column] : 'here';
    if (treatment === 'here' || (treatment === 'file' && from === 'server')) continue;
    kept[column] = value;
  }
  if (table === 'turns' && !isPlainUsage(readText(kept, 'usage', null))) kept['usage'] = null;
  if (table === 'approvals' && grantsMore(kept)) kept['decision'] = JSON.stringify({ kind: 'allow', scope: 'once' });
  // A model gets this row and the user does not see it: it may say only what this product says in it.
  if (table === 'messages' && kept['display_kind'] === 'closing' && !isOurClosing(kept)) kept['display_kind'] = null;
  return kept;
}

/** False for a row that no store of this product writes: its ids would be shown as others, or its path must not even
 *  be read. */
export function hasSoundNames(table: ImportedTable, row: SqlRow): boolean {
  if (table === 'file_changes' && isOdd(row['path'], oddPath)) return false;
  if (table === 'sessions' && String(row['id'] ?? '').includes('/')) return false;
  return nameColumns.every((column) => !isOdd(row[column], oddName));
}

function isOdd(value: SqlValue | undefined, odd: RegExp): boolean {
  return typeof value === 'string' && (value.length > longestName || odd.test(value));
}

/** False for a cost that would be read as one below zero: it would raise what a session may spend. SQLite and
 *  JavaScript differ about a name that is there twice, so the text must be as JavaScript writes it. */
function isPlainUsage(usage: string | null): boolean {
  if (usage === null) return true;
  const parsed = parsedJson(usage);
  return (
    v.is(v.object({ costUsd: v.nullish(v.pipe(v.number(), v.minValue(0))) }), parsed) &&
    JSON.stringify(parsed) === usage
  );
}

const closingParts: ReadonlySet<unknown> = new Set(
  allClosingTexts.map((text) => encodeParts([{ kind: 'text', text }])),
);

function isOurClosing(row: SqlRow): boolean {
  return row['role'] === 'assistant' && closingParts.has(row['parts']);
}

const once = v.strictObject({ kind: v.literal('allow'), scope: v.literal('once') });

/** True for a decision that is no plain denial, and not "this call, once" either. */
function grantsMore(row: SqlRow): boolean {
  const decision = parsedJson(readText(row, 'decision', 'null'));
  const isDenial = v.is(v.object({ kind: v.literal('deny') }), decision);
  return decision !== null && !isDenial && !v.is(once, decision);
}

/** Shows what a model would get unseen of these conversations: carried rows that repeat no shown row, and rows of a
 *  kind that is not shown where they are. Runs inside its caller's transaction. */
export function showWhatIsSent(database: SqlDatabase, conversationIds: readonly string[]): void {
  const conversations = JSON.stringify(conversationIds);
  const own = 'session_id IN (SELECT id FROM sessions WHERE conversation_id IN (SELECT value FROM json_each(?1)))';
  const repeats =
    'JOIN messages o ON o.uid = c.carried_from AND o.parts = c.parts AND o.role = c.role AND o.active = 1';
  const { changes } = database.run(
    `WITH RECURSIVE carried AS (
       SELECT uid, carried_from, parts, role FROM messages WHERE carried_from IS NOT NULL AND active = 1 AND ${own}),
     repeated (uid) AS (
       SELECT c.uid FROM carried c ${repeats} AND o.carried_from IS NULL AND o.${own}
       UNION
       SELECT c.uid FROM repeated JOIN carried c ON c.carried_from = repeated.uid ${repeats})
     UPDATE messages SET carried_from = NULL
     WHERE uid IN (SELECT uid FROM carried) AND uid NOT IN (SELECT uid FROM repeated)`,
    [conversations],
  );
  // The first segment of a conversation that is no branch has no summary of an earlier one.
  database.run(
    `UPDATE messages SET display_kind = NULL WHERE active = 1 AND display_kind IS NOT NULL AND display_kind <> 'closing'
       AND ${own} AND (display_kind <> 'handoff' OR EXISTS (SELECT 1 FROM sessions s
         WHERE s.id = messages.session_id AND s.id = s.conversation_id AND s.parent_kind IS NOT 'branch'))`,
    [conversations],
  );
  if (changes === 0) return;
  const counted = 'FROM messages m WHERE m.session_id = sessions.id AND active = 1 AND display_kind IS NULL';
  database.run(
    `UPDATE sessions SET message_count = (SELECT count(*) ${counted} AND carried_from IS NULL),
       tool_call_count = (SELECT count(*) ${counted} AND carried_from IS NULL AND tool_call_id IS NOT NULL)
     WHERE conversation_id IN (SELECT value FROM json_each(?1))`,
    [conversations],
  );
}
