import type { JsonObject } from '../../transcript/json';

/** How a server is reached, with every variable filled in. */
export type McpLaunch =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      /** All of it: nothing is inherited beside. */
      readonly environment: Readonly<Record<string, string>>;
      readonly folder: string | null;
      /** Null: it runs without the sandbox. */
      readonly confined: McpConfined | null;
    }
  /** `http` falls back to `sse` where a server knows nothing else. */
  | { readonly kind: 'http' | 'sse'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** What the sandbox lets a server do beside what it lets every command do. Paths are absolute. */
export interface McpConfined {
  readonly hosts: readonly string[];
  readonly denyRead: readonly string[];
  readonly denyWrite: readonly string[];
  /** Folders that are made before it starts, where they are missing: it may write there, and could not make them. */
  readonly folders: readonly string[];
}

/** A tool as its server lists it. Nothing of it is believed: `readOnly` is a claim, and `inputSchema` may be anything. */
export interface McpListedTool {
  readonly name: string;
  readonly title: string | null;
  readonly description: string;
  readonly inputSchema: JsonObject | null;
  readonly readOnly: boolean;
}

export type McpContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image' | 'audio'; readonly mediaType: string; readonly dataBase64: string }
  | { readonly kind: 'resource'; readonly uri: string; readonly mediaType: string | null; readonly text: string }
  | { readonly kind: 'binary'; readonly uri: string; readonly mediaType: string | null; readonly dataBase64: string }
  | { readonly kind: 'link'; readonly uri: string; readonly name: string; readonly description: string | null };

export interface McpResult {
  readonly isError: boolean;
  readonly content: readonly McpContent[];
  /** JSON text of the structured result; null where there is none. */
  readonly structured: string | null;
}

/** refused: the server said no · lost: the connection is gone · timeout: no answer in time · unusable: an answer that cannot be read. */
export type McpFailureCause = 'refused' | 'lost' | 'timeout' | 'unusable';

/** A failed request. `mayHaveRun` is false only where it is known that the server never took it. */
export interface McpFailure {
  readonly kind: 'failed';
  readonly cause: McpFailureCause;
  readonly sentence: string;
  readonly mayHaveRun: boolean;
}

export type McpAnswer<T> = { readonly kind: 'ok'; readonly value: T } | McpFailure;

export interface McpCallOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
  /** Without any sign of life, and in all; in milliseconds. */
  readonly silenceMs: number;
  readonly totalMs: number;
}

/** One connection to one server. Its questions reject only when their signal is aborted. */
export interface McpConnection {
  /** Every page of the list. */
  listTools(signal: AbortSignal): Promise<McpAnswer<readonly McpListedTool[]>>;
  callTool(name: string, args: JsonObject, options: McpCallOptions): Promise<McpAnswer<McpResult>>;
  /** The open folders are others now. */
  rootsChanged(): void;
  /** Ends it, and with it every process of the server. Resolves when that is done, within a few seconds. */
  close(): Promise<void>;
  /** Ends every process of the server at once, without a chance to clean up. */
  kill(): void;
}

/** What a connection tells while it lives. */
export interface McpConnectionEvents {
  readonly onClosed: (how: string) => void;
  readonly onToolsChanged: () => void;
  /** A line that the server wrote for people. */
  readonly onLogLine: (line: string) => void;
  /** The sandbox kept it from something new: "connect to example.com". */
  readonly onStopped: (words: readonly string[]) => void;
  /** `file:` addresses of the open folders, with their names. */
  readonly roots: () => readonly { readonly uri: string; readonly name: string }[];
}

/** `again`: another try may succeed. */
export type McpConnected =
  | { readonly kind: 'connected'; readonly connection: McpConnection }
  | { readonly kind: 'failed'; readonly sentence: string; readonly again: boolean };

/** Starts or reaches a server and shakes hands. Never rejects. What comes back carries no classes of ours: the client is a bundle of its own. */
export type ConnectMcp = (
  launch: McpLaunch,
  events: McpConnectionEvents,
  options: { readonly signal: AbortSignal; readonly timeoutMs: number },
) => Promise<McpConnected>;

export interface McpClientParts {
  readonly version: string;
  readonly fetch: typeof globalThis.fetch;
}
export type CreateMcpClient = (parts: McpClientParts) => ConnectMcp;
