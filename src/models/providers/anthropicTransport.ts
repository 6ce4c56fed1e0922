import { isJsonObject, objectIn, type JsonObject, type JsonValue } from '../../transcript/json';
import { createAnthropic } from '@ai-sdk/anthropic';
import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { ModelRequest, WireMessage } from '../chatModel';
import type { Transport, TransportReceiver, TransportSettings } from '../transport';
import {
  compactionHeaders,
  compactionOf,
  compactionsIn,
  withOpaqueParts,
  compactionFields,
  compactionMetadata,
} from './compaction';
import { exchange } from './exchange';
import { callOptions, callPart, storedOptions, type PromptRules } from './prompt';
import { unknownUsage, type Usage } from '../../transcript/usage';
import { countIn, errorIn, finishIn, objectsIn, textIn, type Answer, type ReceivedCall } from './answer';
import type { EventReader } from './eventStream';

const provider = 'anthropic';

type Block =
  | { readonly kind: 'text' | 'thinking' }
  | { readonly kind: 'call'; readonly call: ReceivedCall }
  | { readonly kind: 'compaction'; fields: Record<string, string> }
  /** What the service does itself: its web search, its MCP. */
  | { readonly kind: 'foreign' };

/** Reads events of the messages protocol, and whole messages, as services send them. An answer may hold several
 *  messages: routers that retry after a failure add a second one, even before the first has ended. */
class MessageEvents implements EventReader {
  isOver = false;
  private readonly blocks = new Map<number, Block>();
  private counts: JsonObject = {};
  private citations: readonly JsonObject[] = [];

  constructor(private readonly answer: Answer) {}

  take(value: JsonObject, name: string): boolean {
    const index = countIn(value['index']) ?? 0;
    switch (textIn(value['type']) ?? (name || (value['content'] === undefined ? '' : 'message'))) {
      case 'message_start':
        this.begin(objectIn(value['message']));
        return true;
      case 'content_block_start':
        this.beginBlock(index, objectIn(value['content_block']));
        return true;
      case 'content_block_delta':
        this.delta(index, objectIn(value['delta']));
        return true;
      case 'content_block_stop':
        this.endBlock(index);
        return true;
      case 'message_delta':
        this.count(value['usage']);
        this.answer.finish = reasonIn(value['delta']) ?? reasonIn(value) ?? this.answer.finish;
        return true;
      // Only a stop reason ends a message: with it this event may be missing, without it this event is not enough.
      case 'message_stop':
        this.isOver = true;
        return true;
      case 'message':
        this.whole(value);
        return true;
      case 'ping':
        return false;
      default: {
        const error = errorIn(value);
        if (error !== null) this.answer.fail(error);
        return error !== null;
      }
    }
  }

  end(): void {
    if (this.answer.isComplete) for (const index of [...this.blocks.keys()]) this.endBlock(index);
  }

  private begin(message: JsonObject): void {
    for (const [index, block] of [...this.blocks]) {
      // The call of a message that did not end is not whole.
      if (block.kind === 'call') this.answer.calls.delete(block.call);
      this.endBlock(index);
    }
    this.isOver = false;
    this.answer.finish = reasonIn(message);
    this.answer.requestId ??= textIn(message['id']) ?? null;
    this.count(message['usage']);
    // A call from the service's own sandbox comes complete with the beginning of its message.
    for (const block of objectsIn(message['content'])) if (block['type'] === 'tool_use') this.wholeBlock(0, block);
  }

  private whole({ content, ...message }: JsonObject): void {
    this.begin(message);
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content);
    for (const [index, block] of blocks.entries()) this.wholeBlock(index, block);
  }

  private wholeBlock(index: number, block: JsonObject): void {
    this.beginBlock(index, block);
    this.endBlock(index);
  }

  private beginBlock(index: number, block: JsonObject): void {
    this.endBlock(index);
    const type = textIn(block['type']) ?? '';
    switch (type) {
      case 'redacted_thinking':
        this.open(index, 'thinking');
        this.answer.note(provider, { redactedData: block['data'] ?? '' });
        break;
      case 'tool_use':
        this.blocks.set(index, { kind: 'call', call: this.answer.call(callIn(block)) });
        break;
      case 'compaction':
        this.blocks.set(index, { kind: 'compaction', fields: compactionFields(block) });
        break;
      default:
        if (/^(?:fallback|\w+_tool_use|\w+_tool_result)$/.test(type)) this.blocks.set(index, { kind: 'foreign' });
        else this.words(index, block, type);
    }
  }

  private delta(index: number, delta: JsonObject): void {
    const block = this.blocks.get(index);
    switch (block?.kind) {
      case 'call': {
        const json = delta['partial_json'] ?? '';
        block.call.json += typeof json === 'string' ? json : JSON.stringify(json);
        if (json !== '') this.answer.progress(block.call);
        break;
      }
      case 'compaction':
        block.fields = { ...block.fields, ...compactionFields(delta) };
        break;
      case 'foreign':
        break;
      default:
        this.words(index, delta, textIn(delta['type']) ?? '');
        if (isJsonObject(delta['citation'])) this.cite(delta['citation']);
    }
  }

  /** Shows the words of a block or a delta, of a known kind or not. */
  private words(index: number, { text, thinking, signature }: JsonObject, type: string): void {
    const thought = textIn(thinking);
    const words = textIn(text);
    if (thought !== undefined || /^(?:thinking|signature_delta)$/.test(type)) {
      this.open(index, 'thinking');
      this.answer.say('thinking', thought ?? '');
    }
    if (typeof signature === 'string' && signature !== '') this.answer.note(provider, { signature });
    if (words === undefined && type !== 'text') return;
    this.open(index, 'text');
    this.answer.say('text', words ?? '');
  }

  private cite(citation: JsonObject): void {
    this.citations = [...this.citations, citation];
    this.answer.note(provider, { citations: this.citations });
  }

  private open(index: number, kind: 'text' | 'thinking'): void {
    if (!this.blocks.has(index)) this.blocks.set(index, { kind });
    this.answer.begin(kind);
  }

  private endBlock(index: number): void {
    const block = this.blocks.get(index);
    this.blocks.delete(index);
    if (block?.kind === 'text' || block?.kind === 'thinking') this.answer.endPart(block.kind);
    this.citations = [];
    if (block?.kind === 'call') block.call.json ||= '{}';
    const kept = block?.kind === 'compaction' ? compactionMetadata(block.fields) : null;
    if (kept !== null) this.answer.keep(kept);
  }

  private count(usage: JsonValue | undefined): void {
    const known = Object.entries(objectIn(usage)).filter(([, count]) => count !== null);
    this.counts = { ...this.counts, ...Object.fromEntries(known) };
    this.answer.usage = usageOf(this.counts);
  }
}

function reasonIn(value: unknown): string | null {
  return finishIn(objectIn(value)['stop_reason']);
}

function callIn({ id, name, input, caller }: JsonObject): ReceivedCall {
  const isGiven = isJsonObject(input) && Object.keys(input).length > 0;
  const { type, tool_id: toolId } = objectIn(caller);
  const about = type === undefined ? null : { caller: { type, ...(toolId === undefined ? {} : { toolId }) } };
  return {
    callId: textIn(id) ?? '',
    name: textIn(name) ?? '',
    json: isGiven ? JSON.stringify(input) : '',
    ...(about === null ? {} : { metadata: { [provider]: about } }),
  };
}

function usageOf(counts: JsonObject): Usage | null {
  // Counts of each model run, if the service ran several. With a fallback model the sums are in the message itself.
  const runs = objectsIn(counts['iterations'] ?? []);
  const own = runs.filter(({ type }) => type === 'compaction' || type === 'message');
  const counted = own.length === 0 || runs.some(({ type }) => type === 'fallback_message') ? [counts] : own;
  const sum = (name: string): number | null => {
    const known = counted.map((each) => countIn(each[name])).filter((count) => count !== null);
    return known.length === 0 ? null : known.reduce((total, count) => total + count);
  };
  const cached = countIn(counts['cache_read_input_tokens']);
  const written = countIn(counts['cache_creation_input_tokens']);
  const input = (sum('input_tokens') ?? 0) + (cached ?? 0) + (written ?? 0);
  const usage: Usage = {
    ...unknownUsage,
    // Every request has some: a service that counts none did not count.
    inputTokens: input || null,
    outputTokens: sum('output_tokens'),
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    reasoningTokens: countIn(objectIn(counts['output_tokens_details'])['thinking_tokens']),
  };
  return usage.inputTokens === null && usage.outputTokens === null ? null : usage;
}

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
    system: breakpoint,
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
            return callPart(part);
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
