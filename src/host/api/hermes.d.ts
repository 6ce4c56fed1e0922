/*
 * The API of Hermes for VS Code, version 1. Copy this file into your extension; it needs nothing but itself and the global `AbortSignal`
 * (`@types/node` has it). It is in the installed extension too: `dist/hermes.d.ts`. What each part is for, with an example: docs/api.md.
 *
 *   const extension = vscode.extensions.getExtension<HermesExtension>('hermes-vscode.hermes-vscode');
 *   const hermes = (await extension?.activate())?.getApi(1);
 *
 * Within version 1 members may be added, to objects and to unions of words (`kind`, `reason`, `stopReason`); none is taken away or changed.
 * Everything Hermes hands out is a frozen copy. Times are seconds since the epoch. Private sessions appear nowhere in here.
 */

/** What Hermes' `activate()` returns. */
export interface HermesExtension {
  /** Throws for a version that this Hermes does not have, with a sentence that says which it has. */
  getApi(version: 1): HermesApi;
}

export interface HermesApi {
  readonly apiVersion: 1;

  /** Offers a memory provider. Of these at most one is in use, beside Hermes' own memory: the one whose name the setting
   *  `hermes.memory.provider` holds. Each agent gets an instance of its own. One that is registered late is used from the next prompt on; one
   *  that is taken back (`dispose`) gets what was queued for it, then `shutdown`. Throws a `HermesError` (`invalid`) for a name that is taken,
   *  or has a meaning of its own ("none", "builtin"). */
  registerMemoryProvider(factory: MemoryProviderFactory): MemoryRegistration;

  readonly sessions: Sessions;

  /** Sessions whose entry in `sessions.list` may read otherwise now. */
  readonly onDidChangeSessions: Event<SessionsChange>;
  /** A view of Hermes shows another session, or the same one cut back. */
  readonly onDidSwitchSession: Event<SessionSwitched>;
  /** Turns of all sessions, whether a view shows them or not. In order; each event comes after what it carries is on disk. */
  readonly onTurnEvent: Event<TurnEvent>;
}

/** Let go by `dispose`, once. */
export interface Disposable {
  dispose(): void;
}

/** Calls the listener for every event until the `Disposable` is disposed. A listener that throws or rejects is logged, and touches nothing else. */
export type Event<T> = (listener: (event: T) => unknown) => Disposable;

/** What calls of this API throw and reject with. `message` is a sentence for a person.
 *  notFound: no such session, or not one for other extensions · invalid: an argument · unavailable: the history cannot be read now (another
 *  window has it, the disk fails) · closed: Hermes was deactivated. */
export interface HermesError extends Error {
  readonly name: 'HermesError';
  readonly code: 'notFound' | 'invalid' | 'unavailable' | 'closed';
}

// ── Sessions ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Sessions {
  /** Sessions that are neither archived nor in the trash, newest activity first; those without a message are left out. `limit` is 50 where it
   *  is not given, and 500 at most. The next page: `before` is the last entry of this one. */
  list(query?: {
    readonly limit?: number;
    readonly before?: Pick<SessionEntry, 'id' | 'lastActiveAt'>;
  }): Promise<readonly SessionEntry[]>;
  /** What a person sees of a session, oldest message first: the newest page, or the one before a message's `position`. `limit` is 100 where it is
   *  not given, and 1,000 at most. Any id the session has had will do. */
  read(sessionId: string, query?: { readonly limit?: number; readonly before?: number }): Promise<TranscriptPage>;
}

export interface Session {
  /** The id that its next turn is stored under. It changes when the earlier part is summarised. */
  readonly id: string;
  /** Stays the same for the life of a session. */
  readonly conversationId: string;
  readonly title: string | null;
  /** What it came from: the segment that was summarised, the session it branched from (null where that is erased), the session a sub-agent worked
   *  for. */
  readonly parentSessionId: string | null;
  readonly parentKind: 'compression' | 'branch' | 'delegate' | null;
  /** Reference of the model, as in the setting `hermes.model`. */
  readonly model: string | null;
  /** Path of the folder it was begun in. */
  readonly folder: string | null;
  readonly startedAt: number;
  readonly lastActiveAt: number;
  readonly pinned: boolean;
}

export interface SessionEntry extends Session {
  /** The first prompt, cut to 120 characters. */
  readonly preview: string | null;
  readonly turnCount: number;
  readonly messageCount: number;
  /** Of the last turn. */
  readonly state: 'running' | 'waiting' | TurnOutcome | null;
}

export interface TranscriptPage {
  readonly session: Session;
  readonly messages: readonly Message[];
  /** Every turn a message of this page belongs to. */
  readonly turns: readonly Turn[];
  readonly hasEarlier: boolean;
}

/** `sessionIds` is empty when all that can be said is that a session is gone: read the list again. */
export interface SessionsChange {
  readonly sessionIds: readonly string[];
}

/** Null: the empty state, where the next prompt begins a session; a private session looks the same from here. */
export interface SessionSwitched {
  /** The view; the same for as long as it lives. */
  readonly viewId: string;
  readonly previousSessionId: string | null;
  readonly sessionId: string | null;
  /** The parent of `sessionId`, where it has one. */
  readonly parentSessionId: string | null;
  readonly reason: SwitchReason;
}

export type SwitchReason = 'new_session' | 'reset' | 'resume' | 'branch' | 'rewind' | 'compression';

// ── Messages and turns ────────────────────────────────────────────────────────────────────────────────────────────────────

export type Message = UserMessage | AssistantMessage | ToolMessage;

interface MessageBase {
  readonly id: string;
  /** The id the session had when the message was stored. */
  readonly sessionId: string;
  readonly turnId: string | null;
  /** Orders the messages of a session; with gaps. */
  readonly position: number;
  readonly createdAt: number;
}

export interface UserMessage extends MessageBase {
  readonly role: 'user';
  readonly parts: readonly (TextPart | ImagePart | AttachmentPart)[];
}

export interface AssistantMessage extends MessageBase {
  readonly role: 'assistant';
  readonly parts: readonly (TextPart | ThinkingPart | ToolCallPart)[];
  /** streaming: more of it may come. */
  readonly state: 'streaming' | 'final';
  readonly model: string | null;
}

export interface ToolMessage extends MessageBase {
  readonly role: 'tool';
  readonly parts: readonly [ToolResultPart];
}

export interface TextPart {
  readonly kind: 'text';
  readonly text: string;
}

export interface ThinkingPart {
  readonly kind: 'thinking';
  readonly text: string;
}

export interface ToolCallPart {
  readonly kind: 'toolCall';
  readonly callId: string;
  readonly name: string;
  /** JSON as the model wrote it; it may not parse. */
  readonly arguments: string;
}

export interface ToolResultPart {
  readonly kind: 'toolResult';
  readonly callId: string;
  readonly name: string;
  readonly outcome: 'done' | 'failed' | 'denied' | 'cancelled' | 'interrupted';
  /** What the model was told. */
  readonly text: string;
}

/** What the person sent along with a prompt, as it was then. */
export interface AttachmentPart {
  readonly kind: 'attachment';
  readonly label: string;
  readonly text: string;
}

export interface ImagePart {
  readonly kind: 'image';
  readonly mediaType: string;
  readonly dataBase64: string;
  readonly name: string | null;
}

export type Turn = OpenTurn | SettledTurn;

interface TurnBase {
  readonly id: string;
  /** The id the session had when the turn was last stored. */
  readonly sessionId: string;
  /** The message that asked for it. */
  readonly promptId: string;
  readonly model: string;
  readonly startedAt: number;
  readonly usage: Usage | null;
}

export interface OpenTurn extends TurnBase {
  /** waiting: for a decision of the person. */
  readonly state: 'running' | 'waiting';
}

export interface SettledTurn extends TurnBase {
  readonly state: 'settled';
  readonly settledAt: number;
  readonly outcome: TurnOutcome;
  readonly stopReason: StopReason;
  /** Present when something went wrong: its class, and a sentence for a person. */
  readonly failure: { readonly cause: string; readonly sentence: string } | null;
}

export type TurnOutcome = 'complete' | 'interrupted' | 'failed';

/** stop: the model finished · length: its output limit · refusal: it declined · iterations: the tool budget · empty: it ended without a word ·
 *  user: the person stopped it · newPrompt: a newer prompt took over · windowClosed: the window went away in order · crash: the process died ·
 *  connectionLost: the stream broke or stalled · error: the provider or the network refused · storeFailed: nothing more could be saved. */
export type StopReason =
  | 'stop'
  | 'length'
  | 'refusal'
  | 'iterations'
  | 'empty'
  | 'user'
  | 'newPrompt'
  | 'windowClosed'
  | 'crash'
  | 'connectionLost'
  | 'error'
  | 'storeFailed';

/** In tokens; null where the provider did not say. */
export interface Usage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedInputTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly reasoningTokens: number | null;
}

/** `sessionId` is the id the session has now: after a summary in the middle of a turn, the new one. */
export type TurnEvent =
  | { readonly kind: 'opened'; readonly sessionId: string; readonly turn: OpenTurn; readonly prompt: UserMessage }
  /** Pieces of the answer, each once, in order. */
  | {
      readonly kind: 'delivered';
      readonly sessionId: string;
      readonly turnId: string;
      readonly chunks: readonly Chunk[];
    }
  /** A whole message: an answer with its calls, a tool result, a prompt the person sent into the running turn. Takes the place of its chunks. */
  | { readonly kind: 'stored'; readonly sessionId: string; readonly turnId: string | null; readonly message: Message }
  /** The turn is over; its messages as they stand now. With `storeFailed` the end itself may not be on disk yet: when it is, this comes again. */
  | {
      readonly kind: 'settled';
      readonly sessionId: string;
      readonly turn: SettledTurn;
      readonly messages: readonly Message[];
    };

/** Text of part number `part` of a message, beginning at UTF-16 offset `start` of it. `seq` counts 1, 2, 3 … per message. */
export interface Chunk {
  readonly messageId: string;
  readonly seq: number;
  readonly part: number;
  readonly kind: 'text' | 'thinking';
  readonly start: number;
  readonly text: string;
}

// ── Memory ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface MemoryProviderFactory {
  /** What a person writes into `hermes.memory.provider`: 1 to 64 letters, digits, dots, hyphens and underscores. */
  readonly name: string;
  /** Makes the provider of one agent. Must do nothing lasting and ask no network: that is for `initialize`. */
  create(context: MemoryContext): MemoryProvider;
}

export interface MemoryContext {
  /** Hermes' own log, under the provider's name. */
  readonly log: { info(message: string): void; warn(message: string): void };
}

export interface MemoryRegistration extends Disposable {
  /** Whether `hermes.memory.provider` names this provider now. */
  readonly isChosen: boolean;
}

/** Something that remembers across sessions. An agent has a provider of its own and serves one session at a time, so a provider may keep state of
 *  its session. Calls come one after the other, off the reply path: nobody waits for them, and one that fails is logged and touches nothing
 *  else. Only `prefetch` and tools are waited for by a turn, `prefetch` for `hermes.memory.recallTimeout` seconds at most. Everything but
 *  `initialize` and `syncTurn` is optional. When each is called, and in which order: docs/memory.md.
 *
 *  What looks like a credential is masked in everything a provider is given. An aborted signal means that time is up: no network from here on, but
 *  what can be made durable on this machine still should be. When a window closes, calls come with a signal that is aborted already. */
export interface MemoryProvider {
  /** The first session this agent serves. */
  initialize(
    sessionId: string,
    signal: AbortSignal,
    start: { readonly parentSessionId: string | null },
  ): Promise<void> | void;
  /** One completed turn. Never called for one that was interrupted, failed, said nothing, or was not a person's. */
  syncTurn(turn: CompletedTurn, signal: AbortSignal): Promise<void> | void;
  /** Whether it is configured; asked when an agent is made. No network. */
  isAvailable?(): boolean;
  /** Static text for the system prompt; read once per session id. */
  systemPromptBlock?(): string;
  /** Recall for the prompt about to be sent: plain text, empty for nothing. */
  prefetch?(query: string, sessionId: string, signal: AbortSignal): Promise<string> | string;
  /** After a turn: start looking for what the next one may need. */
  queuePrefetch?(query: string, sessionId: string, signal: AbortSignal): Promise<void> | void;
  /** What the last recall found, for the person; `count` 0 when it cannot be counted. */
  recallStatus?(): { readonly label: string; readonly count: number } | null;
  /** What the model may call. Read once, when an agent is made. */
  readonly tools?: readonly MemoryTool[];
  onTurnStart?(turn: StartingTurn, signal: AbortSignal): Promise<void> | void;
  /** A session has really ended (new, reset, deleted, forgotten); not called after each turn, nor when a window closes. */
  onSessionEnd?(sessionId: string, signal: AbortSignal): Promise<void> | void;
  /** The agent serves another session from now on, or the same one cut back. */
  onSessionSwitch?(newSessionId: string, change: SessionSwitch, signal: AbortSignal): Promise<void> | void;
  /** Earlier messages are about to be summarised; what it returns (4,000 characters at most) goes into the request for the summary. */
  onPreCompress?(messages: readonly Message[], signal: AbortSignal): Promise<string> | string;
  /** Hermes' own memory was written. */
  onMemoryWrite?(write: MemoryWrite, signal: AbortSignal): Promise<void> | void;
  /** A sub-agent has finished. */
  onDelegation?(delegation: Delegation, signal: AbortSignal): Promise<void> | void;
  /** The person wants these sessions erased everywhere; may come without `initialize`. A sentence says what could not be erased. A provider
   *  without this is said to keep what it was sent. */
  onSessionForgotten?(sessionIds: readonly string[], signal: AbortSignal): Promise<string | null> | string | null;
  /** Nothing follows: write what is buffered. */
  shutdown?(signal: AbortSignal): Promise<void> | void;
}

export interface CompletedTurn {
  /** The id the turn belongs to now: after a summary inside it, the new one. */
  readonly sessionId: string;
  /** A provider that hears of it twice has heard of one turn. */
  readonly turnId: string;
  /** What the person wrote, without anything that was injected. */
  readonly prompt: string;
  /** What the person was shown. */
  readonly answer: string;
  readonly startedAt: number;
  readonly settledAt: number;
}

export interface StartingTurn {
  readonly sessionId: string;
  readonly turnId: string;
  /** 1 for the first turn this agent runs in the session. */
  readonly number: number;
  readonly prompt: string;
  readonly model: string;
}

export interface SessionSwitch {
  /** By lineage: the session the new one was made from (a branch, a summary), whenever that was; null where it has none. */
  readonly parentSessionId: string | null;
  /** By time: the session this provider served until now. The same id where the transcript was cut back. */
  readonly previousSessionId: string;
  /** A genuinely new conversation: nothing of the old one goes on. */
  readonly reset: boolean;
  /** Same id, transcript cut back. */
  readonly rewound: boolean;
  readonly reason: SwitchReason;
}

export interface MemoryWrite {
  readonly action: 'add' | 'replace' | 'remove';
  readonly target: 'memory' | 'user';
  readonly content: string;
  /** What stood there before, for `replace` and `remove`. */
  readonly previous: string | null;
}

export interface Delegation {
  readonly sessionId: string;
  readonly childSessionId: string;
  readonly task: string;
  readonly result: string;
}

/** Something the model may ask the provider for. */
export interface MemoryTool {
  /** 1 to 64 letters, digits, hyphens and underscores. The name of a tool of Hermes' own is refused. */
  readonly name: string;
  /** For the model: what it does, when to use it, its limits. */
  readonly description: string;
  /** JSON Schema of an object. What the model sends is not checked against it: that is for `run`. */
  readonly parameters: { readonly [key: string]: unknown };
  /** Never changes anything: runs without asking. */
  readonly readOnly: boolean;
  /** Resolves with what the model is told. A rejection is a failed call: the model is told its message. */
  run(input: { readonly [key: string]: unknown }, signal: AbortSignal): Promise<string> | string;
}
