import type { AnyTool } from '../tools/tool';
import type { Message } from '../transcript/message';

/** The reason why the session of a surface changed. */
export type SwitchReason = 'new_session' | 'reset' | 'resume' | 'branch' | 'rewind' | 'compression';

/** Tells a provider that the session it serves has a new id, or was rewound. */
export interface SessionSwitch {
  /** By lineage: the session that the new one was made from (a branch, a summary), at any earlier time. Null when
   *  there is none. */
  readonly parentSessionId: string | null;
  /** By time: the session that this provider served until now. The same id when the transcript was rewound. */
  readonly previousSessionId: string;
  /** True for a genuinely new conversation that continues nothing of the old one. */
  readonly reset: boolean;
  /** True when the id is the same and the transcript was rewound. */
  readonly rewound: boolean;
  readonly reason: SwitchReason;
}

export interface CompletedTurn {
  /** The session that the turn belongs to now: after a compression inside it, the new segment. */
  readonly sessionId: string;
  /** The turn's unique id. A provider that gets it twice has received the same turn twice. */
  readonly turnUid: string;
  /** The user's own text, without injected text. */
  readonly prompt: string;
  /** The text that the user was shown. */
  readonly answer: string;
  /** Seconds since the epoch. */
  readonly startedAt: number;
  readonly settledAt: number;
}

/** A turn that will soon send its first request to the model. */
export interface StartingTurn {
  readonly sessionId: string;
  readonly turnUid: string;
  /** Number of the turn that this agent runs in the session, counted from 1. */
  readonly number: number;
  readonly prompt: string;
  readonly model: string;
}

/** The last recall's result, for the user. `count` is 0 when it cannot be counted. */
export interface RecallStatus {
  readonly label: string;
  readonly count: number;
}

/** A write of the built-in memory. The other providers are notified when it is on disk. */
export interface MemoryWrite {
  readonly action: 'add' | 'replace' | 'remove';
  readonly target: 'memory' | 'user';
  readonly content: string;
  /** The text before the change, for `replace` and `remove`. */
  readonly previous: string | null;
}

/** A finished sub-agent's work. The sub-agent's own session has no external provider. */
export interface Delegation {
  readonly sessionId: string;
  readonly childSessionId: string;
  readonly task: string;
  readonly result: string;
}

/** The origin of an agent's first session. Later sessions are reported with `onSessionSwitch`. */
export interface SessionStart {
  readonly parentSessionId: string | null;
}

/** A provider that remembers across sessions. Each agent has its own provider instances, so a provider may keep
 *  per-session state. Calls that return a promise run one after another, from one queue, and do not delay the reply:
 *  a turn awaits only `prefetch` and tools, and `prefetch` only with a time limit. A rejected call is logged with
 *  the provider's name and affects nothing else. Everything except `name`, `initialize` and `syncTurn` is optional:
 *  a provider written before a hook existed keeps working.
 *
 *  Possible secrets are masked in all data for a provider, and the provider gets its own copy. An aborted signal
 *  means that time is up: make no more network requests, but still store on this machine whatever is possible. When
 *  a window closes, queued calls come with an already aborted signal, so that a provider with an outbox loses
 *  nothing. */
export interface MemoryProvider {
  readonly name: string;
  initialize(sessionId: string, signal: AbortSignal, start: SessionStart): Promise<void>;
  /** Called with one completed turn. Never called for interrupted, failed, empty or automated ones. */
  syncTurn(turn: CompletedTurn, signal: AbortSignal): Promise<void>;
  /** True when it is configured. Called before first use; must not use the network. */
  isAvailable?(): boolean;
  /** Static text for the system prompt, the same for the life of a session, so that prompt caches stay valid. Empty:
   *  none. */
  systemPromptBlock?(): string;
  /** Recall for the prompt that will be sent next: plain text, empty for none. The manager sets a time limit. */
  prefetch?(query: string, sessionId: string, signal: AbortSignal): Promise<string>;
  /** Called after a turn, to start a search for the next one. */
  queuePrefetch?(query: string, sessionId: string, signal: AbortSignal): Promise<void>;
  recallStatus?(): RecallStatus | null;
  readonly tools?: readonly AnyTool[];
  onTurnStart?(turn: StartingTurn, signal: AbortSignal): Promise<void>;
  /** Called when a session has really ended (new, reset, erased), not after each turn. */
  onSessionEnd?(sessionId: string, signal: AbortSignal): Promise<void>;
  onSessionSwitch?(newSessionId: string, change: SessionSwitch, signal: AbortSignal): Promise<void>;
  /** Called before earlier messages are summarized. The returned text becomes part of the request for the summary. */
  onPreCompress?(messages: readonly Message[], signal: AbortSignal): Promise<string>;
  onMemoryWrite?(write: MemoryWrite, signal: AbortSignal): Promise<void>;
  onDelegation?(delegation: Delegation, signal: AbortSignal): Promise<void>;
  /** Called when the user wants sessions erased everywhere. Rejects, or resolves with a sentence, when something
   *  cannot be erased. */
  onSessionForgotten?(sessionIds: readonly string[], signal: AbortSignal): Promise<string | null>;
  /** Called at the end: write all buffered data. */
  shutdown?(signal: AbortSignal): Promise<void>;
}
