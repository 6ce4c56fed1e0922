import type { Translate } from '../base/translate';

/** Keepers of files that the user has for agents, outside of any folder: Hermes itself, and tools whose files are only
 *  read. `agents`: `~/.agents`, which several tools share. */
export const personalGroups = ['hermes', 'claude', 'codex', 'copilot', 'opencode', 'agents'] as const;
export type PersonalGroup = (typeof personalGroups)[number];

/** Place of a file for agents: an open folder, or a group of personal files. */
export type FileOrigin = 'folder' | PersonalGroup;

/** A next step that a custom agent offers after its answer. */
export interface AgentHandoff {
  readonly label: string;
  /** Agent that takes over, by its name. Null: the usual agent. */
  readonly agent: string | null;
  /** Empty: none. */
  readonly prompt: string;
  /** True when the prompt is sent at once, false when it goes into the composer. */
  readonly send: boolean;
}

/** Files that are part of every request of a session, with their estimated tokens: a file of rules, or the list of all
 *  skills of one origin. */
export type ContextFile =
  | { readonly kind: 'rules'; readonly path: string; readonly origin: FileOrigin; readonly tokens: number }
  | { readonly kind: 'skills'; readonly count: number; readonly origin: FileOrigin; readonly tokens: number };

/** File that was found and is not used. size: too large · link: leads out of the home folder · outside: leads out of
 *  the open folders · secrets: may hold some · text: is none · unreadable: the system refuses · double: an earlier file
 *  has the same text, or it only refers to others · name: an earlier file has the same name · empty: has no text ·
 *  description: none is given, so nobody knows when to use it · imports: imported by too long a chain or too much
 *  text · format: cannot be parsed. */
export interface LeftFile {
  readonly path: string;
  readonly reason:
    | 'size'
    | 'link'
    | 'outside'
    | 'secrets'
    | 'rule'
    | 'text'
    | 'unreadable'
    | 'double'
    | 'name'
    | 'empty'
    | 'description'
    | 'imports'
    | 'format';
}

/** True for a file that cannot be read. The others are left out on purpose. */
export function isUnread({ reason }: LeftFile): boolean {
  return ['size', 'link', 'outside', 'secrets', 'rule', 'text', 'unreadable'].includes(reason);
}

/** Says that a file is not used, and why. */
export function leftSentence({ path, reason }: LeftFile, t: Translate): string {
  return {
    size: t('{path} wasn’t read: it is larger than 512 KB.', { path }),
    link: t('{path} wasn’t read: it links to a place outside your home folder.', { path }),
    outside: t('{path} wasn’t read: it links to a place outside the open folders.', { path }),
    secrets: t('{path} wasn’t read: it links to a file that may contain secrets.', { path }),
    rule: t('{path} wasn’t read: one of your rules denies reading it.', { path }),
    text: t('{path} wasn’t read: it isn’t text.', { path }),
    unreadable: t('{path} wasn’t read: it can’t be opened. Check its permissions.', { path }),
    double: t('{path} isn’t used: an earlier file says the same.', { path }),
    name: t('{path} isn’t used: an earlier file has the same name.', { path }),
    empty: t('{path} isn’t used: it has no text.', { path }),
    description: t('{path} isn’t used: it has no description, so the model can’t tell when to use it.', { path }),
    imports: t('{path} wasn’t imported: the chain of imports or their text is too long.', { path }),
    format: t('{path} isn’t used: its format isn’t valid.', { path }),
  }[reason];
}

export interface ContextFiles {
  readonly files: readonly ContextFile[];
  readonly left: readonly LeftFile[];
}
