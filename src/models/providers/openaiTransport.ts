import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type {
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
} from '@ai-sdk/provider';
import type { ModelRequest } from '../chatModel';
import type { Transport, TransportReceiver, TransportSettings } from '../transport';
import { observedFetch } from './observedFetch';
import { callOptions, isObject, storedOptions } from './prompt';
import type { PromptRules } from './prompt';
import { readAnswer } from './reading';
import { metadataKey, ReasoningTap } from './reasoningTap';
import { traitsOf } from './wireTraits';

/** Chat completions, at any base URL. */
export function openaiTransport(settings: TransportSettings): Transport {
  const traits = traitsOf(settings.baseUrl);
  return {
    send(request: ModelRequest, receiver: TransportReceiver) {
      const provider = createOpenAICompatible({
        name: metadataKey,
        baseURL: settings.baseUrl,
        ...(settings.key === null ? {} : { apiKey: settings.key }),
        fetch: observedFetch(settings.fetch, receiver.active),
        includeUsage: traits.streamOptions,
        transformRequestBody: (body) => traits.adapt(body, request.cacheKey),
      });
      return readAnswer(
        provider.chatModel(settings.modelId),
        callOptions(request, rules(request), receiver.signal),
        receiver,
        new ReasoningTap(),
      );
    },
  };
}

/** Thinking goes back only where the service has a field for it, and only within the running turn: services that read it want it between a
 *  call and its result, and strict ones refuse a field they do not know. */
function rules(request: ModelRequest): PromptRules {
  const lastPrompt = request.messages.findLastIndex((message) => message.role === 'user');
  return {
    system: () => ({}),
    message: () => ({}),
    tool: () => ({}),
    takesResultImages: false,
    assistant(content, index) {
      const details = content.flatMap((part) => (part.kind === 'thinking' ? reasoningDetails(part.metadata) : []));
      return {
        content: content.flatMap(
          (part): (LanguageModelV4TextPart | LanguageModelV4ReasoningPart | LanguageModelV4ToolCallPart)[] => {
            switch (part.kind) {
              case 'text':
                return [{ type: 'text', text: part.text }];
              case 'thinking':
                return index > lastPrompt && repliesInField(part.metadata)
                  ? [{ type: 'reasoning', text: part.text }]
                  : [];
              case 'toolCall':
                return [
                  {
                    type: 'tool-call',
                    toolCallId: part.callId,
                    toolName: part.name,
                    input: part.arguments,
                    ...storedOptions(part.metadata),
                  },
                ];
            }
          },
        ),
        // The SDK spreads this key into the message as it is.
        ...(details.length === 0 ? {} : { providerOptions: { openaiCompatible: { reasoning_details: details } } }),
      };
    },
  };
}

function reasoningDetails(metadata: unknown): readonly Record<string, string | number | boolean | null>[] {
  const ours = isObject(metadata) ? metadata[metadataKey] : undefined;
  const details = isObject(ours) ? ours['reasoning_details'] : undefined;
  if (!Array.isArray(details)) return [];
  return details
    .filter(isObject)
    .map((detail) =>
      Object.fromEntries(
        Object.entries(detail).flatMap(([name, value]) =>
          typeof value === 'object' && value !== null ? [] : [[name, value] as const],
        ),
      ),
    );
}

function repliesInField(metadata: unknown): boolean {
  const ours = isObject(metadata) ? metadata[metadataKey] : undefined;
  return isObject(ours) && ours['field'] === 'reasoning_content';
}
