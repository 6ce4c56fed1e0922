/** An upper limit for a figure. */
export interface Aim {
  readonly aim: string;
  readonly value: number;
  readonly most: number;
}

interface PartOptions {
  /** Fewer and smaller measurements. */
  readonly quick: boolean;
  /** The value of `--size`, in the unit of the part (lab/README.md). Null: the part's own. */
  readonly size: number | null;
}

interface Measured {
  /** Goes into the file of `--json`. */
  readonly figures: object;
  readonly aims: readonly Aim[];
}

/** Measures and prints one thing. Null: it cannot be measured on this machine, and the part has printed why. */
export type Part = (options: PartOptions) => Promise<Measured | null>;
