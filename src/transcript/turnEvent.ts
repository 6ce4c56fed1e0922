import type { Approval, Mode } from './approval';
import type { Chunk, Message } from './message';
import type { ToolCallPart, ToolOutcome } from './part';
import type { ReasoningEffort, QueuedPrompt } from './session';
import type { Failure } from './stopReason';
import type { Turn, Recalled } from './turn';

/** Events for a surface about the session it shows, in order. All delivered text in them is already on disk. */
export type TurnEvent =
  | { readonly kind: 'turnOpened'; readonly turn: Turn; readonly userMessage: Message }
  /** An answer begins or continues: stored chunks, each once, by `seq` without gaps. */
  | { readonly kind: 'delivered'; readonly turnUid: string; readonly chunks: readonly Chunk[] }
  /** A complete row was stored (an assistant row with its calls, a tool result). It replaces the content built from
   *  chunks. */
  | { readonly kind: 'messageStored'; readonly message: Message }
  /** The turn waits for the user; the approval is on disk. */
  | {
      readonly kind: 'approvalRequested';
      readonly turn: Turn & { readonly state: 'waiting' };
      readonly approval: Approval;
    }
  /** The approval was decided, here or in another surface, and the turn continues. */
  | {
      readonly kind: 'approvalDecided';
      readonly turn: Turn & { readonly state: 'running' };
      readonly approval: Approval;
    }
  /** Present approval of this turn's sub-agents, one at a time; null when there is none anymore. The turn itself
   *  keeps running. */
  | { readonly kind: 'subAgentAsks'; readonly turnUid: string; readonly approval: Approval | null }
  /** Progress of a running call; never stored. */
  | {
      readonly kind: 'toolProgress';
      readonly turnUid: string;
      readonly callId: string;
      readonly progress: ToolProgress;
    }
  /** Memory results for the turn's prompt, sent together with it. For the user; the turn's row keeps them too. */
  | { readonly kind: 'recalled'; readonly turnUid: string; readonly found: readonly Recalled[] }
  /** Transient state of a running turn; never stored. */
  | { readonly kind: 'activity'; readonly turnUid: string; readonly activity: TurnActivity }
  /** The turn's rows as they are now on disk. */
  | {
      readonly kind: 'turnSettled';
      readonly turn: Turn & { readonly state: 'settled' };
      readonly messages: readonly Message[];
    };

/** Progress of a running tool. Output of a command is shown from a file that was written first. */
export type ToolProgress =
  /** `tail`: end of the present content of `file`, which has `bytes` bytes in all. */
  | { readonly kind: 'output'; readonly file: string; readonly bytes: number; readonly tail: string }
  | { readonly kind: 'note'; readonly text: string }
  /** Session of a sub-agent that works on the call. */
  | { readonly kind: 'session'; readonly sessionId: string }
  /** The call that the sub-agent runs or ran last. `outcome`: null while it runs. `steps`: number of the sub-agent's
   *  answers with calls so far. */
  | {
      readonly kind: 'step';
      readonly call: ToolCallPart;
      readonly outcome: ToolOutcome | null;
      readonly steps: number;
    };

export type TurnActivity =
  /** `iteration`: number of this request, of at most `maxIterations` in the turn. Both are set when a request
   *  begins. */
  | {
      readonly kind: 'requesting';
      readonly elapsedMs: number;
      readonly iteration?: number;
      readonly maxIterations?: number;
    }
  /** Memory providers are searching, which takes a moment; the user can skip it. `startedAt`: seconds since the
   *  epoch. */
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
  /** Earlier messages are being summarized. `startedAt`: seconds since the epoch. */
  | { readonly kind: 'compressing'; readonly startedAt: number };

/** Events for every surface about all sessions. */
export type SessionEvent =
  | { readonly kind: 'sessionsChanged'; readonly sessionIds: readonly string[] }
  | { readonly kind: 'queueChanged'; readonly sessionId: string; readonly queue: readonly QueuedPrompt[] }
  /** Mode of the session's agent from now on. */
  | { readonly kind: 'modeChanged'; readonly sessionId: string; readonly mode: Mode }
  /** Thinking effort of the session's model from now on. */
  | { readonly kind: 'effortChanged'; readonly sessionId: string; readonly effort: ReasoningEffort }
  /** Custom agent of the session from its next turn on. Null: the usual agent. */
  | { readonly kind: 'agentChanged'; readonly sessionId: string; readonly agent: string | null }
  /** A session is being compressed between two turns (`activity`), or no longer (null). Inside a turn, the turn's
   *  own events report it. */
  | {
      readonly kind: 'compressing';
      readonly sessionId: string;
      readonly activity: (TurnActivity & { readonly kind: 'compressing' }) | null;
    };
