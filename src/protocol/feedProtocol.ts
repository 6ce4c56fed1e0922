import * as v from 'valibot';
import type { ChangedFile } from '../transcript/changedFile';
import type { Message } from '../transcript/message';
import type { PromptVersions, Turn } from '../transcript/turn';

/** What a chat view asks about the conversation beyond what it was told: stretches of it, and where words stand. */
export const feedRequests = {
  /** The messages behind a position, from the start of the conversation where it is null. */
  loadLater: v.object({ sessionId: v.string(), after: v.nullable(v.number()), limit: v.number() }),
  /** The messages around one. */
  loadAround: v.object({ sessionId: v.string(), messageUid: v.string(), limit: v.number() }),
  /** Looks through the whole conversation. `tools`: in tool results, too. A later one of the same view ends one that still looks. */
  findInSession: v.object({ sessionId: v.string(), text: v.string(), matchCase: v.boolean(), tools: v.boolean() }),
} as const;

export const feedCommands = {
  /** Ends looking through the conversation: what was found by then is the answer. */
  stopFind: v.object({}),
} as const;

/** A stretch of the conversation, in order. */
export interface FeedPage {
  readonly messages: readonly Message[];
  readonly turns: readonly Turn[];
  readonly versions: readonly PromptVersions[];
  readonly changes: Readonly<Record<string, readonly ChangedFile[]>>;
  readonly hasEarlier: boolean;
  readonly hasLater: boolean;
}

/** Words found in one part of a message. */
export interface FoundText {
  readonly messageUid: string;
  readonly turnUid: string | null;
  readonly position: number;
  /** tool: in what a tool gave back, `callId` says to which call. */
  readonly kind: 'text' | 'thinking' | 'tool';
  /** Number of the part in its message. */
  readonly part: number;
  readonly callId: string | null;
  readonly count: number;
}

/** In the order of the conversation. `more`: there is, or may be, more than is listed. `superseded`: a later question was asked meanwhile, and nothing is
 *  said here. */
export interface FoundInSession {
  readonly found: readonly FoundText[];
  readonly more: boolean;
  readonly superseded: boolean;
}

export interface FeedResults {
  readonly loadLater: FeedPage;
  /** Null where the message is not part of the conversation. */
  readonly loadAround: FeedPage | null;
  readonly findInSession: FoundInSession;
}

export interface FindProgress {
  readonly done: number;
  readonly total: number;
}

export interface FeedNotifications {
  /** The person asked to find words in the conversation. */
  readonly find: Record<string, never>;
  /** How far looking through a long conversation has come, in rows. */
  readonly findProgress: FindProgress;
}
