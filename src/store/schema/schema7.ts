/** Version 7: the origin of imported sessions. Adds to version 6 and changes nothing that the user has seen. */
export const schemaVersion7 = `
ALTER TABLE sessions ADD COLUMN origin TEXT;
`;
