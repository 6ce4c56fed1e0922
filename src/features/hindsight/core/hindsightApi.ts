import type { HindsightAnswer } from './failure';

/** The server and bank that hold memories. A key belongs to `origin`; documents belong to `origin` and `bank`. */
export interface HindsightPlace {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly origin: string;
  /** As it is shown to the user. */
  readonly host: string;
  readonly bank: string;
}

export interface ServerVersion {
  readonly version: string;
  /** True when it supports `update_mode: "append"` and growing documents: from 0.5.0. Before that, a retain
   *  overwrites its document. */
  readonly appends: boolean;
}

export interface RetainItem {
  readonly documentId: string;
  readonly content: string;
  readonly context: string;
  /** ISO 8601. Null: now. */
  readonly timestamp: string | null;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  /** Null for servers without modes. */
  readonly mode: 'replace' | 'append' | null;
  /** UUID. A repeated request has no further effect. */
  readonly operationId: string;
}

export type OperationState = 'pending' | 'processing' | 'completed' | 'failed' | 'cancelled' | 'not_found';

export interface StoredDocument {
  readonly id: string;
  readonly tags: readonly string[];
}

interface RecallRequest {
  readonly query: string;
  readonly budget: 'low' | 'mid' | 'high';
  readonly maxTokens: number;
}

/** The server functions that the provider uses. Every call is made once, has its own time limit, and never rejects. */
export interface HindsightApi {
  version(signal: AbortSignal): Promise<HindsightAnswer<ServerVersion>>;
  /** Resolves when the server has accepted the item for processing. The value is the operation's id if the server
   *  returns one, or null. */
  retain(item: RetainItem, signal: AbortSignal): Promise<HindsightAnswer<string | null>>;
  operation(
    id: string,
    signal: AbortSignal,
  ): Promise<HindsightAnswer<{ readonly state: OperationState; readonly error: string | null }>>;
  cancelOperation(id: string, signal: AbortSignal): Promise<HindsightAnswer<null>>;
  /** Number of the bank's operations that are pending or processing. */
  openOperations(signal: AbortSignal): Promise<HindsightAnswer<number>>;
  /** The document is gone afterwards, even if it was not there. */
  deleteDocument(id: string, signal: AbortSignal): Promise<HindsightAnswer<null>>;
  documentsTagged(tag: string, signal: AbortSignal): Promise<HindsightAnswer<readonly StoredDocument[]>>;
  /** Best first. Also empty when the bank does not exist yet. */
  recall(request: RecallRequest, signal: AbortSignal): Promise<HindsightAnswer<readonly string[]>>;
  reflect(query: string, signal: AbortSignal): Promise<HindsightAnswer<string>>;
}

/** Settings for the bundle of the official client. */
export interface HindsightApiSettings {
  readonly place: HindsightPlace;
  readonly key: string | null;
  readonly fetch: typeof globalThis.fetch;
  /** Calls back after `delayMs` milliseconds unless canceled (`Clock.after`). */
  readonly after: (delayMs: number, callback: () => void) => () => void;
}

export type CreateHindsightApi = (settings: HindsightApiSettings) => HindsightApi;

/** True when a server of this version appends to documents: from 0.5.0. An unreadable version counts as one that
 *  does not, which is slower but never wrong. */
export function appendsFrom(version: string): boolean {
  const [, major = '0', minor = '0'] = /^v?(\d+)\.(\d+)/.exec(version.trim()) ?? [];
  return Number(major) > 0 || Number(minor) >= 5;
}

/** Tests that a Hindsight server answers and accepts the key. Writes nothing. A missing bank is not an error: the
 *  first write creates it. */
export async function testHindsight(api: HindsightApi, signal: AbortSignal): Promise<HindsightAnswer<ServerVersion>> {
  const version = await api.version(signal);
  if (version.kind === 'failed') return version;
  // A server reports its version to everybody, but the contents of a bank only to authorized clients.
  const allowed = await api.openOperations(signal);
  return allowed.kind === 'failed' ? allowed : version;
}
