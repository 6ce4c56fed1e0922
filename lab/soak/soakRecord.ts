/** What a soak is to do. */
export interface SoakOrder {
  readonly storage: string;
  readonly project: string;
  readonly workerEntry: string;
  /** File for everything that was shown. */
  readonly record: string;
  readonly turns: number;
  readonly seed: number;
  /** Adds a listener at each turn and never removes it, which the soak must notice. */
  readonly leaks: boolean;
}

/** What the process holds after a number of turns, garbage collected. */
export interface SoakSample {
  readonly turns: number;
  /** Bytes. */
  readonly heap: number;
  readonly rss: number;
  readonly external: number;
  readonly handles: number;
  readonly threads: number;
  /** Timers, sockets and the like that keep the process alive. */
  readonly resources: number;
  /** Of all files of the store, bytes. */
  readonly files: number;
}

export interface SoakResult {
  readonly turns: number;
  readonly switches: number;
  readonly compressions: number;
  readonly branches: number;
  readonly faults: number;
  readonly memoryCalls: number;
  /** Shown texts that are stored otherwise. */
  readonly different: number;
  /** Faults that the store's check found. */
  readonly unsound: readonly string[];
  readonly samples: readonly SoakSample[];
}

/** How much a figure of the last quarter may be, relative to that of the second quarter. */
export interface MostGrowth {
  readonly times: number;
  readonly more: number;
}

const mostGrowth = {
  heap: { times: 1.1, more: 1_000_000 },
  rss: { times: 1.2, more: 20_000_000 },
  external: { times: 1.1, more: 4_000_000 },
  handles: { times: 1, more: 2 },
  threads: { times: 1, more: 1 },
  resources: { times: 1, more: 3 },
  filesPerTurn: { times: 1.15, more: 0 },
} as const satisfies Readonly<Record<string, MostGrowth>>;

export interface SoakGrowth {
  readonly figure: string;
  /** Averages. */
  readonly before: number;
  readonly after: number;
  readonly grows: boolean;
}

export function growthIn(samples: readonly SoakSample[]): readonly SoakGrowth[] {
  return growthOf(
    samples.map((sample) => ({ ...sample, filesPerTurn: sample.files / sample.turns })),
    mostGrowth,
  );
}

/** Compares the last quarter of the samples with the second one: at the beginning everything grows. */
export function growthOf<Figure extends string>(
  samples: readonly Readonly<Record<NoInfer<Figure>, number>>[],
  most: Readonly<Record<Figure, MostGrowth>>,
): readonly SoakGrowth[] {
  const quarter = Math.floor(samples.length / 4);
  const average = (figure: Figure, from: number): number =>
    samples.slice(from, from + quarter).reduce((sum, sample) => sum + sample[figure], 0) / quarter;
  return (Object.keys(most) as Figure[]).map((figure) => {
    const before = average(figure, quarter);
    const after = average(figure, samples.length - quarter);
    const { times, more } = most[figure];
    return { figure, before, after, grows: after > before * times + more };
  });
}
