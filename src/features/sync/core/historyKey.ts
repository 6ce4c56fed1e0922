import { createHash } from 'node:crypto';

/** Sessions that belong together on all machines. */
export interface History {
  /** Says on the server which history it is, and nothing of its name. */
  readonly key: string;
  /** For the user. */
  readonly name: string;
}

/** The history of all clones of a repository. `remote`: hash of its address. */
export function repositoryHistory(remote: string, name: string): History {
  return { key: `git:${remote}`, name };
}

/** A history that the user named. Case and outer spaces do not matter. */
export function namedHistory(name: string): History {
  const plain = name.normalize('NFC').trim();
  const hash = createHash('sha256').update(plain.toLowerCase()).digest('base64url');
  return { key: `name:${hash}`, name: plain };
}
