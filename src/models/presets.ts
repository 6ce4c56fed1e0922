import type { ProviderSettings } from './providerSettings';

/** A service that needs no configuration, only a key. */
export interface ServicePreset extends ProviderSettings {
  /** Matches keys that look like this service's. */
  readonly keyPattern: RegExp;
  /** Page on which the service shows and creates keys. */
  readonly keyPage: string;
  /** Path below the base URL that answers 401 for a wrong key, for a service whose list of models is public. */
  readonly keyCheckPath?: string;
}

function service(name: string, baseUrl: string, keyPattern: RegExp, keyPage: string): ServicePreset {
  return { name, protocol: 'openai', baseUrl: `https://${baseUrl}`, keyPattern, keyPage: `https://${keyPage}` };
}

/** In the order in which an ambiguous key is tried, and in which they are offered. */
export const servicePresets: readonly ServicePreset[] = [
  { ...service('OpenRouter', 'openrouter.ai/api/v1', /^sk-or-/, 'openrouter.ai/settings/keys'), keyCheckPath: '/key' },
  {
    ...service('Anthropic', 'api.anthropic.com/v1', /^sk-ant-/, 'console.anthropic.com/settings/keys'),
    protocol: 'anthropic',
  },
  service(
    'Google Gemini',
    'generativelanguage.googleapis.com/v1beta/openai',
    /^AIza[\w-]{35}$/,
    'aistudio.google.com/apikey',
  ),
  service('Groq', 'api.groq.com/openai/v1', /^gsk_/, 'console.groq.com/keys'),
  service('xAI', 'api.x.ai/v1', /^xai-/, 'console.x.ai'),
  service('DeepSeek', 'api.deepseek.com/v1', /^sk-[0-9a-f]{32}$/, 'platform.deepseek.com/api_keys'),
  service('OpenAI', 'api.openai.com/v1', /^sk-(?!or-|ant-)/, 'platform.openai.com/api-keys'),
  service(
    'Nous',
    'inference-api.nousresearch.com/v1',
    /^sk-(?!or-|ant-|proj-|svcacct-|admin-)/,
    'portal.nousresearch.com',
  ),
  service('Mistral', 'api.mistral.ai/v1', /^[A-Za-z0-9]{32}$/, 'console.mistral.ai/api-keys'),
  service('Together', 'api.together.ai/v1', /^(?:tgp_v1_|[0-9a-f]{64}$)/, 'api.together.ai/settings/api-keys'),
  service('Fireworks', 'api.fireworks.ai/inference/v1', /^fw_/, 'app.fireworks.ai/settings/users/api-keys'),
  service('Cerebras', 'api.cerebras.ai/v1', /^csk-/, 'cloud.cerebras.ai'),
];

/** Returns the services that a key may belong to, likeliest first. Empty when its format is unknown and the user
 *  must choose. */
export function recognizeKey(key: string): readonly ServicePreset[] {
  const trimmed = key.trim();
  return servicePresets.filter(({ keyPattern }) => keyPattern.test(trimmed));
}

/** A server program on the user's own machine, at its usual port. */
export interface LocalServerPreset extends ProviderSettings {
  readonly program: 'ollama' | 'lmstudio' | 'openai';
}

export const localServerPresets: readonly LocalServerPreset[] = [
  { name: 'Ollama', program: 'ollama', protocol: 'openai', baseUrl: 'http://127.0.0.1:11434/v1' },
  { name: 'LM Studio', program: 'lmstudio', protocol: 'openai', baseUrl: 'http://127.0.0.1:1234/v1' },
  { name: 'vLLM', program: 'openai', protocol: 'openai', baseUrl: 'http://127.0.0.1:8000/v1' },
  { name: 'llama.cpp', program: 'openai', protocol: 'openai', baseUrl: 'http://127.0.0.1:8080/v1' },
];
