import { parseEndpoint } from '../http/endpoint';
import type { ProviderSettings } from '../providerSettings';
import { servicePresets, type ServicePreset } from '../presets';

/** Extracts the key from pasted text: removes the header, a variable name, quotes, line ends and invisible
 *  characters. Null when the rest cannot be a single key. */
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

/** Services whose key format no other service uses. */
const unmistakable: ReadonlySet<string> = new Set([
  'OpenRouter',
  'Anthropic',
  'Google Gemini',
  'Groq',
  'xAI',
  'Fireworks',
  'Cerebras',
]);

/** Returns the service that this key certainly belongs to, if it is not the service of the endpoint. Null otherwise.
 *  A key sent to the wrong service is exposed. */
export function foreignKey(key: string, endpoint: ProviderSettings): ServicePreset | null {
  const address = parseEndpoint(endpoint.baseUrl);
  if (address === null || address.loopback) return null;
  const owner = servicePresets.find((service) => unmistakable.has(service.name) && service.keyPattern.test(key));
  return owner === undefined || parseEndpoint(owner.baseUrl)?.origin === address.origin ? null : owner;
}

/** Returns base URLs that the user may have meant, at the same origin: documented ones, and shortened forms of the
 *  given address. Likeliest first. */
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
