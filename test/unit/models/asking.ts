import { systemClock } from '../../../src/base/clock';
import type { Clock } from '../../../src/base/clock';
import type {
  ChatModel,
  ModelRequest,
  ModelStream,
  StreamEvent,
  Terminal,
  WireMessage,
} from '../../../src/models/chatModel';
import { httpChatModel } from '../../../src/models/catalog/endpointProvider';
import type { ModelInfo } from '../../../src/models/modelInfo';
import { modelInfo } from '../../support/builders/chatModel';
import { createTransports } from '../../../src/models/providers/index';
import { loopbackPolicy, remotePolicy } from '../../../src/models/http/requestRunner';
import type { RequestPolicy } from '../../../src/models/http/requestRunner';

export interface ModelAt {
  readonly url: string;
  readonly protocol: 'openai' | 'anthropic';
  readonly key?: string;
  readonly model?: string;
  readonly clock?: Clock;
  readonly policy?: Partial<RequestPolicy>;
  readonly info?: Partial<ModelInfo>;
  readonly fetch?: typeof globalThis.fetch;
}

/** A model behind the given address, with real transports. */
export function modelAt({
  url,
  protocol,
  key,
  model = 'test-model',
  clock = systemClock,
  policy = {},
  info = {},
  fetch = globalThis.fetch,
}: ModelAt): ChatModel {
  const about = modelInfo({
    provider: 'Test',
    id: model,
    destination: new URL(url).host,
    efforts: ['default', 'none', 'low', 'medium', 'high'],
    ...info,
  });
  return httpChatModel(about, {
    loadTransports: () => Promise.resolve(createTransports()),
    settings: { protocol, baseUrl: url, key: key ?? null, modelId: model, fetch },
    policy: { ...(policy.waitingNotice === 'waiting' ? remotePolicy : loopbackPolicy), ...policy },
    clock,
    provider: 'Test',
  });
}

export const prompt = (text = 'Hello'): WireMessage => ({ role: 'user', content: [{ kind: 'text', text }] });

export const request = (change: Partial<ModelRequest> = {}): ModelRequest => ({
  system: 'Be brief.',
  messages: [prompt()],
  tools: [],
  reasoningEffort: 'default',
  maxOutputTokens: null,
  cacheKey: null,
  ...change,
});

/** Reads a stream as the agent does, optionally pausing after every event. */
export async function follow(
  stream: ModelStream,
  pause: () => Promise<void> = () => Promise.resolve(),
): Promise<{ readonly events: readonly StreamEvent[]; readonly terminal: Terminal }> {
  const events: StreamEvent[] = [];
  for (let index = 0; await stream.hasEvent(index); index += 1) {
    const event = stream.events[index];
    if (event === undefined) throw new Error(`event ${index} was promised and is not there`);
    events.push(event);
    await pause();
  }
  return { events, terminal: await stream.terminal };
}

export const ask = (
  model: ChatModel,
  what: ModelRequest = request(),
  signal: AbortSignal = new AbortController().signal,
): ReturnType<typeof follow> => follow(model.stream(what, signal));

export function textOf(events: readonly StreamEvent[], kind: 'text' | 'thinking' = 'text'): string {
  return events.map((event) => (event.kind === kind ? event.text : '')).join('');
}

/** What arrived, without the pacing: neighbouring deltas joined, progress and waiting notices left out. */
export function arrived(events: readonly StreamEvent[]): readonly string[] {
  const lines: string[] = [];
  let last: StreamEvent | null = null;
  for (const event of events) {
    if (event.kind === 'toolCallProgress' || event.kind === 'notice') continue;
    const line = event.kind === 'partEnd' ? `end of ${event.of}` : event.text;
    if (last !== null && last.kind === event.kind && event.kind !== 'partEnd') lines[lines.length - 1] += line;
    else lines.push(event.kind === 'partEnd' ? line : `${event.kind}: ${line}`);
    last = event;
  }
  return lines;
}
