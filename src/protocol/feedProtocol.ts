import * as v from 'valibot';
import type { ChangedFile } from '../transcript/changedFile';
import type { Message } from '../transcript/message';
import type { PromptVersions, Turn } from '../transcript/turn';

/** Requests of a chat view about the conversation beyond its loaded part: pages of it, and the places of search
 *  matches. */
export const feedRequests = {
  /** Messages after a position; from the start of the conversation when it is null. */
  loadLater: v.object({ sessionId: v.string(), after: v.nullable(v.number()), limit: v.number() }),
  /** Messages around one. */
  loadAround: v.object({ sessionId: v.string(), messageUid: v.string(), limit: v.number() }),
  /** Searches the whole conversation. `tools`: also in tool results. A later search of the same view ends a running
   *  one. */
  findInSession: v.object({ sessionId: v.string(), text: v.string(), matchCase: v.boolean(), tools: v.boolean() }),
} as const;

export const feedCommands = {
  /** Ends the search, which then returns what it has found so far. */
  stopFind: v.object({}),
} as const;

/** Part of the conversation, in order. */
export interface FeedPage {
  readonly messages: readonly Message[];
  readonly turns: readonly Turn[];
  /** Versions of the prompts among `messages` that have more than one. */
  readonly versions: readonly PromptVersions[];
  /** Files changed by the turns in `turns`, by turn; a turn without changes is left out. */
  readonly changes: Readonly<Record<string, readonly ChangedFile[]>>;
  readonly hasEarlier: boolean;
  readonly hasLater: boolean;
}

/** Matches in one part of a message. */
export interface FoundText {
  readonly messageUid: string;
  readonly turnUid: string | null;
  readonly position: number;
  /** tool: in a tool result; `callId` names its call. */
  readonly kind: 'text' | 'thinking' | 'tool';
  /** Index of the part in its message. */
  readonly part: number;
  readonly callId: string | null;
  readonly count: number;
}

/** In the order of the conversation. `more`: there are, or may be, more than listed. `superseded`: a later search
 *  replaced this one, and nothing is listed. */
export interface FoundInSession {
  readonly found: readonly FoundText[];
  readonly more: boolean;
  readonly superseded: boolean;
}

export interface FeedResults {
  readonly loadLater: FeedPage;
  /** Null when the message is not part of the conversation. */
  readonly loadAround: FeedPage | null;
  readonly findInSession: FoundInSession;
}

export interface FindProgress {
  readonly done: number;
  readonly total: number;
}

export interface FeedNotifications {
  /** The user asked to find text in the conversation. */
  readonly find: Record<string, never>;
  /** Progress of a search through a long conversation, in rows. */
  readonly findProgress: FindProgress;
}
