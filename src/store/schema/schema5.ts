/** Version 5: sessions that are created or erased in slices, and indexes for lookups in long sessions. Adds to
 *  version 4 and changes nothing that the user has seen. */
export const schemaVersion5 = `
ALTER TABLE sessions ADD COLUMN pending TEXT CHECK (pending IN ('made', 'erased'));
CREATE INDEX sessions_pending ON sessions (id) WHERE pending IS NOT NULL;
CREATE INDEX messages_absorbed ON messages (absorbed_into) WHERE absorbed_into IS NOT NULL;
CREATE INDEX messages_wire_texts ON messages (session_id, position) WHERE api_content IS NOT NULL;
`;
