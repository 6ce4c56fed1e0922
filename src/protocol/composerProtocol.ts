import * as v from 'valibot';
import type { MentionPart } from '../transcript/draftPart';
import { reasoningEfforts, type ReasoningEffort } from '../transcript/reasoningEffort';

/** What a chat view says about the place where a person writes. Becomes part of `chatRequests`. */

export const composerRequests = {
  /** How hard the model is asked to think, from its next request on. Null: in what begins in the empty state. */
  setEffort: v.object({ sessionId: v.nullable(v.string()), effort: v.picklist(reasoningEfforts) }),
  /** Prompts of the session, newest first. `before`: only those ahead of this position; null: from the end. */
  promptHistory: v.object({ sessionId: v.string(), before: v.nullable(v.number()) }),
} as const;

export interface ComposerResults {
  readonly setEffort: null;
  readonly promptHistory: PromptHistoryPage;
}

export interface PromptHistoryPage {
  readonly prompts: readonly EarlierPrompt[];
  /** Where to go on; null where there are no earlier ones. */
  readonly before: number | null;
}

/** A prompt as it can be written again. */
export interface EarlierPrompt {
  readonly uid: string;
  readonly text: string;
  /** What was sent along and can be read again. */
  readonly mentions: readonly MentionPart[];
}

export interface ComposerNotifications {
  /** Told when it changes, and behind a drawing where it is another one than the default. Null: of what begins in the empty state. */
  readonly effort: { readonly sessionId: string | null; readonly effort: ReasoningEffort };
}
