import * as v from 'valibot';
import type { Message } from '../transcript/message';
import type { SessionSummary } from '../transcript/session';

/** How a text is looked for: words that the index knows · the text anywhere, read row by row. */
export const searchKinds = ['words', 'substring'] as const;
export type SearchKind = (typeof searchKinds)[number];

/** Where a result is opened. */
export const openPlaces = ['chat', 'transcript', 'tab'] as const;
export type OpenPlace = (typeof openPlaces)[number];

/** Payloads of the search screen. */
export const searchCommands = {
  ready: v.object({}),
  /** The search with this number is not wanted any more; its request is answered with `cancelled`. */
  cancel: v.object({ search: v.number() }),
} as const;

export const searchRequests = {
  /** `messageUid` null: the session as it was left. */
  open: v.object({ sessionId: v.string(), messageUid: v.nullable(v.string()), place: v.picklist(openPlaces) }),
  /** `search` is a number given by the view. A new search ends the one before. */
  search: v.object({
    search: v.number(),
    text: v.pipe(v.string(), v.maxLength(1000)),
    kind: v.picklist(searchKinds),
    offset: v.pipe(v.number(), v.integer(), v.minValue(0)),
    limit: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(200)),
  }),
} as const;

export interface SearchResults {
  readonly open: null;
  readonly search: SearchAnswer;
}

/** A message that holds what was looked for. */
export interface SearchHit {
  readonly sessionId: string;
  readonly conversationId: string;
  readonly sessionTitle: string | null;
  readonly messageUid: string;
  readonly role: Message['role'];
  /** Seconds since the epoch. */
  readonly createdAt: number;
  /** Plain text around the hit; `matches` are its UTF-16 ranges. */
  readonly snippet: string;
  readonly matches: readonly { readonly start: number; readonly end: number }[];
}

/** How far a scan has come, in rows. */
export interface SearchProgress {
  readonly done: number;
  readonly total: number;
}

/** found: one page of hits, newest first. */
export type SearchAnswer = { readonly kind: 'cancelled' } | SearchPage;

export interface SearchPage {
  readonly kind: 'found';
  readonly hits: readonly SearchHit[];
  readonly hasMore: boolean;
  /** What there is to say of the sessions that the hits are in. */
  readonly sessions: readonly SearchSession[];
  /** Sessions whose title or first prompt holds the text; of the first page only. */
  readonly titled: readonly SearchSession[];
  /** Rows that are not in the index yet; of the first page only. They are found too, more slowly. */
  readonly indexLeft: number;
}

export type SearchSession = Pick<
  SessionSummary,
  'id' | 'conversationId' | 'title' | 'preview' | 'lastActiveAt' | 'turnCount' | 'archived' | 'private' | 'branchOf'
>;

export interface SearchNotifications {
  readonly bootstrap: SearchState;
  /** Somebody asks for this text from elsewhere: it replaces what stands in the field. */
  readonly ask: { readonly text: string };
  readonly progress: { readonly search: number; readonly progress: SearchProgress };
}

export interface SearchState {
  /** Asked for when the screen was opened; null: what the page remembers. */
  readonly asked: string | null;
  /** Why nothing can be searched now; null when it can. */
  readonly problem: string | null;
  readonly localization: Readonly<Record<string, string>>;
}
