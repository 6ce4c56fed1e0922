/** Result of one memory provider for a prompt. `count` 0: it cannot be counted. */
export interface Recalled {
  readonly provider: string;
  readonly label: string;
  readonly count: number;
}
