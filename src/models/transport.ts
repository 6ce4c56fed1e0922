import type { ProviderMetadata } from '../transcript/part';
import type { Usage } from '../transcript/usage';
import type { CompletedToolCall, Finish, ModelRequest } from './chatModel';

/** Where requests go, and as whom. */
export interface TransportSettings {
  readonly protocol: 'openai' | 'anthropic';
  /** As the person entered it, validated, without a trailing slash. */
  readonly baseUrl: string;
  readonly key: string | null;
  readonly modelId: string;
  readonly fetch: typeof globalThis.fetch;
}

/** One wire protocol to one model. It sends a request once: no retry, no timeout, no decision about what happens next. */
export interface Transport {
  /** Reads the answer as fast as it arrives and reports each piece synchronously. Never rejects: how it ended is the result. */
  send(request: ModelRequest, receiver: TransportReceiver): Promise<TransportEnd>;
}

export interface TransportReceiver {
  readonly signal: AbortSignal;
  /** Bytes arrived, also those that carry nothing for a person (keep-alives). */
  active(): void;
  emit(part: TransportPart): void;
}

export type TransportPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'partEnd'; readonly of: 'text' | 'thinking'; readonly metadata?: ProviderMetadata }
  | { readonly kind: 'toolCallProgress'; readonly callId: string; readonly name: string; readonly characters: number };

interface EndBase {
  readonly usage: Usage | null;
  readonly requestId: string | null;
}

/** finished: a finish reason arrived that was not an error · broken: anything else, with what was wrong. */
export type TransportEnd =
  | (EndBase & { readonly kind: 'finished'; readonly finish: Finish; readonly toolCalls: readonly CompletedToolCall[] })
  | (EndBase & { readonly kind: 'broken'; readonly fault: TransportFault });

/** What went wrong on the wire, before it is put into words (failures.ts). */
export type TransportFault =
  /** An HTTP status that is not 2xx. */
  | {
      readonly kind: 'http';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** An error object inside an answer that began with 200. */
  | {
      readonly kind: 'inStream';
      readonly message: string;
      readonly code: string | null;
      readonly status: number | null;
    }
  /** No connection, or it broke. `code` is the system's word: ECONNREFUSED, ENOTFOUND, CERT_HAS_EXPIRED. */
  | { readonly kind: 'network'; readonly code: string | null; readonly message: string }
  /** Something answered, but not a model API: a web page, a redirect, a JSON document that is no answer. */
  | { readonly kind: 'notAnApi'; readonly contentType: string; readonly excerpt: string }
  /** The answer ended without saying why. */
  | { readonly kind: 'noFinish' }
  /** 200 and not one byte. */
  | { readonly kind: 'empty' }
  /** An answer that does not follow its protocol. */
  | { readonly kind: 'malformed'; readonly message: string }
  /** Our own watchdog. */
  | { readonly kind: 'timeout'; readonly of: 'firstByte' | 'idle'; readonly ms: number }
  /** The request could not be built or sent for a reason of ours. */
  | { readonly kind: 'internal'; readonly message: string };

/** What `providers/index.ts` exports: the one file that is loaded only when a model is first asked. */
export interface Transports {
  createTransport(settings: TransportSettings): Transport;
}

/** Loads the transports (a bundle of its own in the extension). */
export type LoadTransports = () => Promise<Transports>;
