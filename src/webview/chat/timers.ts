/** Clock and timers for the view. */
export interface Timers {
  nowMs(): number;
  /** Calls `callback` once after `delayMs`, unless the returned function is called before. */
  after(delayMs: number, callback: () => void): () => void;
}
