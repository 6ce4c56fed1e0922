/** Version 6: the amount that a session may cost before the user is asked again, and an index for the cost of a day.
 *  Adds to version 5 and changes nothing that the user has seen. */
export const schemaVersion6 = `
ALTER TABLE sessions ADD COLUMN spending_allowed REAL;
CREATE INDEX turns_settled ON turns (settled_at) WHERE state = 'settled';
`;
