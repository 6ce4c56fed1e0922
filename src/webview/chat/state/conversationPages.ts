import type { FeedPage } from '../../../protocol/feedProtocol';
import { prependPage, type Conversation } from './conversation';
import { mostRendered, windowAround, type Span } from './feedWindow';

/** Loaded parts of a conversation: its newest messages, to which all events apply, and, while the user is elsewhere
 *  in it, the messages there. Each part has no gaps; messages between the two are not loaded. */
export interface Pages {
  readonly tail: Conversation;
  /** Null while the newest messages are on screen. */
  readonly away: Conversation | null;
}

/** Evicts messages far from the one being read, in whole turns; `reading` null: the user reads the end. Evicted
 *  messages are fetched again when needed. */
export function bounded({ tail, away }: Pages, reading: string | null): Pages {
  const newest = tail.messages.length - 1;
  if (away !== null)
    return { tail: cut(tail, windowOf(tail, newest)), away: cut(away, windowOf(away, indexOf(away, reading))) };
  const span = windowOf(tail, reading === null ? newest : indexOf(tail, reading));
  if (span.to > newest) return { tail: cut(tail, span), away: null };
  return { tail: cut(tail, windowOf(tail, newest)), away: elsewhere(cut(tail, span)) };
}

/** Prepends an earlier page to the part on screen. */
export function withEarlier({ tail, away }: Pages, page: Omit<FeedPage, 'hasLater'>, now: number): Pages {
  return away === null ? { tail: prependPage(tail, page, now), away } : { tail, away: prependPage(away, page, now) };
}

/** Appends a later page to the part on screen, and joins it to the newest messages once it reaches them. */
export function withLater({ tail, away }: Pages, page: FeedPage, now: number): Pages {
  return away === null
    ? { tail, away }
    : joined(tail, prependPage(away, { ...page, hasEarlier: away.hasEarlier }, now), !page.hasLater);
}

/** Shows another part of the conversation. */
export function placedAt(tail: Conversation, page: FeedPage, now: number): Pages {
  const empty: Conversation = {
    ...elsewhere(tail),
    messages: [],
    turns: new Map(),
    versions: new Map(),
    changes: new Map(),
    hasEarlier: page.hasEarlier,
  };
  return joined(tail, prependPage(empty, page, now), !page.hasLater);
}

function joined(tail: Conversation, away: Conversation, reachesEnd: boolean): Pages {
  const known = new Set(tail.messages.map(({ uid }) => uid));
  const ahead = away.messages.filter(({ uid }) => !known.has(uid));
  if (!reachesEnd && ahead.length === away.messages.length) return { tail, away };
  const both = <K, V>(left: ReadonlyMap<K, V>, right: ReadonlyMap<K, V>): ReadonlyMap<K, V> =>
    new Map([...left, ...right]);
  // A part that begins within the newest messages has nothing to add.
  const hasEarlier = ahead.length === 0 ? tail.hasEarlier : away.hasEarlier;
  return {
    tail: {
      ...tail,
      messages: [...ahead, ...tail.messages],
      turns: both(away.turns, tail.turns),
      versions: both(away.versions, tail.versions),
      changes: both(away.changes, tail.changes),
      recalled: both(away.recalled, tail.recalled),
      hasEarlier,
    },
    away: null,
  };
}

/** Removes live state: activities and requests belong to the end of the conversation. */
function elsewhere(conversation: Conversation): Conversation {
  return { ...conversation, activity: null, approval: null, queue: [], work: new Map() };
}

function indexOf({ messages }: Conversation, uid: string | null): number {
  const index = messages.findIndex((live) => live.uid === uid);
  return index === -1 ? messages.length - 1 : index;
}

function windowOf({ messages }: Conversation, anchor: number): Span {
  if (messages.length <= mostRendered) return { from: 0, to: messages.length };
  return windowAround(
    messages.map(({ turnUid }) => turnUid),
    anchor,
  );
}

function cut(conversation: Conversation, { from, to }: Span): Conversation {
  const { messages } = conversation;
  if (from === 0 && to === messages.length) return conversation;
  const kept = messages.slice(from, to);
  const turns = new Set(kept.map(({ turnUid }) => turnUid));
  const ofTurns = <V>(map: ReadonlyMap<string, V>): ReadonlyMap<string, V> =>
    new Map([...map].filter(([uid]) => turns.has(uid)));
  return {
    ...conversation,
    messages: kept,
    turns: new Map([...conversation.turns].filter(([uid, { state }]) => turns.has(uid) || state !== 'settled')),
    versions: ofTurns(conversation.versions),
    changes: ofTurns(conversation.changes),
    recalled: ofTurns(conversation.recalled),
    hasEarlier: conversation.hasEarlier || from > 0,
  };
}
