import { t, shownList } from '../../base/translate';
import type { Clock } from '../../base/clock';
import { resultWithin } from '../../base/pause';
import type { ModelInfo } from '../modelInfo';
import type { ModelProvider } from '../modelProvider';

/** Result of choosing from the models that a file for agents names. inherit: it names none. missing: none of them can
 *  be used here, for the reason in `sentence`. */
export type FileModel =
  | { readonly kind: 'inherit' }
  | { readonly kind: 'model'; readonly ref: string }
  | { readonly kind: 'missing'; readonly sentence: string };

const inherit: FileModel = { kind: 'inherit' };

/** Milliseconds. A prompt may wait for this. */
const listingTimeoutMs = 3000;

/** Models that files for agents name. A file never chooses where code is sent: its models count only when the provider
 *  that the user chose lists them, and only at the destination of the user's model (the editor offers models of
 *  several services). */
export class FileModels {
  /** Models that a provider listed last. */
  private readonly lists = new WeakMap<ModelProvider, readonly ModelInfo[]>();

  constructor(
    private readonly catalog: { providerNamed(name: string): ModelProvider | null },
    private readonly clock: Clock,
  ) {}

  /** `names`: as the file says, the best first. `chosen`: reference of the user's model. Never rejects. */
  async find(names: readonly string[], chosen: string): Promise<FileModel> {
    const provider = this.providerOf(names, chosen);
    if (provider === null) return inherit;
    const known = this.known(names, chosen);
    if (known?.kind === 'model') return known;
    const timeout = new AbortController();
    const listing = await resultWithin(this.clock, listingTimeoutMs, provider.listModels(timeout.signal), null);
    timeout.abort();
    if (listing?.kind === 'models') this.lists.set(provider, listing.models);
    return this.known(names, chosen) ?? { kind: 'missing', sentence: unread(provider.name) };
  }

  /** Same, without a request. Null: the provider was not asked for its models yet. */
  known(names: readonly string[], chosen: string): FileModel | null {
    const provider = this.providerOf(names, chosen);
    if (provider === null) return inherit;
    const list = this.lists.get(provider);
    if (list === undefined) return null;
    const destination = list.find(({ ref }) => ref === chosen)?.destination ?? provider.destination;
    const usable = list.filter((model) => model.destination === destination);
    const [found] = names.flatMap((name) => usable.find((model) => isNamed(model, name)) ?? []);
    return found === undefined
      ? { kind: 'missing', sentence: unlisted(provider.name, names) }
      : { kind: 'model', ref: `${provider.name}/${found.id}` };
  }

  /** Null: nothing is asked for, or an agent of another maker answers. */
  private providerOf(names: readonly string[], chosen: string): ModelProvider | null {
    const provider = names.length === 0 ? null : this.catalog.providerNamed(chosen.slice(0, chosen.indexOf('/')));
    return provider?.kind === 'agent' ? null : provider;
  }
}

/** True when a name means this model: its id, reference or label, with or without who makes or sells it ("GPT-5
 *  (copilot)", "anthropic/claude-sonnet-4-5"). Claude Code's words for a family mean its first model in the list. */
function isNamed({ id, ref, label }: ModelInfo, name: string): boolean {
  const wanted = name.replace(/\s*\([^)]*\)$/, '').toLowerCase();
  const ends = [id, ref, label].map((known) => known.toLowerCase());
  const isFamily = ['opus', 'sonnet', 'haiku'].includes(wanted);
  return isFamily
    ? ends.some((known) => known.includes('claude') && known.split(/[^a-z]+/).includes(wanted))
    : ends.some((known) => known === wanted || known.endsWith(`/${wanted}`) || wanted.endsWith(`/${known}`));
}

function unlisted(provider: string, names: readonly string[]): string {
  return t('Model not available: {provider} does not list {names}.', { provider, names: shownList(names) });
}

function unread(provider: string): string {
  return t('Model not available: {provider} could not list its models.', { provider });
}
