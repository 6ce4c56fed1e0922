import type { Answer } from './failure';

/** Where memories are kept. A key belongs to `origin`; documents belong to `origin` and `bank`. */
export interface HindsightPlace {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly origin: string;
  /** As a person reads it. */
  readonly host: string;
  readonly bank: string;
}

export interface ServerVersion {
  readonly version: string;
  /** `update_mode: "append"` and documents that grow: from 0.5.0 on. Before that a retain overwrites its document. */
  readonly appends: boolean;
}

export interface RetainItem {
  readonly documentId: string;
  readonly content: string;
  readonly context: string;
  /** ISO 8601; null: now. */
  readonly timestamp: string | null;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  /** Null for servers that know no modes. */
  readonly mode: 'replace' | 'append' | null;
  /** UUID: asking twice is asking once. */
  readonly operationId: string;
}

export type OperationState = 'pending' | 'processing' | 'completed' | 'failed' | 'cancelled' | 'not_found';

export interface StoredDocument {
  readonly id: string;
  readonly tags: readonly string[];
}

export interface RecallRequest {
  readonly query: string;
  readonly budget: 'low' | 'mid' | 'high';
  readonly maxTokens: number;
}

/** What the provider asks of a server. Every call is tried once, has a bound of its own, and never rejects. */
export interface HindsightApi {
  version(signal: AbortSignal): Promise<Answer<ServerVersion>>;
  /** Accepted for processing; the operation's id is the server's own where it makes one, null where it names none. */
  retain(item: RetainItem, signal: AbortSignal): Promise<Answer<string | null>>;
  operation(
    id: string,
    signal: AbortSignal,
  ): Promise<Answer<{ readonly state: OperationState; readonly error: string | null }>>;
  cancelOperation(id: string, signal: AbortSignal): Promise<Answer<null>>;
  /** Operations of the bank that wait or are being processed. */
  openOperations(signal: AbortSignal): Promise<Answer<number>>;
  /** Gone afterwards, also when it was not there. */
  deleteDocument(id: string, signal: AbortSignal): Promise<Answer<null>>;
  documentsTagged(tag: string, signal: AbortSignal): Promise<Answer<readonly StoredDocument[]>>;
  /** Best first; empty also where the bank does not exist yet. */
  recall(request: RecallRequest, signal: AbortSignal): Promise<Answer<readonly string[]>>;
  reflect(query: string, signal: AbortSignal): Promise<Answer<string>>;
}

/** What the bundle of the official client needs. */
export interface HindsightApiSettings {
  readonly place: HindsightPlace;
  readonly key: string | null;
  readonly fetch: typeof globalThis.fetch;
  /** Calls back after so many milliseconds unless cancelled (`Clock.after`). */
  readonly after: (delayMs: number, callback: () => void) => () => void;
}

export type CreateHindsightApi = (settings: HindsightApiSettings) => HindsightApi;
