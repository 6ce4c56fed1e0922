/** Version 4: how hard a session's model thinks, and what memory found for a turn's prompt. Adds to version 3 and changes nothing a person saw. */
export const schemaVersion4 = `
ALTER TABLE sessions ADD COLUMN effort TEXT;
ALTER TABLE turns ADD COLUMN recalled TEXT;
`;
