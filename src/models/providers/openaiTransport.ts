import { isJsonObject, objectIn, type JsonObject, type JsonValue } from '../../transcript/json';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4TextPart, LanguageModelV4ToolCallPart } from '@ai-sdk/provider';
import type { ModelRequest, WireMessage } from '../chatModel';
import { metadataKey, reasoningContent, inReasoningField } from '../http/reasoningField';
import type { Transport, TransportReceiver, TransportSettings } from '../transport';
import { exchange } from './exchange';
import { callOptions, callPart, type PromptRules } from './prompt';
import { unknownUsage, type Usage } from '../../transcript/usage';
import { countIn, errorIn, finishIn, finishKind, isFilled, isWholeObject, objectsIn, textIn } from './answer';
import type { Answer, ReceivedCall } from './answer';
import type { EventReader } from './eventStream';

/** Fields of thinking, in the order in which one counts if a service fills several with the same words. */
const thinkingFields = ['reasoning_content', 'reasoning', 'thinking'] as const;

interface ChunkedCall extends ReceivedCall {
  readonly index: number | null;
  readonly wireId: string;
}

/** Reads chunks of chat completions, and whole completions, as services send them. */
class ChatChunks implements EventReader {
  readonly isOver = false;
  private readonly calls: ChunkedCall[] = [];
  private readonly details = new ReasoningDetails();
  /** True when the answer's only reasoning is an empty `reasoning_content`. DeepSeek needs "" back with a call
   *  (opencode#24146). */
  private hasEmptyReasoning = false;
  private hasThought = false;
  /** The choice whose words are shown. Some services give the calls of an answer as another choice. */
  private speaker: number | null = null;
  /** Words of deltas. A whole message after them repeats them. */
  private readonly said = { text: '', thinking: '' };

  constructor(private readonly answer: Answer) {}

  take(value: JsonObject): boolean {
    const { answer } = this;
    const choices = choicesIn(value);
    answer.requestId ??= textIn(value['id']) ?? null;
    for (const [position, choice] of choices.entries()) this.message(choice, countIn(choice['index']) ?? position);
    const error = choices.length === 0 || isFilled(value['error']) ? errorIn(value) : null;
    if (error !== null) answer.fail(error);
    const usage = usageIn(value['usage']);
    answer.usage = usage ?? answer.usage;
    for (const choice of choices) answer.finish = reasonOf(choice) ?? answer.finish;
    return choices.length > 0 || error !== null || usage !== null;
  }

  end(): void {
    const { answer } = this;
    answer.endPart();
    if (!answer.isComplete) return;
    if (this.details.list.length > 0) answer.keep({ [metadataKey]: { reasoning_details: this.details.list } });
    else if (answer.calls.size > 0 && this.hasEmptyReasoning && !this.hasThought) answer.keep(inReasoningField());
  }

  private message(choice: JsonObject, index: number): void {
    const given = [choice['delta'], choice['message']].find(isJsonObject) ?? {
      content: choice['delta'] ?? choice['text'] ?? null,
    };
    if (['content', 'refusal', ...thinkingFields].some((name) => wordsIn(given[name]) !== '')) this.speaker ??= index;
    if (index === (this.speaker ?? index)) this.words(given, given === choice['message']);
    const older = given['function_call'];
    const calls = given['tool_calls'] ?? (isJsonObject(older) ? [{ index: 0, function: older }] : null);
    for (const call of objectsIn(calls)) this.call(call);
  }

  /** `isWhole`: a message, not a piece of one. */
  private words(given: JsonObject, isWhole: boolean): void {
    this.think(given, isWhole);
    this.details.add(given['reasoning_details']);
    const { content, refusal } = given;
    const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
    for (const part of parts) {
      const isThinking = isJsonObject(part) && /^(?:thinking|reasoning)$/.test(textIn(part['type']) ?? '');
      this.say(isThinking ? 'thinking' : 'text', wordsIn(part), isWhole);
    }
    if (typeof refusal !== 'string' || refusal === '') return;
    this.answer.hasRefused = true;
    this.say('text', refusal, isWhole);
  }

  /** Keeps the field in which thinking came: only `reasoning_content` can be sent back. */
  private think(given: JsonObject, isWhole: boolean): void {
    this.hasEmptyReasoning ||= typeof given['reasoning_content'] === 'string';
    const field = thinkingFields.find((name) => wordsIn(given[name]) !== '');
    if (field === undefined || (isWhole && this.said.thinking !== '')) return;
    this.hasThought = true;
    this.say('thinking', wordsIn(given[field]), isWhole);
    if (field !== 'thinking') this.answer.note(metadataKey, { field });
  }

  private say(of: 'text' | 'thinking', words: string, isWhole: boolean): void {
    const before = isWhole ? this.said[of] : '';
    if (!isWhole) this.said[of] += words;
    if (before !== '' && words.trim() === before.trim()) return;
    this.answer.say(of, words.startsWith(before) ? words.slice(before.length) : words);
  }

  private call(delta: JsonObject): void {
    const about = isJsonObject(delta['function']) ? delta['function'] : delta;
    const given = about['arguments'] ?? about['input'] ?? '';
    const json = typeof given === 'string' ? given : JSON.stringify(given);
    const name = textIn(about['name'])?.trim() ?? '';
    const wireId = textIn(delta['id'])?.trim() ?? '';
    const index = countIn(delta['index']);
    const signature = objectIn(objectIn(delta['extra_content'])['google'])['thought_signature'];
    const known = this.calls.findLast(
      (each) =>
        (index !== null && each.index === index) ||
        (index === null && (wireId === '' ? name === '' : each.wireId === wireId)),
    );
    // Some services count every call as 0, and some give every piece an id of its own.
    const hasOwnId = wireId !== '' && wireId !== known?.wireId;
    const isOther =
      known !== undefined &&
      name !== '' &&
      known.name !== '' &&
      // A name may come in pieces.
      ((name !== known.name && (hasOwnId || known.json !== '' || json !== '')) ||
        (json.trimStart().startsWith('{') && (isWholeObject(known.json) || hasOwnId)) ||
        (json === '' && hasOwnId && isWholeObject(known.json)));
    const isNew = known === undefined || isOther;
    if (isNew && name === '' && wireId === '' && json === '') return;
    const call: ChunkedCall = isNew ? { index, wireId, callId: '', name: '', json: '' } : known;
    if (isNew) {
      this.calls.push(call);
      this.answer.call(call);
    }
    if (name !== call.name) call.name += name;
    call.callId ||= wireId;
    call.json += json;
    if (typeof signature === 'string') call.metadata = { [metadataKey]: { thoughtSignature: signature } };
    if (call.name !== '') this.answer.progress(call);
  }
}

/** Returns the choices. Ollama's own protocol has its message without one. */
function choicesIn(value: JsonObject): readonly JsonObject[] {
  const { message, done, done_reason: reason } = value;
  const choices = objectsIn(value['choices']);
  if (choices.length > 0 || !isJsonObject(message) || isFilled(value['error'])) return choices;
  return [{ message, finish_reason: done === true ? (reason ?? 'stop') : null }];
}

/** Returns the finish reason. A router may say `stop` where the model's own service failed. */
function reasonOf(choice: JsonObject): string | null {
  const said = finishIn(choice['finish_reason'] ?? choice['finishReason']);
  const native = finishIn(choice['native_finish_reason']);
  const hasFailed = said !== null && finishKind(said) === 'stop' && native !== null && finishKind(native) === 'failed';
  return hasFailed ? native : said;
}

/** Returns the words of a field that should be text. */
function wordsIn(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsIn).join('');
  if (!isJsonObject(value)) return textIn(value) ?? '';
  const inner = ['text', 'content', 'summary', 'value', 'reasoning', 'thinking'].map((name) => wordsIn(value[name]));
  return inner.find((words) => words !== '') ?? '';
}

function usageIn(value: JsonValue | undefined): Usage | null {
  if (!isJsonObject(value)) return null;
  const costUsd = costIn(value);
  const usage: Usage = {
    ...unknownUsage,
    // Every request has some: a service that counts none did not count.
    inputTokens: countIn(value['prompt_tokens']) || null,
    outputTokens: countIn(value['completion_tokens']),
    cachedInputTokens: countIn(objectIn(value['prompt_tokens_details'])['cached_tokens']),
    reasoningTokens: countIn(objectIn(value['completion_tokens_details'])['reasoning_tokens']),
    ...(costUsd === null ? {} : { costUsd }),
  };
  return usage.inputTokens === null && usage.outputTokens === null ? null : usage;
}

/** Returns the request's cost in US dollars as OpenRouter reports it. If the user's own provider key is used, the
 *  charge on that key is listed separately from OpenRouter's fee, and this adds both. */
function costIn(usage: JsonObject): number | null {
  const cost = countIn(usage['cost']);
  if (cost === null || usage['is_byok'] !== true) return cost;
  const upstream = countIn(objectIn(usage['cost_details'])['upstream_inference_cost']);
  return upstream === null ? null : cost + upstream;
}

type Detail = Record<string, string | number | boolean | null>;

/** OpenRouter's `reasoning_details`, which hold signatures and encrypted reasoning and must be returned unchanged. */
class ReasoningDetails {
  readonly list: Detail[] = [];

  add(details: JsonValue | undefined): void {
    for (const piece of objectsIn(details)) this.collect(piece);
  }

  /** Pieces of one detail share its index and type. Joins their texts, and takes every other value from the piece
   *  that has it. */
  private collect(piece: JsonObject): void {
    const flat: Detail = {};
    for (const [name, value] of Object.entries(piece)) {
      if (value === null || typeof value !== 'object') flat[name] = value;
    }
    const last = this.list.findLast((detail) => detail['index'] === flat['index'] && detail['type'] === flat['type']);
    if (last === undefined || flat['index'] === undefined) {
      this.list.push(flat);
      return;
    }
    for (const [name, value] of Object.entries(flat)) {
      const before = last[name];
      const joins = /^(?:text|summary|data)$/.test(name) && typeof before === 'string' && typeof value === 'string';
      if (joins) last[name] = before + value;
      else if (value !== null) last[name] = value;
    }
  }
}

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
              return [callPart(part)];
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
