import * as v from 'valibot';
import type { Clock } from '../../base/clock';
import { parseEndpoint } from '../http/endpoint';
import { requestJson } from '../http/jsonRequest';
import { ollamaTags } from '../listings/ollama';
import type { LocalServerPreset } from '../presets';

/** A local server that answered. */
export interface FoundServer {
  /** The provider's name in references. */
  readonly name: string;
  readonly baseUrl: string;
  readonly destination: string;
  /** Ids of its models, as in its own list. */
  readonly modelIds: readonly string[];
}

const ids = v.object({ data: v.array(v.object({ id: v.string() })) });

/** Milliseconds that the empty state waits for local servers. */
const discoveryMs = 1000;

/** Looks for servers on this machine at their usual ports, all at once, for at most a second. Ignores any program on
 *  such a port that is not a model server (a web application on 8080). */
export async function findLocalServers(
  presets: readonly LocalServerPreset[],
  parts: { readonly fetch: typeof globalThis.fetch; readonly clock: Clock },
  signal: AbortSignal,
): Promise<readonly FoundServer[]> {
  const found = await Promise.all(presets.map((preset) => probe(preset, parts, signal)));
  return found.filter((server) => server !== null);
}

async function probe(
  preset: LocalServerPreset,
  { fetch, clock }: { readonly fetch: typeof globalThis.fetch; readonly clock: Clock },
  signal: AbortSignal,
): Promise<FoundServer | null> {
  const endpoint = parseEndpoint(preset.baseUrl);
  if (endpoint === null) return null;
  const found = (modelIds: readonly string[]): FoundServer => ({
    name: preset.name,
    baseUrl: endpoint.baseUrl,
    destination: endpoint.destination,
    modelIds,
  });
  if (preset.program === 'ollama') {
    const tags = await requestJson(fetch, clock, {
      url: `${endpoint.origin}/api/tags`,
      schema: ollamaTags,
      timeoutMs: discoveryMs,
      signal,
    });
    return tags.kind === 'value' ? found(tags.value.models.map(({ name }) => name)) : null;
  }
  const list = await requestJson(fetch, clock, {
    url: `${endpoint.baseUrl}/models`,
    schema: ids,
    timeoutMs: discoveryMs,
    signal,
  });
  return list.kind === 'value' ? found(list.value.data.map(({ id }) => id)) : null;
}
