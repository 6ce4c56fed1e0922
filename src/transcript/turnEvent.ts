import type { Approval, Mode } from './approval';
import type { Chunk, Message } from './message';
import type { ReasoningEffort } from './reasoningEffort';
import type { Recalled } from './recalled';
import type { QueuedPrompt } from './session';
import type { Failure } from './stopReason';
import type { Turn } from './turn';

/** What a surface is told about the session it shows, in order. Everything in here that is delivered text is already on disk. */
export type TurnEvent =
  | { readonly kind: 'turnOpened'; readonly turn: Turn; readonly userMessage: Message }
  /** An answer begins or goes on: stored chunks, each once, by `seq` without gaps. */
  | { readonly kind: 'delivered'; readonly turnUid: string; readonly chunks: readonly Chunk[] }
  /** A whole row was stored (an assistant row with its calls, a tool result); replaces what was built from chunks. */
  | { readonly kind: 'messageStored'; readonly message: Message }
  /** The turn waits for the person; the question is on disk. */
  | {
      readonly kind: 'approvalRequested';
      readonly turn: Turn & { readonly state: 'waiting' };
      readonly approval: Approval;
    }
  /** It was decided, here or from another surface, and the turn goes on. */
  | {
      readonly kind: 'approvalDecided';
      readonly turn: Turn & { readonly state: 'running' };
      readonly approval: Approval;
    }
  /** What the sub-agents of this turn ask now, one question at a time; null where nothing is asked any more. The turn itself goes on running. */
  | { readonly kind: 'subAgentAsks'; readonly turnUid: string; readonly approval: Approval | null }
  /** What a running call lets be seen; never stored. */
  | {
      readonly kind: 'toolProgress';
      readonly turnUid: string;
      readonly callId: string;
      readonly progress: ToolProgress;
    }
  /** What memory found for the turn's prompt, now that it is on its way with it. For the person; the turn's row keeps it too. */
  | { readonly kind: 'recalled'; readonly turnUid: string; readonly found: readonly Recalled[] }
  /** Fleeting state of a running turn; never stored. */
  | { readonly kind: 'activity'; readonly turnUid: string; readonly activity: TurnActivity }
  /** The turn's rows as they now stand on disk. */
  | {
      readonly kind: 'turnSettled';
      readonly turn: Turn & { readonly state: 'settled' };
      readonly messages: readonly Message[];
    };

/** What a running tool lets be seen. Output of a command is shown from a file that was written first. */
export type ToolProgress =
  /** `tail`: the end of what stands in `file` by now, `bytes` in all. */
  | { readonly kind: 'output'; readonly file: string; readonly bytes: number; readonly tail: string }
  | { readonly kind: 'note'; readonly text: string }
  /** The session of a sub-agent that works on the call. */
  | { readonly kind: 'session'; readonly sessionId: string };

export type TurnActivity =
  /** `iteration`: which of the `maxIterations` requests the turn may make; both are given when a request begins. */
  | {
      readonly kind: 'requesting';
      readonly elapsedMs: number;
      readonly iteration?: number;
      readonly maxIterations?: number;
    }
  /** Memory is asked and takes a moment; can be skipped. In seconds since the epoch. */
  | { readonly kind: 'recalling'; readonly startedAt: number }
  | { readonly kind: 'loadingModel'; readonly elapsedMs: number }
  | {
      readonly kind: 'retrying';
      readonly attempt: number;
      readonly attempts: number;
      readonly delayMs: number;
      readonly failure: Failure;
    }
  | { readonly kind: 'receivingToolCall'; readonly name: string; readonly characters: number }
  | { readonly kind: 'runningTool'; readonly callId: string; readonly startedAt: number }
  | { readonly kind: 'answering' }
  /** Earlier messages are being summarised. `startedAt`: seconds since the epoch. */
  | { readonly kind: 'compressing'; readonly startedAt: number };

/** What every surface is told about all sessions. */
export type SessionEvent =
  | { readonly kind: 'sessionsChanged'; readonly sessionIds: readonly string[] }
  | { readonly kind: 'queueChanged'; readonly sessionId: string; readonly queue: readonly QueuedPrompt[] }
  /** How freely the session's agent may act from now on. */
  | { readonly kind: 'modeChanged'; readonly sessionId: string; readonly mode: Mode }
  /** How hard the session's model is asked to think from now on. */
  | { readonly kind: 'effortChanged'; readonly sessionId: string; readonly effort: ReasoningEffort }
  /** A session is being compressed between two turns (`activity`), or no longer (null). Inside a turn its own events say so. */
  | {
      readonly kind: 'compressing';
      readonly sessionId: string;
      readonly activity: (TurnActivity & { readonly kind: 'compressing' }) | null;
    };
