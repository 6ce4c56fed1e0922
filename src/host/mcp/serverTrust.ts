import * as v from 'valibot';
import type { ServerDecision } from '../../tools/mcp/serverPlace';

const key = 'mcp.trusted';

/** The part of the editor's memory for a workspace that is used. */
export interface KeptValues {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const decidedSchema = v.object({
  fingerprint: v.string(),
  choice: v.nullable(v.picklist(['inside', 'outside'])),
  mayRunOutside: v.boolean(),
  hosts: v.array(v.string()),
});
type Decided = v.InferOutput<typeof decidedSchema>;

/** A definition that was trusted before servers ran in the sandbox was trusted to run without. */
const earlierSchema = v.pipe(
  v.string(),
  v.transform((fingerprint): Decided => ({ fingerprint, choice: null, mayRunOutside: true, hosts: [] })),
);
const trustedSchema = v.record(v.string(), v.union([earlierSchema, decidedSchema]));

const undecided: ServerDecision = { choice: null, mayRunOutside: false, hosts: [] };

/** Which definitions of the open folders the person trusted, each by its fingerprint, and how they are to run. It is kept outside the folder: a
 *  repository cannot bring its own trust along, and a definition that changed is not the one that was decided on. */
export class ServerTrust {
  constructor(private readonly memory: KeptValues) {}

  isTrusted(id: string, fingerprint: string): boolean {
    return this.read()[id]?.fingerprint === fingerprint;
  }

  /** The server was trusted as it was defined before. */
  knewAnother(id: string, fingerprint: string): boolean {
    const known = this.read()[id];
    return known !== undefined && known.fingerprint !== fingerprint;
  }

  /** Holds for exactly this definition; of a server of the person's own too. Only the wish for the sandbox outlives a change: nothing gets out by one. */
  decision(id: string, fingerprint: string): ServerDecision {
    const known = this.read()[id];
    if (known?.fingerprint !== fingerprint)
      return known?.choice === 'inside' ? { ...undecided, choice: 'inside' } : undecided;
    const { choice, mayRunOutside, hosts } = known;
    return { choice, mayRunOutside, hosts };
  }

  async trust(id: string, fingerprint: string, { choice, mayRunOutside, hosts }: ServerDecision): Promise<void> {
    await this.memory.update(key, { ...this.read(), [id]: { fingerprint, choice, mayRunOutside, hosts: [...hosts] } });
  }

  async forget(id: string): Promise<void> {
    const { [id]: _forgotten, ...others } = this.read();
    await this.memory.update(key, others);
  }

  private read(): Readonly<Record<string, Decided>> {
    const kept = v.safeParse(trustedSchema, this.memory.get(key));
    return kept.success ? kept.output : {};
  }
}
