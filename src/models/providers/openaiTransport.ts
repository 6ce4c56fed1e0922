import { isJsonObject } from '../../transcript/json';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4TextPart, LanguageModelV4ToolCallPart } from '@ai-sdk/provider';
import type { ModelRequest, WireMessage } from '../chatModel';
import { metadataKey, reasoningContent } from '../http/reasoningField';
import type { Transport, TransportReceiver, TransportSettings } from '../transport';
import { ChatChunks } from './chatChunks';
import { exchange } from './exchange';
import { callOptions, storedOptions, type PromptRules } from './prompt';

/** Differences between a service and plain chat completions. */
interface WireTraits {
  /** True when it supports `stream_options: { include_usage }`. */
  readonly streamOptions: boolean;
  adapt(body: Record<string, unknown>, cacheKey: string | null): Record<string, unknown>;
}

const plain: WireTraits = { streamOptions: true, adapt: (body) => body };

const openai: WireTraits = {
  streamOptions: true,
  adapt({ max_tokens: limit, ...body }, cacheKey) {
    return {
      ...body,
      // Reasoning models there refuse max_tokens.
      ...(limit === undefined ? {} : { max_completion_tokens: limit }),
      ...(cacheKey === null ? {} : { prompt_cache_key: cacheKey }),
    };
  },
};

const openRouter: WireTraits = {
  streamOptions: true,
  // Requests the cost together with the other counts.
  adapt: (body) => ({ ...body, usage: { include: true } }),
};

/** Returns the known differences, by host. Every other service counts as plain. */
function traitsOf(baseUrl: string): WireTraits {
  const { hostname } = new URL(baseUrl);
  if (hostname === 'api.openai.com' || hostname.endsWith('.openai.azure.com')) return openai;
  // Sends usage without being asked.
  if (hostname === 'api.mistral.ai') return { ...plain, streamOptions: false };
  if (hostname === 'openrouter.ai') return openRouter;
  return plain;
}

/** Transport for chat completions, at any base URL. */
export function openaiTransport(settings: TransportSettings): Transport {
  const traits = traitsOf(settings.baseUrl);
  return {
    send(request: ModelRequest, receiver: TransportReceiver) {
      return exchange(
        {
          model: (fetch) =>
            createOpenAICompatible({
              name: metadataKey,
              baseURL: settings.baseUrl,
              ...(settings.key === null ? {} : { apiKey: settings.key }),
              fetch,
              includeUsage: traits.streamOptions,
              transformRequestBody: (body) => traits.adapt(body, request.cacheKey),
            }).chatModel(settings.modelId),
          options: callOptions(request, rules(request), receiver.signal),
          fetch: settings.fetch,
          reader: (answer) => new ChatChunks(answer),
        },
        receiver,
      );
    },
  };
}

/** Reasoning that arrived in `reasoning_content` goes back in that field, complete and unchanged. It goes with every
 *  answer between two prompts if at least one of these answers called a tool. Moonshot and DeepSeek refuse a call
 *  without it in this turn, in its continuation and in every later one
 *  (https://api-docs.deepseek.com/guides/thinking_mode,
 *  https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model). Qwen reads it, others ignore it. Without a
 *  call no service needs it. A service that sends the field and refuses it (a proxy in front of Mistral:
 *  litellm#30835) reports this, and then gets requests without it (`refusals.ts`). Services that never accept the
 *  field (Groq, Cerebras) call theirs `reasoning`, which is not sent. */
function rules(request: ModelRequest): PromptRules {
  const near = nearCalls(request.messages);
  return {
    system: () => ({}),
    message: () => ({}),
    tool: () => ({}),
    takesResultImages: false,
    assistant(content, index) {
      const details = content.flatMap((part) => (part.kind === 'thinking' ? reasoningDetails(part.metadata) : []));
      const reasoning = reasoningContent(content, near.has(index));
      const fields = {
        ...(reasoning === null ? {} : { reasoning_content: reasoning }),
        ...(details.length === 0 ? {} : { reasoning_details: details }),
      };
      return {
        content: content.flatMap((part): (LanguageModelV4TextPart | LanguageModelV4ToolCallPart)[] => {
          switch (part.kind) {
            case 'text':
              return [{ type: 'text', text: part.text }];
            case 'thinking':
              return [];
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
        }),
        // The SDK copies these keys into the message unchanged. Its own reasoning parts would lose an empty text.
        ...(Object.keys(fields).length === 0 ? {} : { providerOptions: { openaiCompatible: fields } }),
      };
    },
  };
}

/** Returns the indices of the answers between two prompts of which at least one called a tool. */
function nearCalls(messages: readonly WireMessage[]): ReadonlySet<number> {
  const near = new Set<number>();
  let answers: number[] = [];
  let called = false;
  for (const [index, message] of [...messages.entries(), [messages.length, null] as const]) {
    if (message === null || message.role === 'user') {
      if (called) for (const answer of answers) near.add(answer);
      answers = [];
      called = false;
    } else if (message.role === 'assistant') {
      answers.push(index);
      called ||= message.content.some((part) => part.kind === 'toolCall');
    }
  }
  return near;
}

function reasoningDetails(metadata: unknown): readonly Record<string, string | number | boolean | null>[] {
  const ours = isJsonObject(metadata) ? metadata[metadataKey] : undefined;
  const details = isJsonObject(ours) ? ours['reasoning_details'] : undefined;
  if (!Array.isArray(details)) return [];
  return details
    .filter(isJsonObject)
    .map((detail) =>
      Object.fromEntries(
        Object.entries(detail).flatMap(([name, value]) =>
          typeof value === 'object' && value !== null ? [] : [[name, value] as const],
        ),
      ),
    );
}
