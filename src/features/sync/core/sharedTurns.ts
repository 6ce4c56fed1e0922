/** Running turns, as one machine shows its own and watches those of others. Nothing here is part of a history: a turn
 *  travels as a whole when it has ended. Every call may fail. */
export interface SharedTurns {
  /** Asked by the machine that runs the turn. */
  wishes(conversationId: string, fence: number): Promise<TurnWishes>;
  /** Shows what the turn has so far, in JSON. Only while this machine holds the lease. */
  show(conversationId: string, fence: number, body: string): Promise<void>;
  /** Removes what was shown of a turn that is over. */
  end(conversationId: string, fence: number): Promise<void>;
  /** The turn that another machine runs, or left open. Null when there is none. Tells that machine that somebody
   *  watches, for some seconds. */
  watch(conversationId: string): Promise<WatchedTurn | null>;
  /** Asks the machine that runs the turn to stop it. */
  askToStop(conversationId: string, fence: number): Promise<void>;
}

/** What other machines want of a running turn. */
export interface TurnWishes {
  readonly isWatched: boolean;
  readonly isStopAsked: boolean;
}

export interface WatchedTurn {
  /** Name of the machine that runs it. */
  readonly machine: string;
  /** Number of its lease. */
  readonly fence: number;
  /** False when its lease has run out: the machine cannot be reached, or was switched off. */
  readonly isAlive: boolean;
  readonly isStopAsked: boolean;
  /** JSON as it was shown; null before anything was. */
  readonly body: string | null;
}
