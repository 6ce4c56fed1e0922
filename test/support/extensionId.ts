import identity from '../../scripts/identity.json';

/** The extension under test, as VS Code names it. */
export const EXTENSION_ID = `${identity.publisher}.${identity.name}`;
