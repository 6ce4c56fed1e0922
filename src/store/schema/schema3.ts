/** Version 3: modes, sub-agents' calls, files before and after an agent's change, and prompts that hold more than
 *  text. Adds to version 2 and changes nothing that the user has seen. */
export const schemaVersion3 = `
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
`;
