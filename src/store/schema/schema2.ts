/** Version 2: branches, versions of prompts, private and unread sessions, and an outbox in the order of adding. Adds
 *  to version 1 and changes nothing that the user has seen. */
export const schemaVersion2 = `
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
`;
