import { isJsonObject } from '../../transcript/json';
import { createAnthropic } from '@ai-sdk/anthropic';
import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { ModelRequest, WireMessage } from '../chatModel';
import type { Transport, TransportReceiver, TransportSettings } from '../transport';
import { compactionHeaders, compactionOf, compactionsIn, withOpaqueParts } from './compaction';
import { exchange } from './exchange';
import { MessageEvents } from './messageEvents';
import { callOptions, storedOptions } from './prompt';
import type { PromptRules } from './prompt';

/** Transport for the messages protocol, with prompt-cache breakpoints. */
export function anthropicTransport(settings: TransportSettings): Transport {
  return {
    send(request: ModelRequest, receiver: TransportReceiver) {
      const compactions = compactionsIn(request.messages);
      const sent = mayThink(request.messages) ? request : { ...request, reasoningEffort: 'default' as const };
      return exchange(
        {
          model: (fetch) =>
            createAnthropic({
              baseURL: settings.baseUrl,
              headers: compactionHeaders(compactions),
              // Never undefined: the SDK would then take a key from the environment and send it to any base URL.
              apiKey: settings.key ?? '',
              fetch,
            }).languageModel(settings.modelId),
          options: callOptions(sent, rules(sent.messages), receiver.signal),
          fetch: withOpaqueParts(settings.fetch, compactions),
          reader: (answer) => new MessageEvents(answer),
        },
        receiver,
      );
    },
  };
}

/** True when this request may use thinking. The service refuses thinking while results go back to an answer that did
 *  not begin with its own thinking block: an answer of another model, or one from before the effort was raised. That
 *  exchange ends without thinking; the next prompt uses it again. */
function mayThink(messages: readonly WireMessage[]): boolean {
  if (messages.at(-1)?.role !== 'tool') return true;
  const asking = messages.findLast((message) => message.role === 'assistant');
  const first = asking?.content.find((part) => part.kind !== 'thinking' || compactionOf(part.metadata) === null);
  return first?.kind === 'thinking' && isJsonObject(first.metadata?.['anthropic']);
}

const breakpoint: { readonly providerOptions: SharedV4ProviderOptions } = {
  providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
};

/** Sets the four allowed breakpoints: the system prompt, the tools, and the last two turns of the user (prompts or
 *  tool results), so that the next request reads the cache that this one wrote. */
function rules(messages: readonly WireMessage[]): PromptRules {
  const marked = lastTwoUserTurns(messages);
  return {
    system: () => breakpoint,
    message: (index) => (marked.has(index) ? breakpoint : {}),
    tool: (index, count) => (index === count - 1 ? breakpoint : {}),
    takesResultImages: true,
    assistant: (content) => ({
      content: content.map((part) => {
        switch (part.kind) {
          case 'text':
            return { type: 'text' as const, text: part.text, ...storedOptions(part.metadata) };
          case 'thinking': {
            const compaction = compactionOf(part.metadata);
            // The SDK makes the block from a text with these options.
            return compaction === null
              ? { type: 'reasoning' as const, text: part.text, ...storedOptions(part.metadata) }
              : { type: 'text' as const, text: compaction.content, ...storedOptions(part.metadata) };
          }
          case 'toolCall':
            return {
              type: 'tool-call' as const,
              toolCallId: part.callId,
              toolName: part.name,
              input: part.arguments,
              ...storedOptions(part.metadata),
            };
        }
      }),
    }),
  };
}

/** Returns the indices of the last message of each of the last two runs of user and tool messages. A run is one user
 *  message on this wire. */
function lastTwoUserTurns(messages: readonly WireMessage[]): ReadonlySet<number> {
  const ends = messages.flatMap((message, index) =>
    message.role !== 'assistant' && messages[index + 1]?.role !== 'user' && messages[index + 1]?.role !== 'tool'
      ? [index]
      : [],
  );
  return new Set(ends.slice(-2));
}
