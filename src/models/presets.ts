import type { ProviderSettings } from './providerSettings';

/** A service that needs no configuration, only a key. */
export interface ServicePreset extends ProviderSettings {
  /** Matches keys that look like this service's. */
  readonly keyPattern: RegExp;
  /** Path below the base URL that answers 401 for a wrong key, for a service whose list of models is public. */
  readonly keyCheckPath?: string;
}

/** In the order in which an ambiguous key is tried. */
export const servicePresets: readonly ServicePreset[] = [
  {
    name: 'OpenRouter',
    protocol: 'openai',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyPattern: /^sk-or-/,
    keyCheckPath: '/key',
  },
  { name: 'Anthropic', protocol: 'anthropic', baseUrl: 'https://api.anthropic.com/v1', keyPattern: /^sk-ant-/ },
  { name: 'Groq', protocol: 'openai', baseUrl: 'https://api.groq.com/openai/v1', keyPattern: /^gsk_/ },
  { name: 'xAI', protocol: 'openai', baseUrl: 'https://api.x.ai/v1', keyPattern: /^xai-/ },
  { name: 'DeepSeek', protocol: 'openai', baseUrl: 'https://api.deepseek.com/v1', keyPattern: /^sk-[0-9a-f]{32}$/ },
  { name: 'OpenAI', protocol: 'openai', baseUrl: 'https://api.openai.com/v1', keyPattern: /^sk-(?!or-|ant-)/ },
  {
    name: 'Nous',
    protocol: 'openai',
    baseUrl: 'https://inference-api.nousresearch.com/v1',
    keyPattern: /^sk-(?!or-|ant-|proj-|svcacct-|admin-)/,
  },
  { name: 'Mistral', protocol: 'openai', baseUrl: 'https://api.mistral.ai/v1', keyPattern: /^[A-Za-z0-9]{32}$/ },
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
