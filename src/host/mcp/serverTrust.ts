import * as v from 'valibot';

const key = 'mcp.trusted';

/** The part of the editor's memory for a workspace that is used. */
export interface KeptValues {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const trustedSchema = v.record(v.string(), v.string());

/** Which definitions of the open folders the person trusted, each by its fingerprint. It is kept outside the folder: a repository cannot bring
 *  its own trust along, and a definition that changed is not the one that was trusted. */
export class ServerTrust {
  constructor(private readonly memory: KeptValues) {}

  isTrusted(id: string, fingerprint: string): boolean {
    return this.read()[id] === fingerprint;
  }

  /** The server was trusted as it was defined before. */
  knewAnother(id: string, fingerprint: string): boolean {
    const known = this.read()[id];
    return known !== undefined && known !== fingerprint;
  }

  async trust(id: string, fingerprint: string): Promise<void> {
    await this.memory.update(key, { ...this.read(), [id]: fingerprint });
  }

  async forget(id: string): Promise<void> {
    const { [id]: _forgotten, ...others } = this.read();
    await this.memory.update(key, others);
  }

  private read(): Readonly<Record<string, string>> {
    const kept = v.safeParse(trustedSchema, this.memory.get(key));
    return kept.success ? kept.output : {};
  }
}
