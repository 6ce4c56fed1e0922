import * as v from 'valibot';
import { hashPattern, type DeliveryEntry } from '../transcript/deliveryEntry';

/** Delivery reports of a chat view about the text it received and rendered. Becomes part of `chatRequests`,
 *  `chatCommands` and `ChatNotifications`. */

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const uid = v.pipe(v.string(), v.maxLength(500));
const entry: v.GenericSchema<unknown, DeliveryEntry> = v.object({
  messageUid: uid,
  turnUid: v.nullable(uid),
  part: count,
  kind: v.picklist(['text', 'thinking']),
  length: count,
  hash: v.pipe(v.string(), v.regex(hashPattern)),
});

export const deliveryRequests = {
  /** New entries since the last report; all remembered entries when the page starts. Contains no text. */
  reportDelivery: v.object({
    conversations: v.pipe(
      v.array(v.object({ conversationId: uid, entries: v.pipe(v.array(entry), v.maxLength(5000)) })),
      v.maxLength(50),
    ),
  }),
} as const;

export const deliveryCommands = {
  /** The user has read the notice about Pull the Plug. */
  crashDemoSeen: v.object({}),
  /** Response to the host's request for it; null: this view does not have it (any more). */
  shownText: v.object({ messageUid: uid, text: v.nullable(v.string()) }),
} as const;

/** Pull the Plug ran in the middle of this turn. */
export interface CrashDemoRun {
  readonly conversationId: string;
  readonly turnUid: string;
  /** Seconds since the epoch. */
  readonly at: number;
}

export interface DeliveryResults {
  readonly reportDelivery: {
    /** Conversations that are no longer stored: the view forgets them too. */
    readonly forgotten: readonly string[];
    readonly crashDemo: CrashDemoRun | null;
  };
}

/** erased: the view forgets these conversations · shownText: a view that still has the shown text of this message
 *  sends it. */
export type ReportRequest =
  | { readonly kind: 'erased'; readonly conversationIds: readonly string[] }
  | { readonly kind: 'shownText'; readonly messageUid: string };

export interface DeliveryNotifications {
  readonly deliveryRequest: ReportRequest;
}
