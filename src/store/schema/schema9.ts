/** Version 9: what happened to one file, over all sessions: see `Reviews`. Changes no rows. */
export const schemaVersion9 = `
CREATE INDEX file_changes_path ON file_changes (path, changed_at);
`;
