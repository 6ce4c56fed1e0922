/** Version 8: pieces of open answers in the order in which they come, without an index: a commit of one changes one
 *  page. The table has rows only while an answer is open, so it is read whole. Moves them and changes none. */
export const schemaVersion8 = `
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
`;
