/** kill: kill -9 in the middle of an answer. stop: stopped by the user. cut: the connection is cut after 200 words. */
export type TrialKind = 'kill' | 'stop' | 'cut';

/** What became of the text of an answer that was broken off. Characters. */
export interface TrialResult {
  readonly shown: number;
  /** Of what was shown, what no file below the agent's home has. */
  readonly lost: number;
  /** Of what was shown, what the next request to the model has. Null after a kill, where none is made. */
  readonly sentAgain: number | null;
  /** Answers that the agent asked for by itself afterwards. */
  readonly retries: number;
}

export const answerWords = { kill: 2000, stop: 2000, cut: 200 } as const;
/** Words on the screen at which an agent is killed or stopped, at least. */
export const fewestWords = 60;

/** Turns of a session whose costs are measured, and words of their answers (2 KB). */
export const costTurns = 52;
export const costWords = 222;

/** One start of an agent. */
export interface PeerStart {
  /** From the start of its program until its screen takes a prompt. Milliseconds. */
  readonly startMs: number;
  /** Resident memory of all its processes four seconds later, in bytes; pages that they share are counted in each. */
  readonly memory: number;
}

/** What turns of one session wrote. */
export interface PeerCost {
  readonly early: TurnCost;
  readonly late: TurnCost;
}

/** What turns with an answer of 2 KB wrote to files of its home. Medians of five turns. */
export interface TurnCost {
  /** Number of the middle one of these turns in its session. */
  readonly turn: number;
  readonly bytes: number;
  readonly syncs: number;
}
