import { type Translations } from '../../../base/translate';
import type { InputRequest, InputResponse } from '../../../tools/askedInput';
import type { JsonObject } from '../../../transcript/json';

/** Data to reach a server, with every variable filled in. */
export type McpLaunch =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      /** Complete environment: nothing is inherited. */
      readonly environment: Readonly<Record<string, string>>;
      readonly folder: string | null;
      /** Null: runs without the sandbox. */
      readonly confined: McpConfined | null;
    }
  /** `http` falls back to `sse` when a server supports nothing else. */
  | { readonly kind: 'http' | 'sse'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** Permissions of a sandboxed server beyond those of every sandboxed command. Paths are absolute. */
export interface McpConfined {
  readonly hosts: readonly string[];
  readonly denyRead: readonly string[];
  readonly denyWrite: readonly string[];
  /** Folders to create before the start if they are missing: the server may write in them but could not create them. */
  readonly folders: readonly string[];
}

/** Tool as its server lists it. Untrusted: `readOnly` is a claim, and `inputSchema` may be anything. */
export interface McpListedTool {
  readonly name: string;
  readonly title: string | null;
  readonly description: string;
  readonly inputSchema: JsonObject | null;
  readonly readOnly: boolean;
}

/** Prompt as its server lists it. Untrusted, like everything that a server lists. */
export interface McpPrompt {
  readonly name: string;
  readonly title: string | null;
  readonly description: string;
  readonly args: readonly { readonly name: string; readonly description: string; readonly isRequired: boolean }[];
}

export interface McpResource {
  readonly uri: string;
  /** Its title, or else its name. */
  readonly name: string;
  readonly description: string;
}

/** A family of resources: `uriTemplate` (RFC 6570) becomes an address once its variables are filled in. */
interface McpTemplate extends Omit<McpResource, 'uri'> {
  readonly uriTemplate: string;
  readonly variables: readonly string[];
}

/** What a server offers to the user, besides tools. */
export interface McpOffers {
  readonly prompts: readonly McpPrompt[];
  readonly resources: readonly McpResource[];
  readonly templates: readonly McpTemplate[];
}

/** An argument that the user types now. `of`: the name of a prompt, or the template. */
export interface McpArgument {
  readonly kind: 'prompt' | 'template';
  readonly of: string;
  readonly name: string;
  readonly typed: string;
  /** Arguments that are known already. */
  readonly others: Readonly<Record<string, string>>;
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
  /** JSON text of the structured result; null when there is none. */
  readonly structured: string | null;
}

/** Failed request. `mayHaveRun` is false only when the server certainly never ran it. refused: the server rejected it.
 *  signIn: it wants a sign-in. lost: the connection is gone. timeout: no answer in time. unusable: an answer that
 *  cannot be parsed. */
export interface McpFailure {
  readonly kind: 'failed';
  readonly cause: 'refused' | 'signIn' | 'lost' | 'timeout' | 'unusable';
  readonly sentence: string;
  readonly mayHaveRun: boolean;
}

export type McpAnswer<T> = { readonly kind: 'ok'; readonly value: T } | McpFailure;

export interface McpCallOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
  /** The call's time does not run meanwhile. `signal`: the server no longer wants an answer. */
  readonly onAsked: (asked: InputRequest, signal: AbortSignal) => Promise<InputResponse>;
  /** Milliseconds: `silenceMs` without any progress, `totalMs` overall. */
  readonly silenceMs: number;
  readonly totalMs: number;
}

/** Connection to one server. Its requests reject only when their signal is aborted. */
export interface McpConnection {
  /** Tools from every page of the list. */
  listTools(signal: AbortSignal): Promise<McpAnswer<readonly McpListedTool[]>>;
  callTool(name: string, args: JsonObject, options: McpCallOptions): Promise<McpAnswer<McpResult>>;
  /** Empty lists where the server offers nothing of a kind. */
  listOffers(signal: AbortSignal): Promise<McpAnswer<McpOffers>>;
  getPrompt(
    name: string,
    args: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<McpAnswer<readonly { readonly role: 'user' | 'assistant'; readonly content: McpContent }[]>>;
  /** Follows the resource from then on, if the server reports changes (`onResourceUpdated`). */
  readResource(uri: string, signal: AbortSignal): Promise<McpAnswer<readonly McpContent[]>>;
  /** Values that the server proposes. None if it proposes none or fails. */
  complete(argument: McpArgument, signal: AbortSignal): Promise<readonly string[]>;
  /** Address of a resource. Null: the template is not valid. */
  expand(uriTemplate: string, values: Readonly<Record<string, string>>): string | null;
  /** Notifies the server that the open folders changed. */
  rootsChanged(): void;
  /** Closes the connection and ends every process of the server. Resolves when that is done, within a few seconds. */
  close(): Promise<void>;
  /** Kills every process of the server at once, without cleanup. */
  kill(): void;
}

/** Events of a connection. */
export interface McpConnectionEvents {
  readonly onClosed: (how: string) => void;
  readonly onToolsChanged: () => void;
  readonly onOffersChanged: () => void;
  readonly onResourceUpdated: (uri: string) => void;
  /** Line of log output from the server. */
  readonly onLogLine: (line: string) => void;
  /** The sandbox blocked something new: "connect to example.com". */
  readonly onStopped: (stopped: readonly string[]) => void;
  /** `file:` URLs of the open folders, with their names. */
  readonly roots: () => readonly { readonly uri: string; readonly name: string }[];
}

/** `again`: another try may succeed. `signIn`: one will succeed once the user has signed in. */
export type McpConnected =
  | { readonly kind: 'connected'; readonly connection: McpConnection }
  | { readonly kind: 'failed'; readonly sentence: string; readonly again: boolean; readonly signIn: boolean };

/** Starts or reaches a server and completes the handshake. Never rejects. The result contains no classes of ours,
 *  because the client is a separate bundle. */
export type ConnectMcp = (
  launch: McpLaunch,
  events: McpConnectionEvents,
  options: { readonly signal: AbortSignal; readonly timeoutMs: number },
) => Promise<McpConnected>;

/** OAuth credentials for one server. */
export interface McpCredentials {
  /** Authorization server that gave them. They are never sent to another one. */
  readonly issuer: string;
  /** The client as it was registered there, and its tokens: JSON of the official client. */
  readonly client: JsonObject;
  readonly tokens: JsonObject | null;
  /** Seconds since 1970. Null: not known. */
  readonly expiresAt: number | null;
  /** Address of the metadata that the server named for the sign-in. Null: the usual one. */
  readonly metadata: string | null;
}

/** Credentials of the machine's windows, by the server's address. */
export interface McpCredentialStore {
  read(server: string): Promise<McpCredentials | null>;
  write(server: string, credentials: McpCredentials | null): Promise<void>;
  /** Runs work while no other window and no other request does for this server: refreshing uses up a token. */
  exclusively<T>(server: string, work: () => Promise<T>): Promise<T>;
}

/** One way for the browser to bring the user's consent back. */
export interface McpRedirect {
  /** Address that the browser is sent to. */
  readonly address: string;
  /** Opens the page. Resolves with the address that the browser was sent to with this `state`, or that the user
   *  pasted. anotherWay: the user asked for the next way. Null: canceled. */
  open(page: string, state: string, signal: AbortSignal): Promise<string | 'anotherWay' | null>;
  dispose(): void;
}

export interface McpSignInWays {
  /** Null: there is no further way. */
  redirect(way: number): Promise<McpRedirect | null>;
  /** Asks for the client that the user registered with an authorization server that registers none by itself. Null:
   *  canceled. */
  askClient(issuer: string, redirect: string): Promise<{ readonly id: string; readonly secret: string | null } | null>;
}

export type McpSignedIn =
  { readonly kind: 'signedIn' | 'canceled' } | { readonly kind: 'failed'; readonly sentence: string };

export type McpRemoteLaunch = Extract<McpLaunch, { readonly kind: 'http' | 'sse' }>;

export interface McpClient {
  readonly connect: ConnectMcp;
  /** Host of the page that a sign-in would open. Null: not known. Rejects only when aborted. */
  readonly signInHost: (server: McpRemoteLaunch, signal: AbortSignal) => Promise<string | null>;
  /** Signs in through the browser. Rejects only when aborted. */
  readonly signIn: (server: McpRemoteLaunch, ways: McpSignInWays, signal: AbortSignal) => Promise<McpSignedIn>;
}

export interface McpClientDeps {
  readonly version: string;
  /** Language of the sentences about failures. */
  readonly translations: Translations;
  readonly fetch: typeof globalThis.fetch;
  readonly credentials: McpCredentialStore;
  /** Milliseconds that one request of a sign-in may take. Default: 30,000. */
  readonly requestMs?: number;
}
export type CreateMcpClient = (deps: McpClientDeps) => McpClient;
