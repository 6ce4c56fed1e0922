/** Taking sessions of another folder's store into this one. */
export interface BringingOver {
  /** Brings rows of another store in, by id and uid, in one transaction: what is here already stays, so doing it again changes nothing. The
   *  other store is only read. A turn that was running there is settled as a crash. Throws `not-found` when there is no store. */
  bringOver(input: BringOver): BroughtOver;
}

export interface BringOver {
  /** Folder of a store of the newest schema that nobody writes to: a private copy (`library/`). */
  readonly folder: string;
  /** Which sessions, each with all its rows. Whole conversations, parents before their children, unless they were brought before. */
  readonly sessionIds: readonly string[];
  /** The other folder will not go on with them: prompts that are queued there, and what memory providers are still to be told, come along. */
  readonly moves: boolean;
}

export interface BroughtOver {
  readonly sessions: number;
  readonly messages: number;
  /** Rows that could not be taken. They stay in the other file. */
  readonly skipped: number;
}
