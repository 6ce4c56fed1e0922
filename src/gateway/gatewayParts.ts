import type { Agent } from '../agent/agent';
import type { ContextEngine } from '../agent/compression/contextEngine';
import type { Clock } from '../base/clock';
import type { Ids } from '../base/ids';
import type { Log } from '../base/log';
import type { MemoryManager } from '../memory/memoryManager';
import type { SessionStore } from '../store/sessionStore';
import type { Mode } from '../transcript/approval';
import type { ReasoningEffort } from '../transcript/reasoningEffort';
import type { BusyMode } from './gateway';

/** What a gateway is made from. */
export interface GatewayParts {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Makes an agent for a model reference. Opening the model is the agent's, inside the turn: the prompt is stored first. */
  readonly createAgent: (model: string, memory?: MemoryManager) => Agent;
  /** Changes when anything an agent is made from changes (model, endpoint, tools, settings, folders). */
  readonly agentSignature: (model: string) => string;
  readonly createMemory: (agent: { readonly isPrivate: boolean }) => MemoryManager;
  /** The model of new sessions; null while none was chosen. */
  readonly defaultModel: () => string | null;
  readonly saveDefaultModel: (ref: string) => Promise<void>;
  /** Path of the open folder, kept with new sessions. */
  readonly folder: () => string | null;
  /** What becomes of a prompt sent while a turn runs; it queues where this is not said. */
  readonly busyMode?: () => BusyMode;
  /** How freely the agent of a session may act for which nothing was chosen; it asks where this is not said. */
  readonly defaultMode?: () => Mode;
  /** How hard models are asked to think in a session for which nothing was chosen; as they do by themselves where this is not said. */
  readonly defaultEffort?: () => ReasoningEffort;
  /** Keeps conversations within what their model can take; the usual `Compressor` where this is not said. */
  readonly contextEngine?: ContextEngine;
  /** Reference of the model that writes summaries; null: that of the session, as where this is not said. */
  readonly summaryModel?: () => string | null;
}
