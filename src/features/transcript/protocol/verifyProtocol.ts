import * as v from 'valibot';
import type { Verification } from '../../../transcript/verification';

export type {
  ServerAccount,
  UnreadMessage,
  Verification,
  VerifiedTurn,
  DeliveryVerdict,
} from '../../../transcript/verification';

/** Verify Session requests of the transcript tab. Becomes part of `transcriptRequests`, `transcriptCommands` and
 *  `TranscriptNotifications`. */

export const verifyRequests = {
  /** Null: the user canceled it. */
  verify: v.object({ sessionId: v.string() }),
} as const;

export const verifyCommands = {
  cancelVerify: v.object({}),
  /** Copies text that a view showed of this message and still has. */
  copyShown: v.object({ messageUid: v.string() }),
} as const;

export interface VerifyResults {
  readonly verify: Verification | null;
}

/** rows: of the session · file: the whole history, which has no steps to count. */
export type VerifyProgress =
  { readonly step: 'rows'; readonly done: number; readonly total: number } | { readonly step: 'file' };

export interface VerifyNotifications {
  /** The command was run outside the tab. */
  readonly verifyAsked: Record<string, never>;
  readonly verifyProgress: VerifyProgress;
}
