import type { Clock } from '../../../base/clock';
import type { Reference } from '../../../protocol/codeProtocol';
import { within } from '../../../host/attachments/mentionDeps';
import { type FileIndex, fileNamed, hrefOf, symbolNamed, type NamedSymbol } from '../core/referenceText';

/** Milliseconds that each symbol search of a request may take; all run at the same time. Links that come later than
 *  that are not missed. */
const symbolTimeoutMs = 1000;
/** Maximum number of symbols searched for at once: language extensions answer one query after the other. */
const mostSymbols = 40;

export interface ReferenceLookup {
  readonly clock: Clock;
  files(): Promise<FileIndex>;
  /** Looks up a path that no list has (an ignored file, a folder). Resolves to the path as shown to the user, or to
   *  null if nothing exists there or it is outside the open folders. */
  elsewhere(path: string): Promise<string | null>;
  /** Number of symbols in the open folders with exactly this name. */
  symbols(symbol: NamedSymbol): Promise<number>;
}

/** Finds the files and symbols that texts of answers name. Caches results until something changes (`forget`). */
export class ReferenceFinder {
  private known = new Map<string, Promise<Reference>>();

  constructor(private readonly lookup: ReferenceLookup) {}

  /** Resolves in the order of the texts. Never rejects: a text that cannot be resolved becomes null. */
  async resolve(texts: readonly string[]): Promise<readonly Reference[]> {
    const { known } = this;
    const asked = texts.filter((text) => !known.has(text));
    const left = { symbols: mostSymbols };
    for (const text of asked) known.set(text, this.find(text, left, known));
    return Promise.all(texts.map((text) => known.get(text) ?? null));
  }

  forget(): void {
    this.known = new Map();
  }

  private async find(
    text: string,
    left: { symbols: number },
    known: Map<string, Promise<Reference>>,
  ): Promise<Reference> {
    const symbol = symbolNamed(text);
    const mayAsk = symbol !== null && left.symbols-- > 0;
    const file = await this.file(text).catch(() => null);
    if (file !== null || symbol === null) return file;
    const count = mayAsk ? await within(this.lookup.clock, symbolTimeoutMs, this.lookup.symbols(symbol), null) : null;
    // Do not cache an unknown result: a later request may succeed.
    if (count === null) known.delete(text);
    return count === null || count === 0 ? null : { kind: 'symbol', name: text };
  }

  private async file(text: string): Promise<Reference> {
    const named = fileNamed(text);
    if (named === null) return null;
    const listed = (await this.lookup.files()).find(named.path);
    const path = listed ?? (named.path.includes('/') ? await this.lookup.elsewhere(named.path) : null);
    return path === null ? null : { kind: 'file', href: hrefOf(path, named) };
  }
}
