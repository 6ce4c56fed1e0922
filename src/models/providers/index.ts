import type { Transports } from '../transport';
import { anthropicTransport } from './anthropicTransport';
import { openaiTransport } from './openaiTransport';

/** Creates the transports. They and their provider SDKs are bundled separately and loaded with the first model
 *  request. */
export function createTransports(): Transports {
  return {
    createTransport: (settings) =>
      settings.protocol === 'openai' ? openaiTransport(settings) : anthropicTransport(settings),
  };
}
