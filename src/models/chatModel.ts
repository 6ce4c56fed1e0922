import type { JsonObject } from '../transcript/json';
import type { Failure } from '../transcript/stopReason';
import type { ProviderMetadata } from '../transcript/part';
import type { Usage } from '../transcript/usage';
import type { WireMessage } from '../transcript/wireMessage';
import type { ModelInfo } from './modelInfo';
import type { ReasoningEffort } from '../transcript/session';

export type { WireAssistantContent, WireMessage, WireUserContent } from '../transcript/wireMessage';

/** Content of a request. The messages are a wire copy: already repaired and valid for a strict provider. */
export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly WireMessage[];
  readonly tools: readonly WireTool[];
  /** none: the tools stay in the request (without them providers refuse calls in the history), but the model may not
   *  call them. */
  readonly toolChoice?: 'none';
  readonly reasoningEffort: ReasoningEffort;
  readonly maxOutputTokens: number | null;
  /** Stable per conversation, sent to providers that route caches by key. */
  readonly cacheKey: string | null;
}

export interface WireTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, type "object". */
  readonly parameters: JsonObject;
}

/** Events of a running request, in order of arrival. Text and thinking deltas may have no meaning but are never
 *  empty. */
export type StreamEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  /** Ends the current text or thinking part. `metadata`: data that the provider needs back with it (a signature). */
  | { readonly kind: 'partEnd'; readonly of: 'text' | 'thinking'; readonly metadata?: ProviderMetadata }
  /** Progress while a tool call is being received. It is not a call yet: only a complete terminal has calls. */
  | { readonly kind: 'toolCallProgress'; readonly callId: string; readonly name: string; readonly characters: number }
  /** Status to show while the user waits: a retry with its delay, or a model that is being loaded. Never stored. */
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
  /** JSON text as received; "" when the model sent none. The tool registry parses and validates it. */
  readonly arguments: string;
  readonly metadata?: ProviderMetadata;
}

/** The finish reason: our own value, and the provider's raw value. */
export interface Finish {
  readonly unified: 'stop' | 'length' | 'toolCalls' | 'contentFilter' | 'other';
  readonly raw: string | null;
}

export interface TerminalBase {
  readonly usage: Usage | null;
  readonly requestId: string | null;
}

/** The end of a request. There is exactly one per request, after all events. complete: a finish reason arrived and
 *  it was not an error · aborted: our signal fired · interrupted: the stream broke, stalled or ended without a
 *  finish after something had been delivered · failed: nothing was delivered and it cannot be retried now. */
export type Terminal =
  | (TerminalBase & {
      readonly outcome: 'complete';
      readonly finish: Finish;
      readonly toolCalls: readonly CompletedToolCall[];
      readonly empty: 'no' | 'empty' | 'thinkingOnly';
      /** Sentence about what the service did not take and the request left out. */
      readonly leftOut?: string;
    })
  | (TerminalBase & { readonly outcome: 'aborted' })
  | (TerminalBase & { readonly outcome: 'interrupted'; readonly failure: Failure })
  | (TerminalBase & { readonly outcome: 'failed'; readonly failure: Failure });

/** A running request. Its pump reads the provider eagerly into `events`, which only grows. Readers read from there
 *  at their own pace, so a slow reader, an error or an abort can never lose delivered data (models-and-memory: eager
 *  pump). */
export interface ModelStream {
  readonly events: readonly StreamEvent[];
  /** Resolves when `events.length > index` (true) or when the request ended with no such event (false). Never
   *  rejects. */
  hasEvent(index: number): Promise<boolean>;
  /** Never rejects. Resolves after the last event was appended. */
  readonly terminal: Promise<Terminal>;
}

/** One model, ready for requests. */
export interface ChatModel {
  readonly info: ModelInfo;
  /** Starts a request. Retries happen only before the first delta, are announced as notices, and stop when `signal`
   *  fires. Never throws. */
  stream(request: ModelRequest, signal: AbortSignal): ModelStream;
}
