import * as v from 'valibot';

/** The used part of the editor's workspace storage (`Memento`). */
export interface KeptValues {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** Decisions of the user for one exact definition of a program, besides trusting it. */
export interface TrustDecision {
  /** Null: as the definition says. If it says nothing, the default for its place applies. */
  readonly choice: 'inside' | 'outside' | null;
  /** True when the user saw that it runs without the sandbox, and trusted that. */
  readonly mayRunOutside: boolean;
  /** Hosts that the user added to those of the definition. */
  readonly hosts: readonly string[];
}

const decidedSchema = v.object({
  fingerprint: v.string(),
  choice: v.nullable(v.picklist(['inside', 'outside'])),
  mayRunOutside: v.boolean(),
  hosts: v.array(v.string()),
});
type Decided = v.InferOutput<typeof decidedSchema>;

/** A definition trusted before programs ran in the sandbox was trusted to run without it. */
const earlierSchema = v.pipe(
  v.string(),
  v.transform((fingerprint): Decided => ({ fingerprint, choice: null, mayRunOutside: true, hosts: [] })),
);
const trustedSchema = v.record(v.string(), v.union([earlierSchema, decidedSchema]));

const undecided: TrustDecision = { choice: null, mayRunOutside: false, hosts: [] };

/** Programs that files define and the user trusts, by the fingerprint of the definition, and how to run them. Stored
 *  outside the folder, so that a repository cannot bring its own trust. A changed definition loses its decision. */
export class ProgramTrust {
  /** `key`: that of the kind of programs, in the memory. */
  constructor(
    private readonly memory: KeptValues,
    private readonly key: string,
  ) {}

  isTrusted(id: string, fingerprint: string): boolean {
    return this.read()[id]?.fingerprint === fingerprint;
  }

  /** True when an earlier definition of the program was trusted. */
  knewAnother(id: string, fingerprint: string): boolean {
    const known = this.read()[id];
    return known !== undefined && known.fingerprint !== fingerprint;
  }

  /** Decision for exactly this definition, also for a program of the user's own settings. Only the choice of the
   *  sandbox survives a change: no change can leave the sandbox. */
  decision(id: string, fingerprint: string): TrustDecision {
    const known = this.read()[id];
    if (known?.fingerprint !== fingerprint)
      return known?.choice === 'inside' ? { ...undecided, choice: 'inside' } : undecided;
    const { choice, mayRunOutside, hosts } = known;
    return { choice, mayRunOutside, hosts };
  }

  async trust(id: string, fingerprint: string, { choice, mayRunOutside, hosts }: TrustDecision): Promise<void> {
    await this.memory.update(this.key, {
      ...this.read(),
      [id]: { fingerprint, choice, mayRunOutside, hosts: [...hosts] },
    });
  }

  async forget(id: string): Promise<void> {
    const { [id]: _forgotten, ...others } = this.read();
    await this.memory.update(this.key, others);
  }

  private read(): Readonly<Record<string, Decided>> {
    const kept = v.safeParse(trustedSchema, this.memory.get(this.key));
    return kept.success ? kept.output : {};
  }
}
