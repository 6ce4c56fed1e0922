import type { FeedPage } from '../../../protocol/feedProtocol';
import { prependPage, type Conversation } from './conversation';
import { mostDrawn, windowAround, type Span } from './feedWindow';

/** What the view has of a conversation: its newest messages, to which everything that happens applies, and, while the person is somewhere else
 *  in it, the messages there. Each is without gaps; between the two there is what is not loaded. */
export interface Pages {
  readonly tail: Conversation;
  /** Null while the newest messages are those that are drawn. */
  readonly away: Conversation | null;
}

/** Lets go of messages far from the one that is read, in whole turns; `reading` null: the end is read. What is let go of is fetched again when
 *  it is needed. */
export function bounded({ tail, away }: Pages, reading: string | null): Pages {
  const newest = tail.messages.length - 1;
  if (away !== null)
    return { tail: cut(tail, windowOf(tail, newest)), away: cut(away, windowOf(away, indexOf(away, reading))) };
  const span = windowOf(tail, reading === null ? newest : indexOf(tail, reading));
  if (span.to > newest) return { tail: cut(tail, span), away: null };
  return { tail: cut(tail, windowOf(tail, newest)), away: elsewhere(cut(tail, span)) };
}

/** An earlier page in front of what is drawn. */
export function withEarlier({ tail, away }: Pages, page: Omit<FeedPage, 'hasLater'>, now: number): Pages {
  return away === null ? { tail: prependPage(tail, page, now), away } : { tail, away: prependPage(away, page, now) };
}

/** A later page behind what is drawn, joined to the newest messages where it reaches them. */
export function withLater({ tail, away }: Pages, page: FeedPage, now: number): Pages {
  return away === null
    ? { tail, away }
    : joined(tail, prependPage(away, { ...page, hasEarlier: away.hasEarlier }, now), !page.hasLater);
}

/** Another stretch of the conversation is drawn. */
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
  // A stretch that begins within the newest messages has nothing to add.
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

/** Nothing happens there: what goes on, and what is asked, is at the end. */
function elsewhere(conversation: Conversation): Conversation {
  return { ...conversation, activity: null, approval: null, queue: [], work: new Map() };
}

function indexOf({ messages }: Conversation, uid: string | null): number {
  const index = messages.findIndex((live) => live.uid === uid);
  return index === -1 ? messages.length - 1 : index;
}

function windowOf({ messages }: Conversation, anchor: number): Span {
  if (messages.length <= mostDrawn) return { from: 0, to: messages.length };
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
