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
