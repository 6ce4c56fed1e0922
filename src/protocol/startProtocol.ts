import * as v from 'valibot';

/** Requests of the chat's empty state. */
export const startRequests = {
  /** Prompts that fit the content of the folder: a few, or none for an empty folder. */
  starterPrompts: v.object({}),
} as const;

export interface StartResults {
  readonly starterPrompts: readonly string[];
}
