/** Version 5: sessions that are being made or erased in slices, and indexes for what long sessions look up. Adds to version 4 and changes nothing a
 *  person saw. */
export const schemaVersion5 = `
ALTER TABLE sessions ADD COLUMN pending TEXT CHECK (pending IN ('made', 'erased'));
CREATE INDEX sessions_pending ON sessions (id) WHERE pending IS NOT NULL;
CREATE INDEX messages_absorbed ON messages (absorbed_into) WHERE absorbed_into IS NOT NULL;
CREATE INDEX messages_wire_texts ON messages (session_id, position) WHERE api_content IS NOT NULL;
`;
