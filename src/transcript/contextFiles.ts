/** Keepers of files that the user has for agents, outside of any folder: Hermes itself, and two tools whose files are
 *  only read. */
export const personalGroups = ['hermes', 'claude', 'codex'] as const;
export type PersonalGroup = (typeof personalGroups)[number];

/** Place of a file for agents: an open folder, or a group of personal files. */
export type FileOrigin = 'folder' | PersonalGroup;

/** Files that are part of every request of a session, with their estimated tokens: a file of rules, or the list of all
 *  skills of one origin. */
export type ContextFile =
  | { readonly kind: 'rules'; readonly path: string; readonly origin: FileOrigin; readonly tokens: number }
  | { readonly kind: 'skills'; readonly count: number; readonly origin: FileOrigin; readonly tokens: number };

/** File that was found and not read. size: too large · link: leads out of the home folder · outside: leads out of the
 *  open folders · secrets: may hold some · text: is none · unreadable: the system refuses. */
export interface LeftFile {
  readonly path: string;
  readonly reason: 'size' | 'link' | 'outside' | 'secrets' | 'text' | 'unreadable';
}

export interface ContextFiles {
  readonly files: readonly ContextFile[];
  readonly left: readonly LeftFile[];
}
