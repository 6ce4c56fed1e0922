import { t } from '../../base/translate';
import type { ModelCatalog } from '../../models/catalog/catalog';
import { parseEndpoint } from '../../models/http/endpoint';
import { likelyBaseUrls } from '../../models/catalog/pastedKey';
import { servicePresets } from '../../models/presets';
import type { ProviderSettings } from '../../models/providerSettings';
import type { ModelListing } from '../../models/modelProvider';

/** Result of a test that asks an endpoint for its models. Sends no prompt: only the first prompt shows if a model
 *  really answers. */
export type ConnectionCheck =
  /** It lists models, at the address of `endpoint`. `corrected`: that address differs from the one the user typed. */
  | {
      readonly kind: 'answers';
      readonly endpoint: ProviderSettings;
      readonly corrected: boolean;
      readonly models: number;
    }
  /** It responds as a model server, but has no models. */
  | {
      readonly kind: 'empty';
      readonly endpoint: ProviderSettings;
      readonly corrected: boolean;
      readonly sentence: string;
    }
  /** `mayKeep`: it may work later. A refused key never will. */
  | { readonly kind: 'failed'; readonly sentence: string; readonly mayKeep: boolean };

type Catalog = Pick<ModelCatalog, 'testConnection'>;
/** Tests an endpoint with a key. If nothing at the address speaks the protocol, tries similar addresses at the same
 *  origin: the key goes nowhere else. */
export async function checkConnection(
  catalog: Catalog,
  endpoint: ProviderSettings,
  key: string | null,
  signal: AbortSignal,
): Promise<ConnectionCheck> {
  const listing = await catalog.testConnection(endpoint, key, signal);
  if (listing.kind === 'models') return found(endpoint, false, listing);
  if (listing.failure.cause === 'notAnApi' && servicePresets.some(({ baseUrl }) => baseUrl === endpoint.baseUrl)) {
    // The address is right, so something else answered in place of the service.
    return {
      kind: 'failed',
      sentence: t(
        'Something other than {name} answered at {url}, such as a sign-in page or a proxy. Open that address in a browser to check, then try again.',
        { name: endpoint.name, url: endpoint.baseUrl },
      ),
      mayKeep: true,
    };
  }
  if (listing.failure.cause === 'notAnApi') {
    for (const baseUrl of likelyBaseUrls(endpoint.baseUrl)) {
      if (signal.aborted) break;
      const other = { ...endpoint, baseUrl };
      const answer = await catalog.testConnection(other, key, signal);
      if (answer.kind === 'models') return found(other, true, answer);
      // A server that wants another key is there.
      if (answer.failure.cause === 'auth' || answer.failure.cause === 'noKey') {
        return {
          kind: 'failed',
          sentence: t('{sentence} (Tried {url}.)', {
            sentence: answer.failure.sentence,
            url: baseUrl,
          }),
          mayKeep: false,
        };
      }
    }
  }
  const { cause, sentence } = listing.failure;
  return { kind: 'failed', sentence, mayKeep: !(cause === 'auth' || cause === 'noKey' || cause === 'badRequest') };
}

function found(
  endpoint: ProviderSettings,
  corrected: boolean,
  listing: ModelListing & { readonly kind: 'models' },
): ConnectionCheck {
  if (listing.models.length > 0) return { kind: 'answers', endpoint, corrected, models: listing.models.length };
  const isLocal = parseEndpoint(endpoint.baseUrl)?.loopback ?? false;
  const sentence = isLocal
    ? t('{name} is running but has no models. Load one there (with Ollama: ollama pull qwen3), then try again.', {
        name: endpoint.name,
      })
    : t(
        '{name} is running but doesn’t list its models. Add them to the setting hermes.providers if you know their names.',
        { name: endpoint.name },
      );
  return { kind: 'empty', endpoint, corrected, sentence };
}
