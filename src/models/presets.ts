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

/** In the order in which an ambiguous key is tried, and in which they are offered. */
export const servicePresets: readonly ServicePreset[] = [
  {
    name: 'OpenRouter',
    protocol: 'openai',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyPattern: /^sk-or-/,
    keyPage: 'https://openrouter.ai/settings/keys',
    keyCheckPath: '/key',
  },
  {
    name: 'Anthropic',
    protocol: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    keyPattern: /^sk-ant-/,
    keyPage: 'https://console.anthropic.com/settings/keys',
  },
  {
    name: 'Google Gemini',
    protocol: 'openai',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    keyPattern: /^AIza[\w-]{35}$/,
    keyPage: 'https://aistudio.google.com/apikey',
  },
  {
    name: 'Groq',
    protocol: 'openai',
    baseUrl: 'https://api.groq.com/openai/v1',
    keyPattern: /^gsk_/,
    keyPage: 'https://console.groq.com/keys',
  },
  {
    name: 'xAI',
    protocol: 'openai',
    baseUrl: 'https://api.x.ai/v1',
    keyPattern: /^xai-/,
    keyPage: 'https://console.x.ai',
  },
  {
    name: 'DeepSeek',
    protocol: 'openai',
    baseUrl: 'https://api.deepseek.com/v1',
    keyPattern: /^sk-[0-9a-f]{32}$/,
    keyPage: 'https://platform.deepseek.com/api_keys',
  },
  {
    name: 'OpenAI',
    protocol: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    keyPattern: /^sk-(?!or-|ant-)/,
    keyPage: 'https://platform.openai.com/api-keys',
  },
  {
    name: 'Nous',
    protocol: 'openai',
    baseUrl: 'https://inference-api.nousresearch.com/v1',
    keyPattern: /^sk-(?!or-|ant-|proj-|svcacct-|admin-)/,
    keyPage: 'https://portal.nousresearch.com',
  },
  {
    name: 'Mistral',
    protocol: 'openai',
    baseUrl: 'https://api.mistral.ai/v1',
    keyPattern: /^[A-Za-z0-9]{32}$/,
    keyPage: 'https://console.mistral.ai/api-keys',
  },
  {
    name: 'Together',
    protocol: 'openai',
    baseUrl: 'https://api.together.ai/v1',
    keyPattern: /^(?:tgp_v1_|[0-9a-f]{64}$)/,
    keyPage: 'https://api.together.ai/settings/api-keys',
  },
  {
    name: 'Fireworks',
    protocol: 'openai',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    keyPattern: /^fw_/,
    keyPage: 'https://app.fireworks.ai/settings/users/api-keys',
  },
  {
    name: 'Cerebras',
    protocol: 'openai',
    baseUrl: 'https://api.cerebras.ai/v1',
    keyPattern: /^csk-/,
    keyPage: 'https://cloud.cerebras.ai',
  },
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
