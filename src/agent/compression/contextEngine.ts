import type { ChatModel } from '../../models/chatModel';
import type { HandoffTokens } from '../../transcript/handoff';
import type { Message } from '../../transcript/message';

/** A conversation's history as a compression sees it. */
export interface ContextHistory {
  readonly conversationId: string;
  /** The active rows of its newest segment. */
  readonly rows: readonly Message[];
  /** Its first messages, from its first segment. */
  readonly head: readonly Message[];
  /** What the engine asked to be kept with the conversation, as it gave it; null where it never did. */
  readonly memo: string | null;
}

export interface HandoffRequest {
  /** Writes the summary. */
  readonly model: ChatModel;
  /** Tokens that the model of the conversation takes; null where it does not say. */
  readonly contextWindow: number | null;
  /** What the person wants kept above all. */
  readonly focus: string | null;
  /** The person or the provider asked, so neither a pause after a failure nor earlier fruitless attempts stand in the way. */
  readonly isForced: boolean;
  /** What others wish to have said of the rows a summary will stand for; empty for nothing. Never rejects. */
  readonly aside: (rows: readonly Message[]) => Promise<string>;
  readonly signal: AbortSignal;
}

/** The next segment, ready to be published. */
export interface Handoff {
  readonly kind: 'handoff';
  readonly text: string;
  /** Uid of the last row it speaks for. */
  readonly summarisedUpTo: string;
  /** Uid of a prompt up to there that goes along all the same, because its turn goes on behind; null for none. */
  readonly prompt: string | null;
  readonly tokens: HandoffTokens;
  /** summary: a model wrote it · plain: none could, and the rows were shortened. */
  readonly madeBy: 'summary' | 'plain';
}

/** protected: nothing but what always stays · noGain: it would save next to nothing · stopped: asked to · unavailable: the model cannot be
 *  asked now, and asking later may work. Nothing was changed. */
export interface NoHandoff {
  readonly kind: 'protected' | 'noGain' | 'stopped' | 'unavailable';
  /** What happened, for a person. */
  readonly sentence: string;
}

export interface Rollover {
  readonly conversationId: string;
  readonly fromSessionId: string;
  readonly toSessionId: string;
  readonly tokens: HandoffTokens;
}

/** What an attempt came to, with what the engine wants to be kept with the conversation from now on. */
export type HandoffAttempt = (Handoff | NoHandoff) & { readonly memo: string | null };

/** Keeps a conversation within what its model can take. Pure of storage: what it proposes, the gateway publishes. */
export interface ContextEngine {
  /** Whether a history of so many tokens may have to be made shorter, as far as this can be said without its rows. Where it says no, so does `isDue`. */
  mayBeDue(tokens: number, contextWindow: number | null): boolean;
  /** Whether the history must be made shorter before it is sent again. `contextWindow`: null where the model does not say. */
  isDue(history: Omit<ContextHistory, 'head'>, contextWindow: number | null): boolean;
  /** What a compression would save, about; null when everything is protected. Asks no model. */
  preview(rows: readonly Message[], contextWindow: number | null): HandoffTokens | null;
  /** Never rejects. */
  compress(history: ContextHistory, request: HandoffRequest): Promise<HandoffAttempt>;
  /** Told of every rollover that was published. */
  rolledOver(rollover: Rollover): void;
}
