import type { ChatModel } from '../../models/chatModel';
import type { HandoffTokens } from '../../transcript/handoff';
import type { Message } from '../../transcript/message';
import type { Usage } from '../../transcript/usage';

/** A conversation's history as input for a compression. */
export interface ContextHistory {
  readonly conversationId: string;
  /** The active rows of its newest segment. */
  readonly rows: readonly Message[];
  /** The conversation's first messages, from its first segment. */
  readonly head: readonly Message[];
  /** The engine's own text, stored with the conversation and returned unchanged. Null when the engine never gave
   *  one. */
  readonly memo: string | null;
}

export interface HandoffRequest {
  /** The model that writes the summary. */
  readonly model: ChatModel;
  /** Context tokens of the conversation's model. Null when unknown. */
  readonly contextWindow: number | null;
  /** The topic that the user wants to keep above all. */
  readonly focus: string | null;
  /** True when the user or the provider requested the compression. Then neither a pause after a failure nor earlier
   *  useless attempts prevent it. */
  readonly isForced: boolean;
  /** Collects text from other services about the rows that will be summarized. Empty: no text. Never rejects. */
  readonly memoryNotes: (rows: readonly Message[]) => Promise<string>;
  /** Called with the usage of each request. Never rejects. Default: it is not counted. */
  readonly spent?: (usage: Usage) => Promise<void>;
  readonly signal: AbortSignal;
}

/** The next segment, ready to be published. */
export interface Handoff {
  readonly kind: 'handoff';
  readonly text: string;
  /** Uid of the last row that the handoff covers. */
  readonly summarisedUpTo: string;
  /** Uid of a covered prompt that is kept anyway, because its turn continues after it. Null for none. */
  readonly prompt: string | null;
  readonly tokens: HandoffTokens;
  /** summary: a model wrote it · plain: no model could, so the rows were shortened. */
  readonly madeBy: 'summary' | 'plain';
}

/** protected: every row must stay · noGain: it would save next to nothing · stopped: a stop was requested ·
 *  unavailable: the model cannot be used now, and a later attempt may work. Nothing was changed. */
export interface NoHandoff {
  readonly kind: 'protected' | 'noGain' | 'stopped' | 'unavailable';
  /** A sentence for the user about the outcome. */
  readonly sentence: string;
}

export interface Rollover {
  readonly conversationId: string;
  readonly fromSessionId: string;
  readonly toSessionId: string;
  readonly tokens: HandoffTokens;
}

/** Result of an attempt, with the engine's new memo for the conversation. */
export type HandoffAttempt = (Handoff | NoHandoff) & { readonly memo: string | null };

/** Keeps a conversation within its model's context. It stores nothing: it makes a proposal, and the gateway
 *  publishes it. */
export interface ContextEngine {
  /** Returns false when a history of this many tokens is certainly short enough, so that its rows need not be read:
   *  then `isDue` returns false too. */
  mayBeDue(tokens: number, contextWindow: number | null): boolean;
  /** True when the history must be shortened before it is sent again. `contextWindow`: null when unknown. */
  isDue(history: Omit<ContextHistory, 'head'>, contextWindow: number | null): boolean;
  /** Estimates the savings of a compression. Null when everything is protected. Sends no model request. */
  preview(rows: readonly Message[], contextWindow: number | null): HandoffTokens | null;
  /** Never rejects. */
  compress(history: ContextHistory, request: HandoffRequest): Promise<HandoffAttempt>;
  /** Called after every rollover that was published. */
  rolledOver(rollover: Rollover): void;
}
