import * as v from 'valibot';

/** What the chat asks for where no conversation is. */
export const startRequests = {
  /** Prompts that fit what is in the folder; few, and none where nothing is. */
  starterPrompts: v.object({}),
} as const;

export interface StartResults {
  readonly starterPrompts: readonly string[];
}
