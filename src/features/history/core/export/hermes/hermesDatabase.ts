import { readWhole } from '../../../../../store/engine/fileSystem';
import type { SqlDatabase } from '../../../../../store/engine/sqlDatabase';
import { SqlJsDatabase } from '../../../../../store/engine/sqlJsDatabase';
import type { ReadingDeps } from '../../../../../store/library/foreignStore';
import { filledCopy } from '../../../../../store/library/storeCopy';
import { storeFiles } from '../../../../../store/open/storeFiles';
import type { Session, TitleSource } from '../../../../../transcript/session';
import type { ExportedSession } from '../../../../../transcript/readable/transcriptExport';
import { hermesRow, type Columns } from './hermesRow';
import { insertRow } from '../../../../../store/session/tables/columns';
import type { HermesUsage } from './hermesUsage';

/** Hermes' words for who wrote a title. */
const titleSources: { readonly [S in TitleSource]: string } = { derived: 'derived', model: 'llm', person: 'user' };

interface Kept {
  readonly source: string;
  readonly marks: Readonly<Record<string, string>>;
}

/** Makes rows of `sessions`, parents before their children. Each segment is a session of its own, as when Hermes
 *  compresses into a new one: the parent ends with `compression`, and the child has no mark of its own. A branch names
 *  its origin in `_branched_from`, and a sub-agent its caller in `_delegate_from`. A continuation inherits the
 *  marks. */
class HermesSessions {
  private readonly kept = new Map<string, Kept>();
  private readonly titles = new Set<string>();

  /** `sessions`: all that the file gets. A parent that is not among them is not named. */
  constructor(private readonly sessions: ReadonlyMap<string, Session>) {}

  rowOf({ session, messages }: ExportedSession): Columns {
    const { source, marks } = this.keep(session);
    const isContinued = this.isContinued(session.id);
    const active = messages.filter(({ visibility }) => visibility.kind !== 'hidden');
    const answers = active.flatMap((message) => (message.role === 'assistant' ? [message] : []));
    // Hermes demands different titles, and shows a conversation by its newest segment.
    const title = isContinued || session.title === null ? null : this.ownTitle(session.title);
    // A segment that ended without a continuation would be closed for ever.
    const hasEnded = isContinued || session.endReason !== 'compression';
    return {
      id: session.id,
      source,
      created_source: source,
      model: session.model ?? answers.findLast(({ model }) => model !== null)?.model ?? null,
      model_config: Object.keys(marks).length === 0 ? null : JSON.stringify(marks),
      parent_session_id: this.parentOf(session),
      started_at: session.startedAt,
      ended_at: hasEnded ? session.endedAt : null,
      end_reason: hasEnded ? session.endReason : null,
      message_count: active.length,
      tool_call_count: answers.reduce(
        (sum, { parts }) => sum + parts.filter(({ kind }) => kind === 'toolCall').length,
        0,
      ),
      cwd: session.folder,
      title,
      title_source: title === null || session.titleSource === null ? null : titleSources[session.titleSource],
      last_activity_at: session.lastActiveAt,
      archived: session.archived ? 1 : 0,
      pinned: session.pinned ? 1 : 0,
    };
  }

  private parentOf({ parentSessionId }: Session): string | null {
    return parentSessionId !== null && this.sessions.has(parentSessionId) ? parentSessionId : null;
  }

  private keep(session: Session): Kept {
    const parent = this.parentOf(session);
    const kept = keptOf(session, parent, parent === null ? undefined : this.kept.get(parent));
    this.kept.set(session.id, kept);
    return kept;
  }

  private isContinued(id: string): boolean {
    return [...this.sessions.values()].some(
      ({ parentSessionId, parentKind }) => parentSessionId === id && parentKind === 'compression',
    );
  }

  private ownTitle(title: string): string {
    let own = title;
    for (let number = 2; this.titles.has(own); number++) own = `${title} #${number}`;
    this.titles.add(own);
    return own;
  }
}

function keptOf({ parentKind }: Session, parent: string | null, inherited: Kept | undefined): Kept {
  const plain = { source: 'cli', marks: {} };
  if (parent === null) return plain;
  switch (parentKind) {
    case 'compression':
      return inherited ?? plain;
    case 'branch':
      return { source: 'cli', marks: { _branched_from: parent } };
    case 'delegate':
      return { source: 'subagent', marks: { _delegate_from: parent } };
    case null:
      return plain;
    default:
      return parentKind satisfies never;
  }
}

/** Tables, columns and indexes of Hermes Agent's `state.db` of version 30 (SCHEMA_SQL and DEFERRED_INDEX_SQL in its
 *  hermes_state_common.py, and idx_sessions_title_unique in its hermes_state_schema.py). Its full-text tables need
 *  FTS5, which the engine here lacks, and its triggers serve them or columns that are empty here. Hermes makes both
 *  when it first opens the file to write, and fills the full-text tables, because their triggers are missing. So
 *  nothing here may have a name that begins with `messages_fts`, or a key that begins with `fts_`. */
const hermesSchema = `
CREATE TABLE schema_version (version INTEGER NOT NULL);
INSERT INTO schema_version (version) VALUES (30);
CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE system_prompts (hash TEXT PRIMARY KEY, prompt TEXT NOT NULL);
CREATE TABLE sessions (
  id TEXT PRIMARY KEY, source TEXT NOT NULL, created_source TEXT, user_id TEXT, session_key TEXT, chat_id TEXT,
  chat_type TEXT, thread_id TEXT, display_name TEXT, origin_json TEXT, expiry_finalized INTEGER DEFAULT 0, model TEXT,
  model_config TEXT, system_prompt TEXT, system_prompt_hash TEXT, parent_session_id TEXT, started_at REAL NOT NULL,
  ended_at REAL, end_reason TEXT, message_count INTEGER DEFAULT 0, tool_call_count INTEGER DEFAULT 0,
  input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0, cache_read_tokens INTEGER DEFAULT 0,
  cache_write_tokens INTEGER DEFAULT 0, reasoning_tokens INTEGER DEFAULT 0, cwd TEXT, git_branch TEXT,
  git_repo_root TEXT, git_metadata_generation INTEGER NOT NULL DEFAULT 0, billing_provider TEXT, billing_base_url TEXT,
  billing_mode TEXT, estimated_cost_usd REAL, actual_cost_usd REAL, cost_status TEXT, cost_source TEXT,
  pricing_version TEXT, title TEXT, title_source TEXT, last_activity_at REAL, last_activity_description TEXT,
  last_activity_provenance TEXT, api_call_count INTEGER DEFAULT 0, handoff_state TEXT, handoff_platform TEXT,
  handoff_error TEXT, compression_failure_cooldown_until REAL, compression_failure_error TEXT,
  compression_fallback_streak INTEGER NOT NULL DEFAULT 0, compression_ineffective_count INTEGER NOT NULL DEFAULT 0,
  compression_recovery_deadline REAL, compression_overload_streak INTEGER NOT NULL DEFAULT 0, profile_name TEXT,
  transport_profile TEXT, rewind_count INTEGER NOT NULL DEFAULT 0, archived INTEGER NOT NULL DEFAULT 0,
  pinned INTEGER NOT NULL DEFAULT 0, hidden INTEGER NOT NULL DEFAULT 0, last_read_at REAL, tool_names TEXT,
  FOREIGN KEY (parent_session_id) REFERENCES sessions (id),
  FOREIGN KEY (system_prompt_hash) REFERENCES system_prompts (hash)
);
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions (id), role TEXT NOT NULL,
  content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, effect_disposition TEXT, timestamp REAL NOT NULL,
  token_count INTEGER, finish_reason TEXT, reasoning TEXT, reasoning_content TEXT, reasoning_details TEXT,
  codex_reasoning_items TEXT, codex_message_items TEXT, platform_message_id TEXT, observed INTEGER DEFAULT 0,
  _compressed_summary INTEGER NOT NULL DEFAULT 0, active INTEGER NOT NULL DEFAULT 1,
  compacted INTEGER NOT NULL DEFAULT 0, api_content TEXT, display_kind TEXT, display_metadata TEXT,
  display_identity BLOB, display_order INTEGER
);
CREATE TABLE session_model_usage (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, model TEXT NOT NULL,
  billing_provider TEXT NOT NULL DEFAULT '', billing_base_url TEXT NOT NULL DEFAULT '',
  billing_mode TEXT NOT NULL DEFAULT '', task TEXT NOT NULL DEFAULT '', api_call_count INTEGER NOT NULL DEFAULT 0,
  input_tokens INTEGER NOT NULL DEFAULT 0, output_tokens INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens INTEGER NOT NULL DEFAULT 0, cache_write_tokens INTEGER NOT NULL DEFAULT 0,
  reasoning_tokens INTEGER NOT NULL DEFAULT 0, estimated_cost_usd REAL NOT NULL DEFAULT 0,
  actual_cost_usd REAL NOT NULL DEFAULT 0, cost_status TEXT, cost_source TEXT, first_seen REAL, last_seen REAL,
  PRIMARY KEY (session_id, model, billing_provider, billing_base_url, billing_mode, task)
);
CREATE TABLE gateway_routing (
  scope TEXT NOT NULL DEFAULT '', session_key TEXT NOT NULL, entry_json TEXT NOT NULL, updated_at REAL NOT NULL,
  PRIMARY KEY (scope, session_key)
);
CREATE TABLE gateway_hygiene_state (session_key TEXT PRIMARY KEY, failure_streak INTEGER NOT NULL DEFAULT 0);
CREATE TABLE conversation_generations (
  source TEXT NOT NULL, session_key TEXT NOT NULL, generation INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (source, session_key)
);
CREATE TABLE gateway_heartbeats (
  backend_id TEXT PRIMARY KEY, pid INTEGER NOT NULL, started_at REAL NOT NULL, last_heartbeat REAL NOT NULL,
  profile TEXT NOT NULL DEFAULT '', host TEXT NOT NULL DEFAULT ''
);
CREATE TABLE compression_locks (
  session_id TEXT PRIMARY KEY, holder TEXT NOT NULL, acquired_at REAL NOT NULL, expires_at REAL NOT NULL
);
CREATE TABLE session_turn_leases (
  conversation_id TEXT PRIMARY KEY, holder TEXT NOT NULL, acquired_at REAL NOT NULL, expires_at REAL NOT NULL
);
CREATE TABLE async_delegations (
  delegation_id TEXT PRIMARY KEY, origin_session TEXT NOT NULL, origin_ui_session_id TEXT NOT NULL DEFAULT '',
  parent_session_id TEXT, state TEXT NOT NULL, dispatched_at REAL NOT NULL, completed_at REAL,
  updated_at REAL NOT NULL, event_json TEXT, result_json TEXT, delivery_state TEXT NOT NULL DEFAULT 'pending',
  delivery_attempts INTEGER NOT NULL DEFAULT 0, delivered_at REAL, owner_pid INTEGER, owner_started_at INTEGER,
  task_json TEXT, delivery_claim TEXT, delivery_claimed_at REAL, origin_session_id TEXT NOT NULL DEFAULT ''
);
CREATE INDEX idx_sessions_source ON sessions (source);
CREATE INDEX idx_sessions_source_id ON sessions (source, id);
CREATE INDEX idx_sessions_parent ON sessions (parent_session_id);
CREATE INDEX idx_sessions_started ON sessions (started_at DESC);
CREATE INDEX idx_sessions_session_key ON sessions (session_key, started_at DESC);
CREATE INDEX idx_sessions_gateway_peer ON sessions (source, user_id, chat_id, chat_type, thread_id, started_at DESC);
CREATE INDEX idx_sessions_handoff_state ON sessions (handoff_state, started_at);
CREATE INDEX idx_sessions_system_prompt_hash ON sessions (system_prompt_hash);
CREATE INDEX idx_sessions_tool_names ON sessions (tool_names);
CREATE INDEX idx_sessions_effective_activity
  ON sessions (COALESCE(last_activity_at, started_at) DESC, started_at DESC);
CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions (title) WHERE title IS NOT NULL;
CREATE INDEX idx_messages_session ON messages (session_id, timestamp);
CREATE INDEX idx_messages_session_id ON messages (session_id, id);
CREATE INDEX idx_messages_assistant_calls_by_session ON messages (session_id)
  WHERE role = 'assistant' AND tool_calls IS NOT NULL;
CREATE INDEX idx_messages_platform_msg_id ON messages (session_id, platform_message_id)
  WHERE platform_message_id IS NOT NULL;
CREATE INDEX idx_messages_session_active ON messages (session_id, active, timestamp);
CREATE INDEX idx_messages_display_page ON messages (session_id, display_order, active DESC, id DESC)
  WHERE active = 1 OR compacted = 1;
CREATE INDEX idx_messages_display_backfill ON messages (session_id)
  WHERE (display_order IS NULL OR display_identity IS NULL) AND (active = 1 OR compacted = 1);
CREATE INDEX idx_messages_display_identity ON messages (session_id, display_identity, display_order)
  WHERE display_identity IS NOT NULL AND (active = 1 OR compacted = 1);
CREATE INDEX idx_messages_active_null ON messages (active) WHERE active IS NULL;
CREATE INDEX idx_compression_locks_expires ON compression_locks (expires_at);
CREATE INDEX idx_session_turn_leases_expires ON session_turn_leases (expires_at);
CREATE INDEX idx_session_model_usage_session ON session_model_usage (session_id);
CREATE INDEX idx_session_model_usage_model ON session_model_usage (model);
CREATE INDEX idx_async_delegations_delivery ON async_delegations (delivery_state, completed_at);
`;

/** Sessions for a `state.db`, one for each segment. */
export interface HermesRecords {
  /** All of them, parents before their children. */
  readonly sessions: ReadonlyMap<string, Session>;
  /** Reads the rows of one; null when it no longer exists. */
  read(id: string): Promise<ExportedSession | null>;
  usageOf(id: string): HermesUsage;
}

/** Returns a `state.db` of Hermes Agent with these sessions. */
export async function hermesDatabase(deps: ReadingDeps, records: HermesRecords): Promise<Uint8Array> {
  const { fileSystem, sqlite } = deps;
  const copy = filledCopy(deps, deps.copies, (folder) => fileSystem.open(storeFiles(folder).main, 'createNew').close());
  try {
    const { main: mainPath, log: logPath } = storeFiles(copy.folder);
    const connection = sqlite.connect({ fileSystem, folder: copy.folder, mainPath, logPath, readOnly: false });
    const database = new SqlJsDatabase(connection, () => undefined);
    try {
      database.execute('PRAGMA journal_mode = MEMORY');
      database.execute(hermesSchema);
      const rows = new HermesSessions(records.sessions);
      for (const id of records.sessions.keys()) {
        const record = await records.read(id);
        if (record === null) continue;
        database.transaction(() => insertSession(database, sentOf(record), rows, records.usageOf(id)));
      }
    } finally {
      database.close();
    }
    return readWhole(fileSystem, mainPath);
  } finally {
    copy.remove();
  }
}

/** Leaves out rows that end a turn without an answer: Hermes repairs such a turn itself. */
function sentOf(record: ExportedSession): ExportedSession {
  return { ...record, messages: record.messages.filter(({ visibility }) => visibility.kind !== 'closing') };
}

function insertSession(database: SqlDatabase, record: ExportedSession, rows: HermesSessions, usage: HermesUsage): void {
  const { id } = record.session;
  insertRow(database, 'sessions', { ...rows.rowOf(record), ...usage.totals });
  for (const message of record.messages) insertRow(database, 'messages', { ...hermesRow(message), session_id: id });
  for (const row of usage.byModel) insertRow(database, 'session_model_usage', { ...row, session_id: id });
}
