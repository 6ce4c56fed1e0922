import type { CompletedToolCall, Finish, ModelRequest, StreamEvent, TerminalBase } from './chatModel';

/** Destination and credentials of requests. */
export interface TransportSettings {
  readonly protocol: 'openai' | 'anthropic';
  /** As the user entered it, validated, without a trailing slash. */
  readonly baseUrl: string;
  readonly key: string | null;
  readonly modelId: string;
  readonly fetch: typeof globalThis.fetch;
}

/** One wire protocol to one model. Sends a request once: no retry, no timeout, no decision about the next step. */
export interface Transport {
  /** Reads the answer as fast as it arrives and reports each piece synchronously. Never rejects: the end is part of
   *  the result. */
  send(request: ModelRequest, receiver: TransportReceiver): Promise<TransportEnd>;
}

export interface TransportReceiver {
  readonly signal: AbortSignal;
  /** Called when bytes arrived, even without visible content (keep-alives). */
  active(): void;
  emit(part: TransportPart): void;
  /** Calls back after this time. Returns a function that prevents it. */
  after(ms: number, callback: () => void): () => void;
}

export type TransportPart = Exclude<StreamEvent, { readonly kind: 'notice' }>;

/** finished: a finish reason arrived that was not an error · broken: everything else, with the fault. */
export type TransportEnd =
  | (TerminalBase & {
      readonly kind: 'finished';
      readonly finish: Finish;
      readonly toolCalls: readonly CompletedToolCall[];
    })
  | (TerminalBase & { readonly kind: 'broken'; readonly fault: TransportFault });

/** A failure on the wire, before it becomes a sentence (failures.ts). */
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
  /** No connection, or a broken one. `code`: the system's code, such as ECONNREFUSED, ENOTFOUND, CERT_HAS_EXPIRED. */
  | { readonly kind: 'network'; readonly code: string | null; readonly message: string }
  /** An answer that is not from a model API: a web page, a redirect, other JSON. */
  | { readonly kind: 'notAnApi'; readonly contentType: string; readonly excerpt: string }
  /** The answer ended without a finish reason, or with one that says that the service broke off. */
  | { readonly kind: 'noFinish'; readonly reason?: string }
  /** Status 200 without a single byte. */
  | { readonly kind: 'empty' }
  /** An answer that does not follow its protocol. */
  | { readonly kind: 'malformed'; readonly message: string }
  /** Our own watchdog. */
  | { readonly kind: 'timeout'; readonly of: 'firstByte' | 'idle'; readonly ms: number }
  /** The request could not be built or sent because of an error on our side. */
  | { readonly kind: 'internal'; readonly message: string };

/** Exports of `providers/index.ts`, the one file that is loaded only with the first model request. */
export interface Transports {
  createTransport(settings: TransportSettings): Transport;
}

/** Loads the transports (a separate bundle in the extension). */
export type LoadTransports = () => Promise<Transports>;
