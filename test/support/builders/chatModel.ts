import type { ChatModel, StreamEvent, Terminal } from '../../../src/models/chatModel';
import { EventPump } from '../../../src/models/http/pump';
import type { ModelInfo } from '../../../src/models/modelInfo';

/** What is known of a model that takes everything and costs nobody knows what. */
export function modelInfo(change: Partial<ModelInfo> = {}): ModelInfo {
  const { provider = 'Local', id = 'test-model' } = change;
  return {
    ref: `${provider}/${id}`,
    provider,
    id,
    label: id,
    destination: 'here',
    contextWindow: null,
    allocatedContext: null,
    tools: true,
    images: true,
    efforts: ['default'],
    price: null,
    warnings: [],
    ...change,
  };
}

/** The end of a request that was answered. */
export const completed: Terminal & { readonly outcome: 'complete' } = {
  outcome: 'complete',
  finish: { unified: 'stop', raw: 'stop' },
  toolCalls: [],
  empty: 'no',
  usage: null,
  requestId: null,
};

/** A model that answers every request with this text; an empty one is no answer. */
export function sayingModel(text: string, change: Partial<ModelInfo> = {}): ChatModel {
  return {
    info: modelInfo(change),
    stream: () => {
      const pump = new EventPump();
      const said: StreamEvent = { kind: 'text', text };
      if (text !== '') pump.append(said);
      pump.end({ ...completed, empty: text === '' ? 'empty' : 'no' });
      return pump.stream;
    },
  };
}
