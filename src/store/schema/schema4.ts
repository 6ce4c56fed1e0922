/** Version 4: the reasoning effort of a session's model, and the memory recalled for a turn's prompt. Adds to
 *  version 3 and changes nothing that the user has seen. */
export const schemaVersion4 = `
ALTER TABLE sessions ADD COLUMN effort TEXT;
ALTER TABLE turns ADD COLUMN recalled TEXT;
`;
