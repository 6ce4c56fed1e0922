import * as v from 'valibot';
import type { CurrentFile } from './attachmentProtocol';
import type { MentionPart } from '../transcript/draftPart';
import type { AgentHandoff } from '../transcript/contextFiles';
import { reasoningEfforts, type ReasoningEffort } from '../transcript/session';

/** Requests of a chat view's composer. Becomes part of `chatRequests`. */

export const composerRequests = {
  /** Reasoning effort, from the model's next request on. Null: for a session that begins in the empty state. */
  setEffort: v.object({ sessionId: v.nullable(v.string()), effort: v.picklist(reasoningEfforts) }),
  /** Custom agent, from the next turn on. Null as the agent: the usual one. Null as the session: as for `setEffort`. */
  setAgent: v.object({ sessionId: v.nullable(v.string()), agent: v.nullable(v.string()) }),
  /** Prompts of the session, newest first. `before`: only those before this position; null: from the end. */
  promptHistory: v.object({ sessionId: v.string(), before: v.nullable(v.number()) }),
} as const;

export interface ComposerResults {
  readonly setEffort: null;
  readonly setAgent: null;
  readonly promptHistory: PromptHistoryPage;
}

export interface PromptHistoryPage {
  readonly prompts: readonly EarlierPrompt[];
  /** Position to continue from; null when there are no earlier prompts. */
  readonly before: number | null;
}

/** A prompt that can be sent again. */
export interface EarlierPrompt {
  readonly uid: string;
  readonly text: string;
  /** Mentions that were sent with it and can be read again. */
  readonly mentions: readonly MentionPart[];
}

/** An agent of a file that can be chosen for a session. */
export interface OfferedAgent {
  readonly name: string;
  readonly description: string;
  /** Tools that its file names and that Hermes does not have. */
  readonly missingTools: readonly string[];
  /** Says why the model that its file names is not used. Null: it is, or none is named, or it is not known yet. */
  readonly missingModel: string | null;
  readonly handoffs: readonly AgentHandoff[];
}

export interface ComposerNotifications {
  /** Null: nothing can be offered. */
  readonly currentFile: CurrentFile | null;
  /** Sent when it changes, and after a render when it differs from the default. Null: for a session that begins in
   *  the empty state. */
  readonly effort: { readonly sessionId: string | null; readonly effort: ReasoningEffort };
  /** Sent when one of them changes, and after a render when there is something to choose or chosen. `sessionId` as for
   *  `effort`. `chosen` null: the usual agent. */
  readonly agents: {
    readonly sessionId: string | null;
    readonly chosen: string | null;
    readonly offered: readonly OfferedAgent[];
  };
}
