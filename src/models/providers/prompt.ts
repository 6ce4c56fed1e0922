import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import { isJsonObject, type JsonObject } from '../../transcript/json';
import type { WireToolResult } from '../../transcript/wireMessage';
import type { ModelRequest, WireAssistantContent, WireMessage } from '../chatModel';

type SdkAssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];
/** Replaces the images of a result if the protocol has no field for them. */
const imagesLeftOut = '(Images came with this result. They cannot be shown to you here; ask the person to send them.)';

type SdkOptions = { providerOptions?: SharedV4ProviderOptions };

/** Protocol-specific options for converting a prompt. */
export interface PromptRules {
  /** Options of the system prompt. Default, of the next two as well: none. */
  readonly system?: SdkOptions;
  /** Options of the message at `index`. */
  message?(index: number): SdkOptions;
  tool?(index: number, count: number): SdkOptions;
  /** True when a tool result may hold images on this protocol. */
  readonly takesResultImages: boolean;
  /** Converts the content of an answer, including which thinking goes back, and in which form. */
  assistant(
    content: readonly WireAssistantContent[],
    index: number,
  ): { readonly content: SdkAssistantContent } & SdkOptions;
}

/** Converts a request to the SDK's call options. The wire copy is already valid, so nothing is repaired here. */
export function callOptions(
  request: ModelRequest,
  rules: PromptRules,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions {
  const prompt: LanguageModelV4Prompt = [
    ...(request.system === '' ? [] : [{ role: 'system' as const, content: request.system, ...rules.system }]),
    ...request.messages.map((message, index) => convert(message, index, rules)),
  ];
  const tools = request.tools.map((tool, index) => ({
    type: 'function' as const,
    name: tool.name,
    description: tool.description,
    inputSchema: tool.parameters,
    ...rules.tool?.(index, request.tools.length),
  }));
  return {
    prompt,
    abortSignal,
    ...(tools.length === 0 ? {} : { tools }),
    ...(tools.length === 0 || request.toolChoice === undefined ? {} : { toolChoice: { type: request.toolChoice } }),
    ...(request.maxOutputTokens === null ? {} : { maxOutputTokens: request.maxOutputTokens }),
    ...(request.reasoningEffort === 'default' ? {} : { reasoning: request.reasoningEffort }),
  };
}

function convert(message: WireMessage, index: number, rules: PromptRules): LanguageModelV4Message {
  switch (message.role) {
    case 'user':
      return {
        role: 'user',
        content: message.content.map((part) =>
          part.kind === 'text'
            ? { type: 'text' as const, text: part.text }
            : {
                type: 'file' as const,
                mediaType: part.mediaType,
                data: { type: 'data' as const, data: part.dataBase64 },
              },
        ),
        ...rules.message?.(index),
      };
    case 'assistant':
      return { role: 'assistant', ...rules.assistant(message.content, index) };
    case 'tool':
      return {
        role: 'tool',
        content: message.results.map((result) => ({
          type: 'tool-result' as const,
          toolCallId: result.callId,
          toolName: result.name,
          output: resultOutput(result, rules.takesResultImages),
        })),
        ...rules.message?.(index),
      };
  }
}

function resultOutput(
  { text, isError, images = [] }: WireToolResult,
  takesImages: boolean,
): LanguageModelV4ToolResultOutput {
  if (images.length === 0) return { type: isError ? 'error-text' : 'text', value: text };
  if (!takesImages) return { type: isError ? 'error-text' : 'text', value: `${text}\n\n${imagesLeftOut}` };
  const files = images.map(({ mediaType, dataBase64 }) => ({
    type: 'file' as const,
    mediaType,
    data: { type: 'data' as const, data: dataBase64 },
  }));
  return { type: 'content', value: [{ type: 'text', text }, ...files] };
}

/** Converts stored provider metadata for the SDK. Its values are objects keyed by provider; other values are not
 *  ours and are dropped. */
export function storedOptions(metadata: JsonObject | undefined): SdkOptions {
  const entries = Object.entries(metadata ?? {}).flatMap(([provider, value]) =>
    isJsonObject(value) ? [[provider, value] as const] : [],
  );
  return entries.length === 0 ? {} : { providerOptions: Object.fromEntries(entries) };
}

/** A call of an answer, with what its provider needs back. */
export function callPart(part: WireAssistantContent & { readonly kind: 'toolCall' }): LanguageModelV4ToolCallPart {
  const { callId: toolCallId, name: toolName, arguments: input, metadata } = part;
  return { type: 'tool-call', toolCallId, toolName, input, ...storedOptions(metadata) };
}
