import type { FeedPage } from '../../../protocol/feedProtocol';
import type { FeedPages } from './feedPages';
import type { Chat } from './chat';
import { prependPage, type Conversation } from './conversation';

/** Maximum rows per request. */
const pageSize = 60;

/** Fetches parts of the conversation for the feed: the next page at an edge, or another position. Loaded after the
 *  first paint. */
export class FeedFetching {
  constructor(
    private readonly pages: FeedPages,
    private readonly chat: Chat,
  ) {}

  async earlier(): Promise<void> {
    const { rendered } = this.pages;
    const before = rendered?.messages[0]?.row?.position;
    if (rendered === null || before === undefined || !rendered.hasEarlier) return;
    const asked = { sessionId: rendered.session.id, before, limit: pageSize };
    await this.fetch('earlier', async (isCurrent) => {
      const page = await this.chat.host.request('loadEarlier', asked);
      if (isCurrent()) this.pages.change((pages) => withEarlier(pages, page, this.chat.timers.nowMs()));
    });
  }

  async later(): Promise<void> {
    const rendered = this.pages.away.peek();
    const after = rendered?.messages.at(-1)?.row?.position;
    if (rendered === null || after === undefined) return;
    const asked = { sessionId: rendered.session.id, after, limit: pageSize };
    await this.fetch('later', async (isCurrent) => {
      const page = await this.chat.host.request('loadLater', asked);
      if (isCurrent()) this.pages.change((pages) => withLater(pages, page, this.chat.timers.nowMs()));
    });
  }

  /** Resolves to true when the message is now in the rendered part. */
  async around(uid: string): Promise<boolean> {
    const isRendered = (): boolean => this.pages.rendered?.messages.some((live) => live.uid === uid) ?? false;
    if (!isRendered())
      await this.place(
        (sessionId) => this.chat.host.request('loadAround', { sessionId, messageUid: uid, limit: pageSize }),
        uid,
      );
    return isRendered();
  }

  /** Resolves to true when the beginning is now in the rendered part. */
  async start(): Promise<boolean> {
    const begins = (): boolean => this.pages.rendered?.hasEarlier === false;
    if (!begins())
      await this.place(
        (sessionId) => this.chat.host.request('loadLater', { sessionId, after: null, limit: pageSize }),
        null,
      );
    return begins();
  }

  private async place(read: (sessionId: string) => Promise<FeedPage | null>, reading: string | null): Promise<void> {
    const newest = this.chat.conversation;
    if (newest === null) return;
    this.pages.moved();
    await this.fetch('place', async (isCurrent) => {
      const page = await read(newest.session.id);
      if (page === null || !isCurrent()) return;
      this.pages.reading = reading ?? page.messages[0]?.uid ?? null;
      this.pages.change(({ tail }) => placedAt(tail, page, this.chat.timers.nowMs()));
    });
  }

  /** Runs one fetch at a time. A response that arrives when another part is shown changes nothing. */
  private async fetch(
    what: 'earlier' | 'later' | 'place',
    read: (isCurrent: () => boolean) => Promise<void>,
  ): Promise<void> {
    const { fetching, moves } = this.pages;
    if (fetching.peek() !== null) return;
    const conversationId = this.chat.conversation?.session.conversationId;
    const isCurrent = (): boolean =>
      moves === this.pages.moves && conversationId === this.chat.conversation?.session.conversationId;
    fetching.value = what;
    await this.chat.ask(() => read(isCurrent));
    if (moves === this.pages.moves) fetching.value = null;
  }
}

/** Maximum number of messages rendered at once, except when a single turn is longer. */
export const mostRendered = 240;

/** Number of messages left after eviction. Lower than the maximum, so that not every new message evicts others. */
const keptRendered = 180;

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

/** Range of a list: from one index up to, but without, another. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Returns the turns of a list of messages as ranges, from the turn of each message. Messages between two messages
 *  of a turn belong to it. */
export function turnSpans(turnUids: readonly (string | null)[]): readonly Span[] {
  const lastOf = new Map<string, number>();
  turnUids.forEach((uid, index) => uid !== null && lastOf.set(uid, index));
  const spans: Span[] = [];
  for (let from = 0; from < turnUids.length;) {
    let to = from + 1;
    for (let index = from; index < to; index++) to = Math.max(to, (lastOf.get(turnUids[index] ?? '') ?? index) + 1);
    spans.push({ from, to });
    from = to;
  }
  return spans;
}

/** Returns the messages that stay rendered around one of them: all while there are few, else as many whole turns on
 *  both sides of its own as fit. */
export function windowAround(turnUids: readonly (string | null)[], anchor: number): Span {
  const whole: Span = { from: 0, to: turnUids.length };
  if (turnUids.length <= mostRendered) return whole;
  const spans = turnSpans(turnUids);
  let first = spans.findIndex(({ from, to }) => from <= anchor && anchor < to);
  if (first === -1) first = spans.length - 1;
  let last = first;
  const at = (index: number): Span => spans[index] ?? whole;
  const fits = (from: number, to: number): boolean =>
    from >= 0 && to < spans.length && at(to).to - at(from).from <= keptRendered;
  for (;;) {
    // The shorter side first: keeps the message being read in the middle as long as both sides have more.
    const aheadFirst = anchor - at(first).from <= at(last).to - anchor;
    const [fitsBefore, fitsAfter] = [fits(first - 1, last), fits(first, last + 1)];
    if (fitsBefore && (aheadFirst || !fitsAfter)) first--;
    else if (fitsAfter) last++;
    else break;
  }
  return { from: at(first).from, to: at(last).to };
}
