/** What a scrolling element says about itself, in CSS pixels. */
export interface ScrollMetrics {
  readonly top: number;
  readonly viewport: number;
  readonly content: number;
  /** False where what is drawn ends before the conversation does: its end is not followed. */
  readonly reachesEnd?: boolean;
}

/** Whether the view goes along with the text, and how much came since it does not. */
export interface Follow {
  readonly following: boolean;
  readonly last: ScrollMetrics | null;
  /** Messages since the person scrolled away. */
  readonly unseen: number;
}

export const followFromStart: Follow = { following: true, last: null, unseen: 0 };

/** Within this many pixels of the end counts as at the end. */
const tolerance = 10;
/** Nearer than this to an edge of what is loaded, or than the view is high, the next page is fetched. */
const nearEdge = 240;

export function isAtBottom({ top, viewport, content }: ScrollMetrics): boolean {
  return content - viewport - top <= tolerance;
}

/** After a scroll event. Only a move up by the person stops following: while text grows, an event of our own scrolling may arrive when the
 *  end has already moved on. Who has let go and moves up is not caught again by the first pixels, which are still at the end. */
export function afterScroll(follow: Follow, now: ScrollMetrics): Follow {
  const movedUp = follow.last !== null && now.top < follow.last.top - 0.5 && now.content >= follow.last.content;
  if (now.reachesEnd === false) return { ...follow, following: false, last: now };
  if (isAtBottom(now) && (follow.following || !movedUp)) return { following: true, last: now, unseen: 0 };
  return { ...follow, following: follow.following && !movedUp, last: now };
}

/** After content came in at the end; `added` counts messages. */
export function afterContent(follow: Follow, added: number): Follow {
  return follow.following || added === 0 ? follow : { ...follow, unseen: follow.unseen + added };
}

/** Sending a prompt, or pressing the button: back to the end. */
export function toBottom(follow: Follow): Follow {
  return { ...follow, following: true, unseen: 0 };
}

/** Turning away from the end: a wheel or key that goes up, before its scrolling begins; a place that is restored. */
export function letGo(follow: Follow): Follow {
  return { ...follow, following: false };
}

export function wantsEarlier(now: ScrollMetrics, hasEarlier: boolean): boolean {
  return hasEarlier && now.top < Math.max(nearEdge, now.viewport);
}

export function wantsLater({ top, viewport, content }: ScrollMetrics, hasLater: boolean): boolean {
  return hasLater && content - viewport - top < Math.max(nearEdge, viewport);
}
