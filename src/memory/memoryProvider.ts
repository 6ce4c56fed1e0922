import type { SwitchReason } from './switchReason';

/** How a provider hears that the session it serves has changed its id, or was cut back. */
export interface SessionSwitch {
  readonly parentSessionId: string | null;
  /** A genuinely new conversation: nothing of the old one goes on. */
  readonly reset: boolean;
  /** Same id, transcript cut back. */
  readonly rewound: boolean;
  readonly reason: SwitchReason;
}

export interface CompletedTurn {
  readonly sessionId: string;
  readonly prompt: string;
  readonly answer: string;
}

/** Something that remembers across sessions. An agent has provider instances of its own, so a provider may keep per-session state. All
 *  calls come one after the other, from one queue, off the reply path; a rejected one is logged and touches nothing else.
 *  Everything but `name`, `initialize` and `syncTurn` is optional. */
export interface MemoryProvider {
  readonly name: string;
  initialize(sessionId: string, signal: AbortSignal): Promise<void>;
  /** One completed turn. Never called for interrupted, failed or empty ones. */
  syncTurn(turn: CompletedTurn, signal: AbortSignal): Promise<void>;
  onSessionEnd?(sessionId: string, signal: AbortSignal): Promise<void>;
  onSessionSwitch?(newSessionId: string, change: SessionSwitch, signal: AbortSignal): Promise<void>;
  shutdown?(signal: AbortSignal): Promise<void>;
}
