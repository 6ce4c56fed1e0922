import * as v from 'valibot';

const storageKey = 'sync.histories';
/** The oldest are forgotten first. */
const mostHistories = 200;

const knownHistory = v.object({
  history: v.string(),
  name: v.string(),
  server: v.string(),
  isSealed: v.boolean(),
});
export type KnownHistory = v.InferOutput<typeof knownHistory>;

/** Histories that this user synchronizes. The editor keeps them on the user's own machine, together with the connection
 *  string, also for windows of containers and of machines that are reached over SSH. A new container with a clone of
 *  the same repository so has its sessions with one click, and nothing in the repository decides where from. */
export class KnownHistories {
  constructor(
    private readonly global: { get(key: string): unknown; update(key: string, value: unknown): Thenable<void> },
  ) {}

  find(history: string, server: string): KnownHistory | null {
    return this.all().find((known) => known.history === history && known.server === server) ?? null;
  }

  async remember({ history, name, server, isSealed }: KnownHistory): Promise<void> {
    const others = this.all().filter((known) => known.history !== history || known.server !== server);
    await this.global.update(storageKey, [...others, { history, name, server, isSealed }].slice(-mostHistories));
  }

  private all(): readonly KnownHistory[] {
    const parsed = v.safeParse(v.array(knownHistory), this.global.get(storageKey));
    return parsed.success ? parsed.output : [];
  }
}
