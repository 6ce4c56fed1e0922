import type { AnyTool } from '../tools/tool';
import type { Message } from '../transcript/message';
import type { SwitchReason } from './switchReason';

/** How a provider hears that the session it serves has changed its id, or was cut back. */
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

export interface CompletedTurn {
  /** The session the turn belongs to now: after a compression inside it, the new segment. */
  readonly sessionId: string;
  /** The turn's own identity; a provider that hears of it twice has heard of one turn. */
  readonly turnUid: string;
  /** What the person wrote, without anything that was injected. */
  readonly prompt: string;
  /** What the person was shown. */
  readonly answer: string;
  /** Seconds since the epoch. */
  readonly startedAt: number;
  readonly settledAt: number;
}

/** A turn is about to ask its model. */
export interface StartingTurn {
  readonly sessionId: string;
  readonly turnUid: string;
  /** 1 for the first turn this agent runs in the session. */
  readonly number: number;
  readonly prompt: string;
  readonly model: string;
}

/** What the last recall found, for the person; `count` 0 when it cannot be counted. */
export interface RecallStatus {
  readonly label: string;
  readonly count: number;
}

/** A write of the built-in memory, told to the others once it is on disk. */
export interface MemoryWrite {
  readonly action: 'add' | 'replace' | 'remove';
  readonly target: 'memory' | 'user';
  readonly content: string;
  /** What stood there before, for `replace` and `remove`. */
  readonly previous: string | null;
}

/** A sub-agent has finished; its own session has no external provider. */
export interface Delegation {
  readonly sessionId: string;
  readonly childSessionId: string;
  readonly task: string;
  readonly result: string;
}

/** Where the first session of an agent comes from; later ones are told by `onSessionSwitch`. */
export interface SessionStart {
  readonly parentSessionId: string | null;
}

/** Something that remembers across sessions. An agent has provider instances of its own, so a provider may keep per-session state. Calls
 *  that return a promise come one after the other, from one queue, off the reply path (only `prefetch` and tools are awaited by a turn, and
 *  `prefetch` only for so long); a rejected one is logged with the provider's name and touches nothing else. Everything but `name`,
 *  `initialize` and `syncTurn` is optional: a provider written before a hook existed keeps working.
 *
 *  What looks like a secret is masked in everything a provider is given; what it is given is its own copy. An aborted signal means that time
 *  is up: no network from here on, but what can be made durable on this machine still should be. At the end of a window queued calls come
 *  with a signal that is aborted already, so that a provider with an outbox loses nothing. */
export interface MemoryProvider {
  readonly name: string;
  initialize(sessionId: string, signal: AbortSignal, start: SessionStart): Promise<void>;
  /** One completed turn. Never called for interrupted, failed, empty or automated ones. */
  syncTurn(turn: CompletedTurn, signal: AbortSignal): Promise<void>;
  /** Whether it is configured; asked without network, before it is used. */
  isAvailable?(): boolean;
  /** Static text for the system prompt; the same for the life of a session, so that prompt caches hold. Empty: nothing to say. */
  systemPromptBlock?(): string;
  /** Recall for the prompt about to be sent: plain text, empty for nothing. Bounded by the manager. */
  prefetch?(query: string, sessionId: string, signal: AbortSignal): Promise<string>;
  /** After a turn: start looking for what the next one may need. */
  queuePrefetch?(query: string, sessionId: string, signal: AbortSignal): Promise<void>;
  recallStatus?(): RecallStatus | null;
  readonly tools?: readonly AnyTool[];
  onTurnStart?(turn: StartingTurn, signal: AbortSignal): Promise<void>;
  /** A session has really ended (new, reset, forgotten); not called after each turn. */
  onSessionEnd?(sessionId: string, signal: AbortSignal): Promise<void>;
  onSessionSwitch?(newSessionId: string, change: SessionSwitch, signal: AbortSignal): Promise<void>;
  /** Before earlier messages are summarised; what it returns goes into the request for the summary. */
  onPreCompress?(messages: readonly Message[], signal: AbortSignal): Promise<string>;
  onMemoryWrite?(write: MemoryWrite, signal: AbortSignal): Promise<void>;
  onDelegation?(delegation: Delegation, signal: AbortSignal): Promise<void>;
  /** The person has asked that a session be erased everywhere. Rejects, or resolves with a sentence, when something cannot be erased. */
  onSessionForgotten?(sessionIds: readonly string[], signal: AbortSignal): Promise<string | null>;
  /** Its work is over: write what is buffered. */
  shutdown?(signal: AbortSignal): Promise<void>;
}
