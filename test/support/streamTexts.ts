import type { JsonObject } from '../../src/transcript/json';
import type { ServerProtocol } from './modelServer';
import { anthropicFrames } from './modelServer/anthropicFrames';
import { openaiFrames } from './modelServer/openaiFrames';

/** What a person would see of a recorded stream, as the model server's ledger counts it. */
export function streamTexts({
  protocol,
  payloads,
}: {
  readonly protocol: ServerProtocol;
  readonly payloads: readonly JsonObject[];
}): { readonly text: string; readonly thinking: string } {
  const options = {
    model: 'test-model',
    requestNumber: 1,
    includeUsage: true,
    issuesSignatures: true,
    prefixUsage: { input: 10, output: 5 },
  };
  const writer = protocol === 'openai' ? openaiFrames(options) : anthropicFrames(options);
  const frames = payloads.flatMap((payload) => writer.step({ kind: 'payload', payload }));
  return {
    text: frames.map(({ text = '' }) => text).join(''),
    thinking: frames.map(({ thinking = '' }) => thinking).join(''),
  };
}
