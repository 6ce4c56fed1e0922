/* The API of Hermes for VS Code, version 1. Copy this file into your extension; it needs only itself and the global
 * `AbortSignal` (`@types/node` has it). The installed extension contains it too: `dist/hermes.d.ts`. docs/api.md
 * explains each part, with an example.
 *
 * const extension = vscode.extensions.getExtension<HermesExtension>('hermes-vscode.hermes-vscode');
 * const hermes = (await extension?.activate())?.getApi(1);
 *
 * Within version 1, members may be added to objects and to unions of words (`kind`, `reason`, `stopReason`); none
 * is removed or changed. Everything that Hermes returns or emits is a frozen copy. Times are seconds since the
 * epoch. The API never exposes private sessions. */

/** Return value of Hermes' `activate()`. */
export interface HermesExtension {
  /** Throws for a version that this Hermes does not have. The message names the version it has. */
  getApi(version: 1): HermesApi;
}

export interface HermesApi {
  readonly apiVersion: 1;

  /** Registers a memory provider. At most one registered provider is used beside Hermes' own memory: the one whose
   *  name is in the setting `hermes.memory.provider`. Each agent gets its own instance. A provider that registers
   *  late is used from the next prompt. After `dispose` of the registration, the provider gets its queued calls,
   *  then `shutdown`. Throws a `HermesError` (`invalid`) for a name that is taken or reserved ("none", "builtin",
   *  "hindsight"). */
  registerMemoryProvider(factory: MemoryProviderFactory): MemoryRegistration;

  readonly sessions: Sessions;

  /** Emitted for sessions whose entry in `sessions.list` may have changed. */
  readonly onDidChangeSessions: Event<SessionsChange>;
  /** Emitted when a view of Hermes shows another session, or the same session after a rewind. */
  readonly onDidSwitchSession: Event<SessionSwitched>;
  /** Turns of all sessions, also of those that no view shows. Emitted in order, each event after its content is on
   *  disk. */
  readonly onTurnEvent: Event<TurnEvent>;
}

/** Releases its resource once, on `dispose`. */
export interface Disposable {
  dispose(): void;
}

/** Calls the listener for every event until the `Disposable` is disposed. A listener that throws or rejects is
 *  logged and affects nothing else. */
export type Event<T> = (listener: (event: T) => unknown) => Disposable;

/** Error that calls of this API throw or reject with. `message` is a sentence for the user. notFound: no such
 *  session, or other extensions may not see it · invalid: an argument is wrong · unavailable: the history cannot be
 *  read now (another window uses it, the disk fails) · closed: Hermes was deactivated. */
export interface HermesError extends Error {
  readonly name: 'HermesError';
  readonly code: 'notFound' | 'invalid' | 'unavailable' | 'closed';
}

// ── Sessions ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Sessions {
  /** Sessions that are neither archived nor in the trash and have a message, newest activity first. `limit`: default
   *  50, at most 500. For the next page, pass the last entry of this page as `before`. */
  list(query?: {
    readonly limit?: number;
    readonly before?: Pick<SessionEntry, 'id' | 'lastActiveAt'>;
  }): Promise<readonly SessionEntry[]>;
  /** The messages of a session that the user sees, oldest first: the newest page, or the page before a message's
   *  `position`. `limit`: default 100, at most 1,000. Accepts any id that the session has had. */
  read(sessionId: string, query?: { readonly limit?: number; readonly before?: number }): Promise<TranscriptPage>;
}

export interface Session {
  /** Id under which its next turn is stored. Changes when the earlier part is summarized. */
  readonly id: string;
  /** Stays the same for the whole life of a session. */
  readonly conversationId: string;
  readonly title: string | null;
  /** Origin of the session: the segment that was summarized, the session it was branched from (null if that was
   *  erased), or the session that a sub-agent worked for. */
  readonly parentSessionId: string | null;
  readonly parentKind: 'compression' | 'branch' | 'delegate' | null;
  /** Model reference, as in the setting `hermes.model`. */
  readonly model: string | null;
  /** Path of the folder in which the session began. */
  readonly folder: string | null;
  readonly startedAt: number;
  readonly lastActiveAt: number;
  readonly pinned: boolean;
}

export interface SessionEntry extends Session {
  /** First prompt, cut to 120 characters. */
  readonly preview: string | null;
  readonly turnCount: number;
  readonly messageCount: number;
  /** State of the last turn. */
  readonly state: 'running' | 'waiting' | TurnOutcome | null;
}

export interface TranscriptPage {
  readonly session: Session;
  readonly messages: readonly Message[];
  /** Every turn that has a message on this page. */
  readonly turns: readonly Turn[];
  readonly hasEarlier: boolean;
}

/** `sessionIds` is empty when the only known fact is that a session is gone: read the list again. */
export interface SessionsChange {
  readonly sessionIds: readonly string[];
}

/** A null session id means the empty state, where the next prompt begins a session. A private session appears here
 *  as null too. */
export interface SessionSwitched {
  /** Id of the view. Stays the same as long as the view exists. */
  readonly viewId: string;
  readonly previousSessionId: string | null;
  readonly sessionId: string | null;
  /** Parent of `sessionId`. Null: it has none. */
  readonly parentSessionId: string | null;
  readonly reason: SwitchReason;
}

export type SwitchReason = 'new_session' | 'reset' | 'resume' | 'branch' | 'rewind' | 'compression';

// ── Messages and turns ───────────────────────────────────────────────────────────────────────────────────────────────

export type Message = UserMessage | AssistantMessage | ToolMessage;

interface MessageBase {
  readonly id: string;
  /** Id the session had when the message was stored. */
  readonly sessionId: string;
  readonly turnId: string | null;
  /** Orders the messages of a session. Has gaps. */
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
  /** `streaming`: more content may come. */
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
  /** JSON as the model wrote it. It may fail to parse. */
  readonly arguments: string;
}

export interface ToolResultPart {
  readonly kind: 'toolResult';
  readonly callId: string;
  readonly name: string;
  readonly outcome: 'done' | 'failed' | 'denied' | 'cancelled' | 'interrupted';
  /** Text that the model received. */
  readonly text: string;
}

/** Content that the user sent with a prompt, as it was at that time. */
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
  /** Id the session had when the turn was last stored. */
  readonly sessionId: string;
  /** Id of the user message that started the turn. */
  readonly promptId: string;
  readonly model: string;
  readonly startedAt: number;
  readonly usage: Usage | null;
}

export interface OpenTurn extends TurnBase {
  /** `waiting`: for a decision of the user. */
  readonly state: 'running' | 'waiting';
}

export interface SettledTurn extends TurnBase {
  readonly state: 'settled';
  readonly settledAt: number;
  readonly outcome: TurnOutcome;
  readonly stopReason: StopReason;
  /** Present when something went wrong: the class of the cause, and a sentence for the user. In a complete turn: its
   *  connection was lost, and the answer was continued. */
  readonly failure: { readonly cause: string; readonly sentence: string } | null;
}

export type TurnOutcome = 'complete' | 'interrupted' | 'failed';

/** stop: the model finished · length: the model reached its output limit · refusal: the model declined · iterations:
 *  the tool budget was used up · empty: the model ended without text · user: the user stopped it · newPrompt: a
 *  newer prompt replaced it · windowClosed: the window was closed normally · crash: the process died ·
 *  connectionLost: the stream broke or stalled · error: the provider or the network refused · storeFailed: nothing
 *  more could be saved. */
export type StopReason =
  | 'stop'
  | 'length'
  | 'refusal'
  | 'iterations'
  | 'spendingLimit'
  | 'empty'
  | 'user'
  | 'newPrompt'
  | 'windowClosed'
  | 'crash'
  | 'connectionLost'
  | 'error'
  | 'storeFailed';

/** In tokens. Null: the provider did not report it. */
export interface Usage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedInputTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly reasoningTokens: number | null;
}

/** `sessionId` is the session's current id: after a summary in the middle of a turn, the new one. */
export type TurnEvent =
  | { readonly kind: 'opened'; readonly sessionId: string; readonly turn: OpenTurn; readonly prompt: UserMessage }
  /** Pieces of the answer, each once, in order. */
  | {
      readonly kind: 'delivered';
      readonly sessionId: string;
      readonly turnId: string;
      readonly chunks: readonly Chunk[];
    }
  /** A whole message: an answer with its calls, a tool result, or a prompt that the user sent into the running turn.
   *  Replaces its chunks. */
  | { readonly kind: 'stored'; readonly sessionId: string; readonly turnId: string | null; readonly message: Message }
  /** The turn is over; carries its final messages. With `storeFailed`, the end itself may not be on disk yet; this
   *  event is emitted again when it is. */
  | {
      readonly kind: 'settled';
      readonly sessionId: string;
      readonly turn: SettledTurn;
      readonly messages: readonly Message[];
    };

/** Text of part number `part` of a message, starting at UTF-16 offset `start` of that part. `seq` counts 1, 2, 3 …
 *  per message. */
export interface Chunk {
  readonly messageId: string;
  readonly seq: number;
  readonly part: number;
  readonly kind: 'text' | 'thinking';
  readonly start: number;
  readonly text: string;
}

// ── Memory ───────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface MemoryProviderFactory {
  /** Name that the user writes into `hermes.memory.provider`: 1 to 64 letters, digits, dots, hyphens and
   *  underscores. */
  readonly name: string;
  /** Creates the provider of one agent. Must have no lasting effects and use no network; `initialize` may do both. */
  create(context: MemoryContext): MemoryProvider;
}

export interface MemoryContext {
  /** Writes to Hermes' own log, prefixed with the provider's name. */
  readonly log: { info(message: string): void; warn(message: string): void };
}

export interface MemoryRegistration extends Disposable {
  /** True when `hermes.memory.provider` names this provider now. */
  readonly isChosen: boolean;
}

/** Remembers things across sessions. Each agent has its own provider and serves one session at a time, so a provider
 *  may keep state of its session. Hermes calls it one call at a time, outside the reply path: turns do not wait, and
 *  a failed call is logged and affects nothing else. A turn waits only for `prefetch` and tools, and for `prefetch`
 *  at most two seconds. Everything except `initialize` and `syncTurn` is optional.
 *  docs/memory.md says when and in which order each is called.
 *
 *  Hermes masks everything that looks like a credential before a provider gets it. An aborted signal means that time
 *  is up: use no network from then on, but still save what can be saved on this machine. When a window closes, calls
 *  get a signal that is already aborted. */
export interface MemoryProvider {
  /** Called with the first session that this agent serves. */
  initialize(
    sessionId: string,
    signal: AbortSignal,
    start: { readonly parentSessionId: string | null },
  ): Promise<void> | void;
  /** Called with one completed turn. Never called for a turn that was interrupted, failed, gave no answer, or was
   *  not started by the user. */
  syncTurn(turn: CompletedTurn, signal: AbortSignal): Promise<void> | void;
  /** True when the provider is configured. Called when an agent is created. Must use no network. */
  isAvailable?(): boolean;
  /** Static text for the system prompt. Read once per session id. */
  systemPromptBlock?(): string;
  /** Recalls memories for the prompt about to be sent. Plain text; empty for none. */
  prefetch?(query: string, sessionId: string, signal: AbortSignal): Promise<string> | string;
  /** Called after a turn: start to look for memories that the next turn may need. */
  queuePrefetch?(query: string, sessionId: string, signal: AbortSignal): Promise<void> | void;
  /** Result of the last recall, for the user. `count` is 0 when it cannot be counted. */
  recallStatus?(): { readonly label: string; readonly count: number } | null;
  /** Tools that the model may call. Read once, when an agent is created. */
  readonly tools?: readonly MemoryTool[];
  onTurnStart?(turn: StartingTurn, signal: AbortSignal): Promise<void> | void;
  /** Called when a session has really ended (new, reset, deleted, forgotten). Not called after each turn, nor when a
   *  window closes. */
  onSessionEnd?(sessionId: string, signal: AbortSignal): Promise<void> | void;
  /** Called when the agent begins to serve another session, or the same session after a rewind. */
  onSessionSwitch?(newSessionId: string, change: SessionSwitch, signal: AbortSignal): Promise<void> | void;
  /** Called before earlier messages are summarized. The returned text (at most 4,000 characters) becomes part of the
   *  summary request. */
  onPreCompress?(messages: readonly Message[], signal: AbortSignal): Promise<string> | string;
  /** Called after a write to Hermes' own memory. */
  onMemoryWrite?(write: MemoryWrite, signal: AbortSignal): Promise<void> | void;
  /** Called when a sub-agent has finished. */
  onDelegation?(delegation: Delegation, signal: AbortSignal): Promise<void> | void;
  /** Called when the user wants these sessions erased everywhere; possibly without `initialize`. A returned sentence
   *  says what could not be erased. If a provider lacks this hook, Hermes informs the user that the provider keeps
   *  what it received. */
  onSessionForgotten?(sessionIds: readonly string[], signal: AbortSignal): Promise<string | null> | string | null;
  /** Last call: write what is buffered. */
  shutdown?(signal: AbortSignal): Promise<void> | void;
}

export interface CompletedTurn {
  /** Current session id of the turn: after a summary within the turn, the new one. */
  readonly sessionId: string;
  /** Identifies the turn: a provider that gets the same id twice got the same turn twice. */
  readonly turnId: string;
  /** Text that the user wrote, without anything injected. */
  readonly prompt: string;
  /** Text that the user saw. */
  readonly answer: string;
  readonly startedAt: number;
  readonly settledAt: number;
}

export interface StartingTurn {
  readonly sessionId: string;
  readonly turnId: string;
  /** Number of the turn that this agent runs in the session, counted from 1. */
  readonly number: number;
  readonly prompt: string;
  readonly model: string;
}

export interface SessionSwitch {
  /** By lineage: the session that the new one was made from (a branch, a summary), no matter when. Null: none. */
  readonly parentSessionId: string | null;
  /** By time: the session that this provider served until now. The same id after a rewind. */
  readonly previousSessionId: string;
  /** True for an entirely new conversation that continues nothing of the old one. */
  readonly reset: boolean;
  /** True after a rewind: same id, shorter transcript. */
  readonly rewound: boolean;
  readonly reason: SwitchReason;
}

export interface MemoryWrite {
  readonly action: 'add' | 'replace' | 'remove';
  readonly target: 'memory' | 'user';
  readonly content: string;
  /** Previous content, for `replace` and `remove`. */
  readonly previous: string | null;
}

export interface Delegation {
  readonly sessionId: string;
  readonly childSessionId: string;
  readonly task: string;
  readonly result: string;
}

/** A tool of the provider that the model may call. */
export interface MemoryTool {
  /** 1 to 64 letters, digits, hyphens and underscores. A name of one of Hermes' own tools is refused. */
  readonly name: string;
  /** For the model: purpose, when to use it, and limits. */
  readonly description: string;
  /** JSON Schema of an object. Hermes does not validate the model's input against it; `run` must do that. */
  readonly parameters: { readonly [key: string]: unknown };
  /** True when the tool never changes anything: it then runs without approval. */
  readonly readOnly: boolean;
  /** Resolves with the text for the model. A rejection is a failed call, and the model gets its message. */
  run(input: { readonly [key: string]: unknown }, signal: AbortSignal): Promise<string> | string;
}
