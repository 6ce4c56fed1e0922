import type { JsonObject } from '../transcript/json';
import type { Failure } from '../transcript/stopReason';
import type { ProviderMetadata } from '../transcript/part';
import type { Usage } from '../transcript/usage';
import type { WireMessage } from '../transcript/wireMessage';
import type { ModelInfo } from './modelInfo';
import type { ReasoningEffort } from '../transcript/reasoningEffort';

export type { WireAssistantContent, WireMessage, WireToolResult, WireUserContent } from '../transcript/wireMessage';

/** What a request carries. The messages are a wire copy: already repaired, already valid for a strict provider. */
export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly WireMessage[];
  readonly tools: readonly WireTool[];
  /** none: the tools stay known (providers refuse calls in the history without them) and may not be called in this request. */
  readonly toolChoice?: 'none';
  readonly reasoningEffort: ReasoningEffort;
  readonly maxOutputTokens: number | null;
  /** Stable per conversation; providers that route caches by key get it. */
  readonly cacheKey: string | null;
}

export interface WireTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, type "object". */
  readonly parameters: JsonObject;
}

/** What arrives while a request runs, in the order it arrived. Text and thinking deltas may be empty of meaning but never of characters. */
export type StreamEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  /** Ends the current text or thinking part; `metadata` is what the provider wants back with it (a signature). */
  | { readonly kind: 'partEnd'; readonly of: 'text' | 'thinking'; readonly metadata?: ProviderMetadata }
  /** A tool call is being received. It is not a call yet: only a complete terminal holds calls. */
  | { readonly kind: 'toolCallProgress'; readonly callId: string; readonly name: string; readonly characters: number }
  /** Something a person should see while waiting: retry with its delay, a model being loaded. Never stored. */
  | { readonly kind: 'notice'; readonly notice: StreamNotice };

export type StreamNotice =
  | {
      readonly kind: 'retrying';
      readonly attempt: number;
      readonly attempts: number;
      readonly delayMs: number;
      readonly failure: Failure;
    }
  | { readonly kind: 'loadingModel'; readonly elapsedMs: number }
  | { readonly kind: 'waiting'; readonly elapsedMs: number };

export interface CompletedToolCall {
  readonly callId: string;
  readonly name: string;
  /** JSON text as received; "" when the model sent none. Parsing and validation are the tool registry's. */
  readonly arguments: string;
  readonly metadata?: ProviderMetadata;
}

/** Why the provider says it ended: one of ours, beside the provider's own word. */
export interface Finish {
  readonly unified: 'stop' | 'length' | 'toolCalls' | 'contentFilter' | 'other';
  readonly raw: string | null;
}

interface TerminalBase {
  readonly usage: Usage | null;
  readonly requestId: string | null;
}

/** How a request ended. There is exactly one per request, and it comes after every event.
 *  complete: a finish reason arrived and it was not an error · aborted: our signal fired · interrupted: the stream broke, stalled or ended
 *  without a finish after something had been delivered · failed: nothing was delivered and it cannot be repeated now. */
export type Terminal =
  | (TerminalBase & {
      readonly outcome: 'complete';
      readonly finish: Finish;
      readonly toolCalls: readonly CompletedToolCall[];
      readonly empty: 'no' | 'empty' | 'thinkingOnly';
    })
  | (TerminalBase & { readonly outcome: 'aborted' })
  | (TerminalBase & { readonly outcome: 'interrupted'; readonly failure: Failure })
  | (TerminalBase & { readonly outcome: 'failed'; readonly failure: Failure });

/** A request under way. The pump behind it reads the provider eagerly into `events`, which only grows; readers take from there at their own
 *  pace, so nothing the provider delivered can be lost to a slow reader, an error or an abort (models-and-memory: eager pump). */
export interface ModelStream {
  readonly events: readonly StreamEvent[];
  /** Resolves when `events.length > index` (true) or when the request ended with no such event (false). Never rejects. */
  hasEvent(index: number): Promise<boolean>;
  /** Never rejects; resolves after the last event was appended. */
  readonly terminal: Promise<Terminal>;
}

/** One model, ready to be asked. */
export interface ChatModel {
  readonly info: ModelInfo;
  /** Starts a request. Retries happen only before the first delta, are announced as notices and obey `signal`. Never throws. */
  stream(request: ModelRequest, signal: AbortSignal): ModelStream;
}
