import type { Recalled } from '../transcript/recalled';

/** The exact text that prompts were sent with, where it is not what the person wrote: with a note before it, or recalled memory behind it. Kept so that every later
 *  request repeats it byte for byte and provider caches hold. It is never shown, searched or exported, and goes when the content of its row
 *  changes. One call is one transaction; see `SessionOperations`. */
export interface WireTexts {
  /** With `recalled` the turn's row keeps what memory found for the prompt, for the person. Throws `invalid` for anything but a stored prompt. */
  setApiContent(messageUid: string, text: string, recalled?: RecalledFor): void;
  /** Of the session's active rows, those that have one. */
  apiContents(sessionId: string): readonly ApiContent[];
}

/** What memory found for a turn's prompt. */
export interface RecalledFor {
  readonly turnUid: string;
  readonly found: readonly Recalled[];
}

export interface ApiContent {
  readonly messageUid: string;
  readonly text: string;
}
