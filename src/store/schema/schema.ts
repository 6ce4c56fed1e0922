/** Statements that create schema version 1 in an empty file. Names follow Hermes' `state.db` where both have the
 *  thing. docs/store.md explains every table. `search_dirty` and `messages_fts` keep one invariant: a message is
 *  either in the dirty queue or in the index, never both. Triggers enforce it, so no statement elsewhere can leave
 *  old terms in the index. */
export const schemaVersion1 = `
CREATE TABLE state_meta (
  key TEXT PRIMARY KEY NOT NULL,
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY NOT NULL,
  source TEXT NOT NULL DEFAULT 'vscode',
  model TEXT,
  model_config TEXT,
  system_prompt TEXT,
  parent_session_id TEXT,
  parent_kind TEXT CHECK (parent_kind IN ('compression', 'branch', 'delegate')),
  conversation_id TEXT NOT NULL,
  started_at REAL NOT NULL,
  ended_at REAL,
  end_reason TEXT,
  last_activity_at REAL NOT NULL,
  title TEXT,
  title_source TEXT CHECK (title_source IN ('derived', 'model', 'person')),
  preview TEXT,
  message_count INTEGER NOT NULL DEFAULT 0,
  tool_call_count INTEGER NOT NULL DEFAULT 0,
  turn_count INTEGER NOT NULL DEFAULT 0,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens INTEGER NOT NULL DEFAULT 0,
  cache_write_tokens INTEGER NOT NULL DEFAULT 0,
  reasoning_tokens INTEGER NOT NULL DEFAULT 0,
  cwd TEXT,
  git_branch TEXT,
  pinned INTEGER NOT NULL DEFAULT 0,
  archived INTEGER NOT NULL DEFAULT 0,
  trashed_at REAL,
  row_version INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX sessions_activity ON sessions (last_activity_at DESC);
CREATE INDEX sessions_conversation ON sessions (conversation_id);
CREATE INDEX sessions_parent ON sessions (parent_session_id);
CREATE UNIQUE INDEX sessions_continuation ON sessions (parent_session_id) WHERE parent_kind = 'compression';

CREATE TABLE turns (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  conversation_id TEXT NOT NULL,
  user_message_uid TEXT NOT NULL,
  model TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'waiting', 'settled')),
  approval_id TEXT,
  outcome TEXT CHECK (outcome IN ('complete', 'interrupted', 'failed')),
  stop_reason TEXT,
  failure TEXT,
  started_at REAL NOT NULL,
  settled_at REAL,
  usage TEXT,
  supersedes TEXT,
  row_version INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX turns_session ON turns (session_id);
CREATE INDEX turns_conversation ON turns (conversation_id);
CREATE UNIQUE INDEX turns_slot ON turns (conversation_id) WHERE state <> 'settled';

CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  turn_uid TEXT,
  position INTEGER NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
  content TEXT NOT NULL,
  parts TEXT NOT NULL,
  tool_call_id TEXT,
  tool_calls TEXT,
  tool_name TEXT,
  timestamp REAL NOT NULL,
  token_count INTEGER,
  finish_reason TEXT,
  reasoning_content TEXT,
  reasoning_details TEXT,
  active INTEGER NOT NULL DEFAULT 1,
  display_kind TEXT,
  hidden_reason TEXT,
  absorbed_into TEXT,
  carried_from TEXT,
  state TEXT NOT NULL DEFAULT 'final' CHECK (state IN ('streaming', 'final')),
  last_seq INTEGER NOT NULL DEFAULT 0,
  model TEXT,
  usage TEXT,
  api_content TEXT,
  row_version INTEGER NOT NULL DEFAULT 1,
  UNIQUE (session_id, position)
);
CREATE INDEX messages_turn ON messages (turn_uid);
CREATE INDEX messages_shown ON messages (session_id, position) WHERE active = 1 AND display_kind IS NULL;
CREATE INDEX messages_streaming ON messages (session_id) WHERE state = 'streaming';

CREATE TABLE stream_chunks (
  message_uid TEXT NOT NULL REFERENCES messages (uid) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  part INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('text', 'thinking')),
  start INTEGER NOT NULL,
  text TEXT NOT NULL,
  escaped INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (message_uid, seq)
) WITHOUT ROWID;

CREATE TABLE message_revisions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  message_uid TEXT NOT NULL REFERENCES messages (uid) ON DELETE CASCADE,
  revised_at REAL NOT NULL,
  content TEXT NOT NULL,
  parts TEXT NOT NULL,
  row_version INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX message_revisions_message ON message_revisions (message_uid);

CREATE TABLE queue (
  uid TEXT PRIMARY KEY NOT NULL,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  conversation_id TEXT NOT NULL,
  place INTEGER NOT NULL,
  text TEXT NOT NULL,
  created_at REAL NOT NULL,
  row_version INTEGER NOT NULL DEFAULT 1
);
CREATE UNIQUE INDEX queue_order ON queue (conversation_id, place);

CREATE TABLE drafts (
  key TEXT PRIMARY KEY NOT NULL,
  text TEXT NOT NULL,
  updated_at REAL NOT NULL
) WITHOUT ROWID;

CREATE TABLE approvals (
  id TEXT PRIMARY KEY NOT NULL,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  turn_uid TEXT NOT NULL,
  message_uid TEXT NOT NULL,
  call_id TEXT NOT NULL,
  request TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'decided', 'expired')),
  decision TEXT,
  requested_at REAL NOT NULL,
  decided_at REAL,
  row_version INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX approvals_turn ON approvals (turn_uid);

CREATE TABLE outbox (
  uid TEXT PRIMARY KEY NOT NULL,
  provider TEXT NOT NULL,
  session_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  payload TEXT NOT NULL,
  created_at REAL NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at REAL NOT NULL,
  last_error TEXT,
  row_version INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX outbox_due ON outbox (provider, next_attempt_at);

CREATE TRIGGER messages_counted AFTER INSERT ON messages
WHEN new.active = 1 AND new.display_kind IS NULL AND new.carried_from IS NULL
BEGIN
  UPDATE sessions SET message_count = message_count + 1,
    tool_call_count = tool_call_count + (new.tool_call_id IS NOT NULL)
  WHERE id = new.session_id;
END;
CREATE TRIGGER messages_uncounted AFTER DELETE ON messages
WHEN old.active = 1 AND old.display_kind IS NULL AND old.carried_from IS NULL
BEGIN
  UPDATE sessions SET message_count = message_count - 1,
    tool_call_count = tool_call_count - (old.tool_call_id IS NOT NULL)
  WHERE id = old.session_id;
END;
CREATE TRIGGER messages_recounted AFTER UPDATE OF active, display_kind ON messages
WHEN old.carried_from IS NULL
  AND (old.active = 1 AND old.display_kind IS NULL) <> (new.active = 1 AND new.display_kind IS NULL)
BEGIN
  UPDATE sessions SET
    message_count = message_count + iif(new.active = 1 AND new.display_kind IS NULL, 1, -1),
    tool_call_count = tool_call_count
      + iif(new.active = 1 AND new.display_kind IS NULL, 1, -1) * (new.tool_call_id IS NOT NULL)
  WHERE id = new.session_id;
END;
CREATE TRIGGER turns_counted AFTER INSERT ON turns WHEN new.supersedes IS NULL
BEGIN
  UPDATE sessions SET turn_count = turn_count + 1 WHERE id = new.session_id;
END;

CREATE TABLE search_dirty (message_id INTEGER PRIMARY KEY);
CREATE VIEW search_source AS
  SELECT id AS rowid, content FROM messages
  WHERE NOT EXISTS (SELECT 1 FROM search_dirty WHERE message_id = messages.id);
CREATE TRIGGER messages_written AFTER INSERT ON messages
BEGIN
  INSERT OR IGNORE INTO search_dirty (message_id) VALUES (new.id);
END;
CREATE TRIGGER messages_rewriting BEFORE UPDATE OF content ON messages
WHEN old.content IS NOT new.content AND NOT EXISTS (SELECT 1 FROM search_dirty WHERE message_id = old.id)
BEGIN
  DELETE FROM messages_fts WHERE docid = old.id;
END;
CREATE TRIGGER messages_rewritten AFTER UPDATE OF content ON messages WHEN old.content IS NOT new.content
BEGIN
  INSERT OR IGNORE INTO search_dirty (message_id) VALUES (new.id);
END;
CREATE TRIGGER messages_removing BEFORE DELETE ON messages
WHEN NOT EXISTS (SELECT 1 FROM search_dirty WHERE message_id = old.id)
BEGIN
  DELETE FROM messages_fts WHERE docid = old.id;
END;
CREATE TRIGGER messages_removed AFTER DELETE ON messages
BEGIN
  DELETE FROM search_dirty WHERE message_id = old.id;
END;
`;

/** The full-text index. Separate because a damaged one is dropped and rebuilt; everything in it is also in
 *  `messages`. */
export const searchIndexTable = `
CREATE VIRTUAL TABLE messages_fts USING fts4(content="search_source", content, tokenize=unicode61, order=desc);
`;

/** Each step adds to the version before it and changes nothing that the user has seen. The first is version 2. A
 *  released step is never edited. */
export const schemaSteps: readonly string[] = [
  // 2: branches, versions of prompts, private and unread sessions, and an outbox in the order of adding.
  `
ALTER TABLE sessions ADD COLUMN private INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN seen_at REAL;
ALTER TABLE sessions ADD COLUMN branched_from TEXT;
UPDATE sessions SET seen_at = last_activity_at;

ALTER TABLE messages ADD COLUMN copied_from TEXT;
ALTER TABLE messages ADD COLUMN hidden_with TEXT;
CREATE INDEX messages_carried ON messages (carried_from) WHERE carried_from IS NOT NULL;
CREATE INDEX messages_copied ON messages (copied_from) WHERE copied_from IS NOT NULL;
CREATE INDEX messages_versions ON messages (hidden_with) WHERE hidden_with IS NOT NULL;
UPDATE messages SET hidden_with = turn_uid WHERE active = 0 AND hidden_reason = 'retried' AND turn_uid IS NOT NULL;
CREATE INDEX turns_versions ON turns (conversation_id) WHERE supersedes IS NOT NULL;

CREATE TABLE outbox_ordered (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,
  provider TEXT NOT NULL,
  session_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  payload TEXT NOT NULL,
  created_at REAL NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at REAL NOT NULL,
  last_error TEXT,
  row_version INTEGER NOT NULL DEFAULT 1
);
INSERT INTO outbox_ordered (uid, provider, session_id, kind, payload, created_at, attempts, next_attempt_at,
    last_error, row_version)
  SELECT uid, provider, session_id, kind, payload, created_at, attempts, next_attempt_at, last_error, row_version
  FROM outbox ORDER BY rowid;
DROP TABLE outbox;
ALTER TABLE outbox_ordered RENAME TO outbox;
CREATE INDEX outbox_session ON outbox (provider, session_id, id);
`,
  // 3: modes, sub-agents' calls, files before and after an agent's change, and prompts that hold more than text.
  `
ALTER TABLE sessions ADD COLUMN mode TEXT;
ALTER TABLE sessions ADD COLUMN delegated_by TEXT;
ALTER TABLE queue ADD COLUMN parts TEXT;
ALTER TABLE drafts ADD COLUMN parts TEXT;
CREATE INDEX approvals_session ON approvals (session_id, state);

CREATE TABLE file_changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  turn_uid TEXT NOT NULL,
  call_id TEXT NOT NULL,
  path TEXT NOT NULL,
  before_hash TEXT,
  after_known INTEGER NOT NULL DEFAULT 0,
  after_hash TEXT,
  changed_at REAL NOT NULL,
  reviewed TEXT CHECK (reviewed IN ('reverted', 'kept')),
  reviewed_at REAL,
  row_version INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX file_changes_turn ON file_changes (turn_uid);
CREATE INDEX file_changes_session ON file_changes (session_id);
CREATE INDEX file_changes_before ON file_changes (before_hash) WHERE before_hash IS NOT NULL;
CREATE INDEX file_changes_after ON file_changes (after_hash) WHERE after_hash IS NOT NULL;

CREATE TABLE file_contents (
  hash TEXT PRIMARY KEY NOT NULL,
  encoding TEXT NOT NULL CHECK (encoding IN ('raw', 'deflate')),
  bytes BLOB NOT NULL,
  size INTEGER NOT NULL
) WITHOUT ROWID;
`,
  // 4: the reasoning effort of a session's model, and the memory recalled for a turn's prompt.
  `
ALTER TABLE sessions ADD COLUMN effort TEXT;
ALTER TABLE turns ADD COLUMN recalled TEXT;
`,
  // 5: sessions that are created or erased in slices, and indexes for lookups in long sessions.
  `
ALTER TABLE sessions ADD COLUMN pending TEXT CHECK (pending IN ('made', 'erased'));
CREATE INDEX sessions_pending ON sessions (id) WHERE pending IS NOT NULL;
CREATE INDEX messages_absorbed ON messages (absorbed_into) WHERE absorbed_into IS NOT NULL;
CREATE INDEX messages_wire_texts ON messages (session_id, position) WHERE api_content IS NOT NULL;
`,
  // 6: the amount that a session may cost before the user is asked again, and an index for the cost of a day.
  `
ALTER TABLE sessions ADD COLUMN spending_allowed REAL;
CREATE INDEX turns_settled ON turns (settled_at) WHERE state = 'settled';
`,
  // 7: the origin of imported sessions.
  `
ALTER TABLE sessions ADD COLUMN origin TEXT;
`,
  // 8: pieces of open answers in the order in which they come, without an index: a commit of one changes one page.
  // The table has rows only while an answer is open, so it is read whole. Moves them and changes none.
  `
ALTER TABLE stream_chunks RENAME TO stream_chunks_before_8;
CREATE TABLE stream_chunks (
  message_uid TEXT NOT NULL REFERENCES messages (uid) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  part INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('text', 'thinking')),
  start INTEGER NOT NULL,
  text TEXT NOT NULL,
  escaped INTEGER NOT NULL DEFAULT 0
);
INSERT INTO stream_chunks SELECT * FROM stream_chunks_before_8 ORDER BY message_uid, seq;
DROP TABLE stream_chunks_before_8;
`,
  // 9: what happened to one file, over all sessions: see `Reviews`.
  `
CREATE INDEX file_changes_path ON file_changes (path, changed_at);
`,
  // 10: the custom agent that answers in a session, by its name.
  `
ALTER TABLE sessions ADD COLUMN agent TEXT;
`,
];
