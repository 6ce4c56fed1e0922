export interface CopyToThisFolder {
  /** Folder of a store with the newest schema that no process writes to: a private copy (`library/`). */
  readonly folder: string;
  /** Sessions to import, each with all its rows. Whole conversations, parents before their children, unless the
   *  parents were imported earlier. */
  readonly sessionIds: readonly string[];
  /** True when the other folder will not continue these sessions. Prompts queued there, and events not yet delivered
   *  to memory providers, are imported too. */
  readonly moves: boolean;
}

export interface CopiedSessions {
  readonly sessions: number;
  readonly messages: number;
  /** Rows that could not be imported. They stay in the other file. */
  readonly skipped: number;
  /** New ids of sessions that were forgotten here: what is brought back of them is another session for all machines. */
  readonly newIds: Readonly<Record<string, string>>;
}

export const nothingCopied: CopiedSessions = { sessions: 0, messages: 0, skipped: 0, newIds: {} };

/** What two calls copied. */
export function copiedTogether(one: CopiedSessions, other: CopiedSessions): CopiedSessions {
  return {
    sessions: one.sessions + other.sessions,
    messages: one.messages + other.messages,
    skipped: one.skipped + other.skipped,
    newIds: { ...one.newIds, ...other.newIds },
  };
}
