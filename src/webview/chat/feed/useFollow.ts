import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import {
  afterContent,
  afterScroll,
  followFromStart,
  stopFollowing,
  toBottom,
  wantsEarlier,
  wantsLater,
  type Follow,
  type ScrollMetrics,
} from './scrollFollow';
import type { ViewMemory } from '../connection/viewMemory';
import { useChat, usePart } from '../state/chat';
import type { Conversation } from '../state/conversation';
import { FeedPages } from '../state/feedPages';
import { ScrollPositions } from '../state/foldState';
import type { TurnBlock } from '../state/conversationRows';

type Anchor = NonNullable<ViewMemory['anchor']>;

interface FollowOptions {
  readonly session: Conversation['session'];
  /** uids of the rendered articles, in order. */
  readonly uids: readonly string[];
  /** uids of the newest articles, rendered or not. */
  readonly newest: readonly string[];
  readonly hasEarlier: boolean;
  /** Scroll position when the view was last seen; null: at the end. */
  readonly restore: Anchor | null;
}

export interface Following {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly following: boolean;
  readonly newCount: number;
  onScroll(): void;
  onWheel(event: WheelEvent): void;
  onKeyDown(event: KeyboardEvent): void;
  goToEnd(): void;
  /** Moves the top of an article into the upper half of the view, or to `offset` pixels below the view's top, and
   *  keeps it there. */
  goTo(article: HTMLElement, offset?: number): void;
  /** Stays at this article as soon as it renders. */
  aim(uid: string): void;
}

/** Milliseconds between two saves of the scroll position. */
const rememberEvery = 150;

/** Keeps the newest text in sight while the user is at the end. Otherwise keeps the user's position: while text
 *  streams, when an earlier page is prepended, and after the view was hidden. */
export function useFollow(options: FollowOptions): Following {
  const chat = useChat();
  const pages = chat.part(FeedPages);
  const reachesEnd = pages.away.value === null;
  const jumps = chat.ui.jumpToEnd.value;
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follow = useRef<Follow>(followFromStart);
  const [shown, setShown] = useState({ following: true, newCount: 0 });
  const anchor = useRef<Anchor | null>(null);
  /** Position of our own last scroll: its scroll event says nothing about the user's intent. */
  const ownTop = useRef(0);
  const ownEventDue = useRef(false);
  const latest = useRef({ ...options, reachesEnd });
  latest.current = { ...options, reachesEnd };
  const remember = useCallback((): void => {
    const { id, conversationId } = latest.current.session;
    chat.memory.remember({ sessionId: id, anchor: anchor.current });
    chat.part(ScrollPositions).note(conversationId, { anchor: anchor.current });
  }, [chat]);

  const update = useCallback((next: Follow): void => {
    follow.current = next;
    setShown((before) =>
      before.following === next.following && before.newCount === next.newCount
        ? before
        : { following: next.following, newCount: next.newCount },
    );
  }, []);
  const settle = useCallback((): void => {
    const element = scroller.current;
    if (element === null) return;
    const before = element.scrollTop;
    if (follow.current.following) {
      // Not read back: we know the position we scrolled to.
      const end = Math.max(0, element.scrollHeight - element.clientHeight);
      if (Math.abs(end - before) >= 1) element.scrollTop = end;
      ownTop.current = end;
    } else {
      if (anchor.current !== null) scrollToAnchor(element, anchor.current);
      ownTop.current = element.scrollTop;
    }
    ownEventDue.current ||= Math.abs(ownTop.current - before) >= 1;
  }, []);
  const goToEnd = useCallback((): void => {
    update(toBottom(follow.current));
    anchor.current = null;
    if (latest.current.reachesEnd) settle();
    pages.toLatest();
    remember();
  }, [update, settle]);

  const goTo = useCallback(
    (article: HTMLElement, offset?: number): void => {
      const { uid } = article.dataset;
      const element = scroller.current;
      if (uid === undefined || element === null) return;
      anchor.current = { uid, offset: offset ?? Math.round(element.clientHeight / 4) };
      update(stopFollowing(follow.current));
      settle();
      // With the end in sight there is nothing to jump to.
      const { scrollTop, scrollHeight, clientHeight } = element;
      if (latest.current.reachesEnd && scrollHeight - clientHeight - scrollTop < 1) update(toBottom(follow.current));
      if (follow.current.following) anchor.current = null;
      pages.reads(anchor.current?.uid ?? null);
      remember();
    },
    [update, settle],
  );

  const aim = useCallback(
    (uid: string): void => {
      anchor.current = { uid, offset: Math.round((scroller.current?.clientHeight ?? 0) / 4) };
      update(stopFollowing(follow.current));
    },
    [update],
  );

  useNewContent(options.newest, follow, update);
  // The rendered part has changed: stop following the end, or follow it again.
  const reachedEnd = useRef(reachesEnd);
  useLayoutEffect(() => {
    if (reachedEnd.current === reachesEnd) return;
    reachedEnd.current = reachesEnd;
    if (!reachesEnd) update(stopFollowing(follow.current));
    else if (follow.current.following) settle();
  }, [reachesEnd, update, settle]);
  useRestoredPlace(options, scroller, follow, anchor, update);
  const jumped = useRef(jumps);
  useEffect(() => {
    if (jumps !== jumped.current) goToEnd();
    jumped.current = jumps;
  }, [jumps, goToEnd]);
  // Not left to the browser's scroll anchoring: it is off at the very top and ignores rows whose height was only
  // estimated.
  useLayoutEffect(() => {
    if (!follow.current.following) settle();
  });
  // Scroll between layout and paint of a frame: the values read then are already computed. Reading after each render
  // would force an extra layout.
  useLayoutEffect(() => {
    const observer = new ResizeObserver(settle);
    for (const element of [scroller.current, content.current]) if (element !== null) observer.observe(element);
    return () => observer.disconnect();
  }, [settle]);
  const rememberSoon = useThrottled(remember, rememberEvery);

  const onScroll = useCallback((): void => {
    const element = scroller.current;
    if (element === null) return;
    const now = metricsOf(element, latest.current.reachesEnd);
    const own = Math.abs(now.top - ownTop.current) < 1;
    const stale = own && ownEventDue.current;
    ownEventDue.current = false;
    // Event of our own scrolling from before the user scrolled away, delivered after it.
    if (stale && !follow.current.following) follow.current = { ...follow.current, last: now };
    else update(afterScroll(follow.current, now));
    if (follow.current.following) anchor.current = null;
    else if (!own || anchor.current === null) anchor.current = firstInSight(element);
    pages.reads(anchor.current?.uid ?? null);
    rememberSoon();
    if (wantsEarlier(now, latest.current.hasEarlier)) void pages.loadEarlier();
    else if (wantsLater(now, !latest.current.reachesEnd)) void pages.loadLater();
  }, [update, rememberSoon]);

  // Stop following at the wheel or key event: streaming text would otherwise pull the view back before the requested
  // scroll begins.
  const turnAway = useCallback((): void => {
    if (scroller.current !== null && scroller.current.scrollTop > 0 && follow.current.following)
      update(stopFollowing(follow.current));
  }, [update]);
  const onWheel = useCallback(
    (event: WheelEvent): void => {
      if (event.deltaY < 0 && scroller.current !== null && !scrollsInside(event.target, scroller.current)) turnAway();
    },
    [turnAway],
  );
  const onKeyDown = useCallback(
    (event: KeyboardEvent): void => {
      if (event.target === scroller.current && ['ArrowUp', 'PageUp', 'Home'].includes(event.key)) turnAway();
    },
    [turnAway],
  );

  return { scroller, content, ...shown, onScroll, onWheel, onKeyDown, goToEnd, goTo, aim };
}

/** Counts items added at the end while the user is elsewhere. */
function useNewContent(uids: readonly string[], follow: RefObject<Follow>, update: (next: Follow) => void): void {
  const before = useRef(uids);
  useLayoutEffect(() => {
    const last = before.current.at(-1);
    before.current = uids;
    const at = last === undefined ? -1 : uids.lastIndexOf(last);
    if (at !== -1) update(afterContent(follow.current, uids.length - 1 - at));
  }, [uids]);
}

/** Returns to the saved scroll position; fetches that part of the conversation when it is not loaded. */
function useRestoredPlace(
  { uids, hasEarlier, restore }: FollowOptions,
  scroller: RefObject<HTMLDivElement | null>,
  follow: RefObject<Follow>,
  anchor: RefObject<Anchor | null>,
  update: (next: Follow) => void,
): void {
  const pages = usePart(FeedPages);
  const wanted = useRef(restore);
  const sought = useRef(false);
  useLayoutEffect(() => {
    const place = wanted.current;
    if (place === null || scroller.current === null) return;
    if (uids.includes(place.uid)) {
      wanted.current = null;
      anchor.current = place;
      update(stopFollowing(follow.current));
      scrollToAnchor(scroller.current, place);
    } else if (hasEarlier && !sought.current) {
      sought.current = true;
      void pages.goTo(place.uid);
    }
  }, [uids]);
}

/** The call runs at most every `everyMs`, and at once when the page is left. */
function useThrottled(call: () => void, everyMs: number): () => void {
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const latest = useRef(call);
  latest.current = call;
  const stop = useCallback((): void => {
    if (timer.current !== null) clearTimeout(timer.current);
    timer.current = null;
  }, []);
  useEffect(() => {
    const leave = (): void => {
      if (timer.current !== null) latest.current();
      stop();
    };
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      stop();
    };
  }, [stop]);
  return useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = null;
      latest.current();
    }, everyMs);
  }, [everyMs]);
}

/** Returns the rendered articles of the feed, in order. */
export function articlesIn(scroller: HTMLElement | null): readonly HTMLElement[] {
  return [...(scroller?.querySelectorAll<HTMLElement>('article[data-uid]') ?? [])];
}

export function articleIn(scroller: HTMLElement | null, uid: string | null): HTMLElement | null {
  return articlesIn(scroller).find(({ dataset }) => dataset['uid'] === uid) ?? null;
}

function metricsOf(element: HTMLElement, reachesEnd: boolean): ScrollMetrics {
  return { reachesEnd, top: element.scrollTop, viewport: element.clientHeight, content: element.scrollHeight };
}

function firstInSight(scroller: HTMLElement): Anchor | null {
  const top = scroller.getBoundingClientRect().top;
  for (const article of articlesIn(scroller)) {
    const box = article.getBoundingClientRect();
    const { uid } = article.dataset;
    if (box.bottom > top && uid !== undefined) return { uid, offset: box.top - top };
  }
  return null;
}

/** True when an element inside the scroller consumes an upward wheel itself. */
function scrollsInside(target: EventTarget | null, scroller: HTMLElement): boolean {
  for (
    let element = target instanceof Element ? target : null;
    element !== null && element !== scroller;
    element = element.parentElement
  ) {
    if (element.scrollTop > 0) return true;
  }
  return false;
}

function scrollToAnchor(scroller: HTMLElement, anchor: Anchor): void {
  const article = articleIn(scroller, anchor.uid);
  if (article === null) return;
  const moved = article.getBoundingClientRect().top - scroller.getBoundingClientRect().top - anchor.offset;
  if (Math.abs(moved) >= 1) scroller.scrollTop += moved;
}

/** The feed as it is rendered, for the tools that move in it. */
export interface ShownFeed {
  /** The rendered part of the conversation. */
  readonly conversation: Conversation;
  readonly blocks: readonly TurnBlock[];
  readonly uids: readonly string[];
  readonly view: Following;
}
