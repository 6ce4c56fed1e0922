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
