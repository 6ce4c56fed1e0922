/** What one memory provider found for a prompt. `count` 0: it cannot be counted. */
export interface Recalled {
  readonly provider: string;
  readonly label: string;
  readonly count: number;
}
