import type { Transports } from '../transport';
import { anthropicTransport } from './anthropicTransport';
import { openaiTransport } from './openaiTransport';

/** The transports, with the provider SDKs they stand on: bundled apart and loaded when a model is first asked. */
export function createTransports(): Transports {
  return {
    createTransport: (settings) =>
      settings.protocol === 'openai' ? openaiTransport(settings) : anthropicTransport(settings),
  };
}
