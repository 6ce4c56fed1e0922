import * as v from 'valibot';
import type { Message } from '../../../transcript/message';
import type { SessionSummary } from '../../../transcript/session';

/** Kind of search: words in the index · the text anywhere, read row by row. */
export const searchKinds = ['words', 'substring'] as const;
export type SearchKind = (typeof searchKinds)[number];

/** Place where a result opens. */
const openDestinations = ['chat', 'transcript', 'tab'] as const;
export type OpenDestination = (typeof openDestinations)[number];

/** Payloads of the search screen. */
export const searchCommands = {
  ready: v.object({}),
  /** Cancels the search with this number; its request returns null. */
  cancel: v.object({ search: v.number() }),
} as const;

export const searchRequests = {
  /** `messageUid` null: the session at the position where the user left it. */
  open: v.object({ sessionId: v.string(), messageUid: v.nullable(v.string()), place: v.picklist(openDestinations) }),
  /** `search` is a number from the view. A new search ends the one before. */
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
  /** Null: canceled. */
  readonly search: SearchPage | null;
}

/** A message with a match. */
export interface SearchResult {
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

/** Progress of a scan, in rows. */
export interface SearchProgress {
  readonly done: number;
  readonly total: number;
}

/** One page of hits, newest first. */
export interface SearchPage {
  readonly hits: readonly SearchResult[];
  readonly hasMore: boolean;
  /** Details of the sessions that contain the hits. */
  readonly sessions: readonly SearchSession[];
  /** Sessions whose title or first prompt contains the text; only in the first page. */
  readonly titled: readonly SearchSession[];
  /** Number of rows not in the index yet; only in the first page. They are found too, more slowly. */
  readonly indexLeft: number;
}

export type SearchSession = Pick<
  SessionSummary,
  'id' | 'conversationId' | 'title' | 'preview' | 'lastActiveAt' | 'turnCount' | 'archived' | 'private' | 'branchOf'
>;

export interface SearchNotifications {
  readonly bootstrap: SearchState;
  /** Search text from elsewhere: it replaces the field's text. */
  readonly ask: { readonly text: string };
  readonly progress: { readonly search: number; readonly progress: SearchProgress };
}

export interface SearchProtocol {
  readonly commands: typeof searchCommands;
  readonly requests: typeof searchRequests;
  readonly results: SearchResults;
  readonly notifications: SearchNotifications;
}

export interface SearchState {
  /** Search text from when the screen was opened; null: the page uses the text it remembers. */
  readonly asked: string | null;
  /** Reason why search is unavailable now; null when it is available. */
  readonly problem: string | null;
  readonly localization: Readonly<Record<string, string>>;
}
