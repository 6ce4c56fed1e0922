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

const ids = v.pipe(
  v.object({ data: v.array(v.object({ id: v.string() })) }),
  v.transform(({ data }) => data.map(({ id }) => id)),
);
const ollamaNames = v.pipe(
  ollamaTags,
  v.transform(({ models }) => models.map(({ name }) => name)),
);

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
  const isOllama = preset.program === 'ollama';
  const answer = await requestJson(fetch, clock, {
    url: isOllama ? `${endpoint.origin}/api/tags` : `${endpoint.baseUrl}/models`,
    schema: isOllama ? ollamaNames : ids,
    timeoutMs: discoveryMs,
    signal,
  });
  if (answer.kind === 'failed') return null;
  const { baseUrl, destination } = endpoint;
  return { name: preset.name, baseUrl, destination, modelIds: answer.value };
}
