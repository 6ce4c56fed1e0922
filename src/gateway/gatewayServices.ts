import type { TurnAgent } from '../agent/agent';
import type { ContextEngine } from '../agent/compression/contextEngine';
import type { Clock } from '../base/clock';
import type { Ids } from '../base/ids';
import type { Log } from '../base/log';
import type { MemoryManager } from '../memory/memoryManager';
import type { SessionStore } from '../store/session/sessionStore';
import type { Mode } from '../transcript/approval';
import type { BusyMode } from '../transcript/steering';
import type { ReasoningEffort } from '../transcript/session';

/** `promptUid`: the message that it answers. */
export interface CompletedTurn {
  readonly surfaceId: string;
  readonly sessionId: string;
  readonly promptUid: string;
}

export type FileAsking = { readonly agent: string } | { readonly prompt: string };

/** The services that a gateway is built from. Everything else has a default. */
export interface GatewayServices {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Creates an agent for a model reference. The agent opens the model itself, inside the turn: the prompt is stored
   *  first. `custom`: name of the custom agent. Default: the usual agent. */
  readonly createAgent: (model: string, memory?: MemoryManager, custom?: string | null) => TurnAgent;
  /** Changes when any input of an agent changes (model, endpoint, tools, settings, folders). */
  readonly agentSignature: (model: string, custom?: string | null) => string;
  /** The model that a file for agents asks for, if it may take the place of `chosen`, the user's model. `file`: a
   *  custom agent by its name, or a prompt that may call a prompt file. Null: the user's model stays. Never rejects.
   *  Default: no file chooses a model. */
  readonly modelOfFile?: (file: FileAsking, chosen: string) => Promise<string | null>;
  readonly createMemory: (agent: { readonly isPrivate: boolean }) => MemoryManager;
  /** The model of new sessions. Null while none was chosen. */
  readonly defaultModel: () => string | null;
  readonly saveDefaultModel: (ref: string) => Promise<void>;
  /** Path of the open folder, stored with new sessions. */
  readonly folder: () => string | null;
  /** Treatment of a prompt that is sent while a turn runs. Default: queue it. */
  readonly busyMode?: () => BusyMode;
  /** Mode of sessions without their own choice: how freely the agent may act. Default: `ask`. */
  readonly defaultMode?: () => Mode;
  /** US dollars that a session may cost before a turn stops and asks. 0: no limit. Default: 0. */
  readonly spendingLimit?: () => number;
  /** Source of session titles: the session's model, or the first prompt alone. Default: the prompt. */
  readonly sessionTitles?: () => 'model' | 'prompt';
  /** Reasoning effort of sessions without their own choice. Default: the model's own default. */
  readonly defaultEffort?: () => ReasoningEffort;
  /** Keeps conversations within their model's context. Default: the usual `Summarizer`. */
  readonly contextEngine?: ContextEngine;
  /** Called before a prompt opens a turn in a conversation, within the conversation's sequence. May change its rows.
   *  Rejects with a `GatewayError` when no turn may begin there now. Default: nothing else writes to the store. */
  readonly beforeTurn?: (conversationId: string) => Promise<void>;
  /** Called when an answer is complete, by the user's own session. Must not throw. Default: nobody is told. */
  readonly afterTurn?: (turn: CompletedTurn) => void;
  /** Reference of the model that writes summaries. Null: the session's model. Default: null. */
  readonly summaryModel?: () => string | null;
}
