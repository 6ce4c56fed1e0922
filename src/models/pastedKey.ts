import { parseEndpoint } from './http/endpoint';
import type { ProviderSettings } from './providerSettings';
import { servicePresets, type ServicePreset } from './presets';

/** A key as it is meant, from what was pasted: without the header, the name of a variable, quotes, line ends and signs that cannot be seen.
 *  Null where what is left cannot be one key. */
export function keyIn(pasted: string): string | null {
  const bare = pasted
    .replace(/[\u200b-\u200f\u2060\ufeff\u00a0]/g, ' ')
    .trim()
    .replace(/^(?:export\s+|set\s+)?[A-Z][A-Z0-9_]*\s*=\s*/, '')
    .replace(/^["'`]+|["'`;,]+$/g, '')
    .replace(/^(?:-H\s*)?["']?(?:authorization|x-api-key|api-key)\s*:\s*/i, '')
    .replace(/^bearer\s+/i, '')
    .replace(/^["'`]+|["'`;,]+$/g, '')
    .trim();
  return bare === '' || /\s/.test(bare) ? null : bare;
}

/** Keys that no other service gives out look like this. */
const unmistakable: ReadonlySet<string> = new Set(['OpenRouter', 'Anthropic', 'Groq', 'xAI']);

/** The service whose key this is, beyond doubt, where that is another one than the endpoint it would be sent to; null otherwise. A key sent to
 *  the wrong place is a key given away. */
export function foreignKey(key: string, endpoint: ProviderSettings): ServicePreset | null {
  const address = parseEndpoint(endpoint.baseUrl);
  if (address === null || address.loopback) return null;
  const owner = servicePresets.find((service) => unmistakable.has(service.name) && service.keyPattern.test(key));
  return owner === undefined || parseEndpoint(owner.baseUrl)?.origin === address.origin ? null : owner;
}

/** Base URLs that may be meant by this one, at the same origin: what services document, and what is left of a whole address. Likeliest first. */
export function likelyBaseUrls(baseUrl: string): readonly string[] {
  const address = parseEndpoint(baseUrl);
  if (address === null) return [];
  const path = address.baseUrl.slice(address.origin.length);
  const shorter = path
    .replace(/\/(?:chat\/completions|completions|responses|messages|models|embeddings)$/, '')
    .replace(/\/chat$/, '');
  const documented = servicePresets
    .map((service) => service.baseUrl)
    .filter((url) => new URL(url).origin === address.origin);
  const root = shorter.replace(/\/(?:api(?:\/(?:chat|tags|generate|v\d+))?|v\d+)$/, '');
  const candidates = [
    ...documented,
    `${address.origin}${shorter}`,
    `${address.origin}${shorter}/v1`,
    `${address.origin}${root}/v1`,
    `${address.origin}${root}/api/v1`,
    `${address.origin}/v1`,
  ];
  return [...new Set(candidates)].filter((url) => url !== address.baseUrl);
}
