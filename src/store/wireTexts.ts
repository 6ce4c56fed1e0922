import type { Recalled } from '../transcript/turn';
import { read, write } from './storeMethod';

/** The exact text that was sent for a prompt, if it differs from what the user wrote: with a note before it, or
 *  recalled memory after it. Kept so that every later request repeats it byte for byte and provider caches stay
 *  valid. It is never shown, searched or exported, and is deleted when the content of its row changes. One call is
 *  one transaction; see `SessionOperations`. */
export const wireTextMethods = {
  /** With `recalled`, the turn's row also keeps the recalled memory for the prompt, to show to the user. Throws
   *  `invalid` for anything but a stored prompt. */
  setApiContent: write<(messageUid: string, text: string, recalled?: RecalledFor) => void>(),
  /** Wire texts of the session's active rows that have one. */
  apiContents: read<(sessionId: string) => readonly ApiContent[]>(),
};

/** Memory recalled for a turn's prompt. */
interface RecalledFor {
  readonly turnUid: string;
  readonly found: readonly Recalled[];
}

export interface ApiContent {
  readonly messageUid: string;
  readonly text: string;
}
