import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { JsonObject } from '../../transcript/json';
import { unknownUsage } from '../../transcript/usage';
import type { Usage } from '../../transcript/usage';
import type { CompletedToolCall, Finish } from '../chatModel';
import type { TransportEnd, TransportFault, TransportReceiver } from '../transport';
import { calledOnce } from './callArguments';
import { faultOf, faultOfPart } from './faults';
import { finishKind } from './finishReasons';
import { isObject } from './prompt';

/** Reads raw chunks for data that the SDK drops. */
export interface RawTap {
  see(chunk: unknown): void;
  /** Returns metadata of the thinking that ends now, from the raw chunks since it began. */
  thinkingMetadata(): JsonObject | null;
  /** Returns metadata of the whole answer, requested once at its end. `called`: true when the answer has tool calls. */
  closingMetadata(called: boolean): JsonObject | null;
  /** True when the current block is not text of the answer, whatever the SDK calls it. */
  readonly isHiding: boolean;
  /** Returns the data to keep of such a block, when it ends. */
  hiddenBlock(): JsonObject | null;
}

export const noTap: RawTap = {
  see: () => undefined,
  thinkingMetadata: () => null,
  closingMetadata: () => null,
  isHiding: false,
  hiddenBlock: () => null,
};

/** Sends one request through an SDK model and reads its answer, waiting only for the stream itself. Every failure (a
 *  throw, an `error` part, an end without `finish`) becomes the one result. */
export async function readAnswer(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  receiver: TransportReceiver,
  tap: RawTap = noTap,
): Promise<TransportEnd> {
  const answer = new Answer(receiver, tap);
  try {
    const { stream, response } = await model.doStream(options);
    answer.requestId = requestIdIn(response?.headers ?? {});
    const reader = stream.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return answer.end();
      answer.take(value);
    }
  } catch (error) {
    return answer.broken(faultOf(error));
  }
}

interface OpenPart {
  characters: number;
  metadata: JsonObject;
  /** See `RawTap.isHiding`. */
  readonly isHidden: boolean;
}

class Answer {
  requestId: string | null = null;
  private usage: Usage | null = null;
  private finish: LanguageModelV4FinishReason | null = null;
  /** The last `error` part. It is not terminal: the answer continues after a malformed frame. */
  private errorPart: TransportFault | null = null;
  private received = false;
  private readonly open = new Map<string, OpenPart>();
  private readonly calls: CompletedToolCall[] = [];
  private readonly incoming = new Map<string, { readonly name: string; characters: number }>();

  constructor(
    private readonly receiver: TransportReceiver,
    private readonly tap: RawTap,
  ) {}

  take(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case 'raw':
        this.received = true;
        this.tap.see(part.rawValue);
        break;
      case 'response-metadata':
        this.requestId ??= part.id ?? null;
        break;
      case 'text-start':
      case 'reasoning-start':
        this.open.set(key(part), {
          characters: 0,
          metadata: jsonCopy(part.providerMetadata ?? {}),
          isHidden: this.tap.isHiding,
        });
        break;
      case 'text-delta':
        this.delta('text', part);
        break;
      case 'reasoning-delta':
        this.delta('thinking', part);
        break;
      case 'text-end':
        this.endPart('text', part);
        break;
      case 'reasoning-end':
        this.endPart('thinking', part);
        break;
      case 'tool-input-start':
        this.incoming.set(part.id, { name: part.toolName, characters: 0 });
        this.receiver.emit({ kind: 'toolCallProgress', callId: part.id, name: part.toolName, characters: 0 });
        break;
      case 'tool-input-delta': {
        const call = this.incoming.get(part.id);
        if (call === undefined) break;
        call.characters += part.delta.length;
        this.receiver.emit({ kind: 'toolCallProgress', callId: part.id, name: call.name, characters: call.characters });
        break;
      }
      case 'tool-call':
        // The provider runs its own tools (its web search, its MCP): we must not run them.
        if (part.providerExecuted !== true) {
          const metadata = part.providerMetadata === undefined ? {} : { metadata: jsonCopy(part.providerMetadata) };
          this.calls.push({ callId: part.toolCallId, name: part.toolName, arguments: part.input, ...metadata });
        }
        break;
      case 'error':
        this.errorPart = faultOfPart(part.error);
        break;
      case 'finish':
        this.finish = part.finishReason;
        this.usage = usageOf(part.usage);
        break;
      default:
        break;
    }
  }

  end(): TransportEnd {
    const finish = finishOf(this.finish);
    const { errorPart } = this;
    // The service's own error directly before the finish is why it finished.
    if (finish === null || errorPart?.kind === 'inStream') {
      const reason = this.finish?.raw === undefined ? {} : { reason: this.finish.raw };
      return this.broken(errorPart ?? (this.received ? { kind: 'noFinish', ...reason } : { kind: 'empty' }));
    }
    const calls = calledOnce(this.calls);
    const metadata = this.tap.closingMetadata(calls.length > 0);
    if (metadata !== null) this.receiver.emit({ kind: 'partEnd', of: 'thinking', metadata });
    return { kind: 'finished', finish, toolCalls: calls, usage: this.usage, requestId: this.requestId };
  }

  broken(fault: TransportFault): TransportEnd {
    const nothing = fault.kind === 'noFinish' && !this.received;
    return { kind: 'broken', fault: nothing ? { kind: 'empty' } : fault, usage: this.usage, requestId: this.requestId };
  }

  private delta(
    of: 'text' | 'thinking',
    part: Extract<LanguageModelV4StreamPart, { readonly type: 'text-delta' | 'reasoning-delta' }>,
  ): void {
    const open = this.open.get(key(part));
    if (open?.isHidden === true) return;
    if (open !== undefined) {
      open.characters += part.delta.length;
      open.metadata = merge(open.metadata, part.providerMetadata);
    }
    if (part.delta === '') return;
    if (this.errorPart?.kind === 'inStream') this.errorPart = null;
    this.receiver.emit({ kind: of, text: part.delta });
  }

  private endPart(
    of: 'text' | 'thinking',
    part: Extract<LanguageModelV4StreamPart, { readonly type: 'text-end' | 'reasoning-end' }>,
  ): void {
    const open = this.open.get(key(part));
    this.open.delete(key(part));
    if (open?.isHidden === true) {
      const hidden = this.tap.hiddenBlock();
      if (hidden !== null) this.receiver.emit({ kind: 'partEnd', of: 'thinking', metadata: hidden });
      return;
    }
    const collected = merge(open?.metadata ?? {}, part.providerMetadata);
    const metadata = of === 'thinking' ? merge(collected, this.tap.thinkingMetadata()) : collected;
    const hasMetadata = Object.keys(metadata).length > 0;
    if (!hasMetadata && (open?.characters ?? 0) === 0) return;
    this.receiver.emit({ kind: 'partEnd', of, ...(hasMetadata ? { metadata: jsonCopy(metadata) } : {}) });
  }
}

function key(part: { readonly type: string; readonly id: string }): string {
  return `${part.type.startsWith('text') ? 'text' : 'reasoning'} ${part.id}`;
}

/** Null when the provider did not really finish: no finish, an error, or a word that says that it broke off. */
function finishOf(reason: LanguageModelV4FinishReason | null): Finish | null {
  const raw = reason?.raw ?? null;
  if (reason === null || raw === null || raw === '') return null;
  // The SDK knows a refusal that ended as `stop`.
  if (reason.unified === 'content-filter') return { unified: 'contentFilter', raw };
  const kind = finishKind(raw);
  if (kind === 'failed') return null;
  return { unified: kind === 'unknown' ? 'other' : kind, raw };
}

function usageOf({ inputTokens, outputTokens, raw }: LanguageModelV4Usage): Usage | null {
  const costUsd = countedCost(raw);
  const usage: Usage = {
    ...unknownUsage,
    // Every request has some: a service that counts none did not count.
    inputTokens: inputTokens.total || null,
    outputTokens: outputTokens.total ?? null,
    cachedInputTokens: inputTokens.cacheRead ?? null,
    cacheWriteTokens: inputTokens.cacheWrite ?? null,
    reasoningTokens: outputTokens.reasoning ?? null,
    ...(costUsd === null ? {} : { costUsd }),
  };
  return usage.inputTokens === null && usage.outputTokens === null ? null : usage;
}

/** Returns the request's cost in US dollars as OpenRouter reports it. If the user's own provider key is used, the
 *  charge on that key is listed separately from OpenRouter's fee, and this adds both. */
function countedCost(raw: unknown): number | null {
  if (!isObject(raw) || typeof raw['cost'] !== 'number') return null;
  if (raw['is_byok'] !== true) return raw['cost'];
  const details = raw['cost_details'];
  const upstream = isObject(details) ? details['upstream_inference_cost'] : null;
  return typeof upstream === 'number' ? raw['cost'] + upstream : null;
}

function requestIdIn(headers: Readonly<Record<string, string>>): string | null {
  return headers['x-request-id'] ?? headers['request-id'] ?? headers['x-generation-id'] ?? null;
}

/** Merges metadata keyed by provider, one level deep: a signature arrives after its block began. */
function merge(left: JsonObject, right: unknown): JsonObject {
  if (!isObject(right)) return left;
  const merged: Record<string, JsonObject[string]> = { ...left };
  for (const [provider, value] of Object.entries(right)) {
    const before = merged[provider];
    merged[provider] = isObject(before) && isObject(value) ? { ...before, ...value } : value;
  }
  return merged;
}

/** Copies the SDK's JSON, which may hold `undefined`. Stored JSON may not. */
function jsonCopy(value: object): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(value));
  return isObject(copy) ? copy : {};
}
