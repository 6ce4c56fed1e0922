/** Scroll metrics of an element, in CSS pixels. */
export interface ScrollMetrics {
  readonly top: number;
  readonly viewport: number;
  readonly content: number;
  /** False when the rendered part ends before the conversation does: its end is not followed. */
  readonly reachesEnd?: boolean;
}

/** Follow state: if the view follows the text and, if not, how much has arrived since. */
export interface Follow {
  readonly following: boolean;
  readonly last: ScrollMetrics | null;
  /** Number of messages since the user scrolled away. */
  readonly newCount: number;
}

export const followFromStart: Follow = { following: true, last: null, newCount: 0 };

/** Pixels from the end that still count as at the end. */
const tolerance = 10;
/** Pixels. If an edge of the loaded part is nearer than this, or nearer than the view's height, the next page is
 *  fetched. */
const nearEdge = 240;

function isAtBottom({ top, viewport, content }: ScrollMetrics): boolean {
  return content - viewport - top <= tolerance;
}

/** Call after a scroll event. Only an upward move by the user stops following: while text grows, an event of our own
 *  scroll may arrive after the end has moved on. A user who moves up after letting go is not caught again by the
 *  first pixels, which are still at the end. */
export function afterScroll(follow: Follow, now: ScrollMetrics): Follow {
  const movedUp = follow.last !== null && now.top < follow.last.top - 0.5 && now.content >= follow.last.content;
  if (now.reachesEnd === false) return { ...follow, following: false, last: now };
  if (isAtBottom(now) && (follow.following || !movedUp)) return { following: true, last: now, newCount: 0 };
  return { ...follow, following: follow.following && !movedUp, last: now };
}

/** Call after content arrived at the end; `added` counts messages. */
export function afterContent(follow: Follow, added: number): Follow {
  return follow.following || added === 0 ? follow : { ...follow, newCount: follow.newCount + added };
}

/** Returns to the end: after a prompt is sent, or the button is pressed. */
export function toBottom(follow: Follow): Follow {
  return { ...follow, following: true, newCount: 0 };
}

/** Stops following: on an upward wheel or key before its scroll begins, or for a restored position. */
export function stopFollowing(follow: Follow): Follow {
  return { ...follow, following: false };
}

export function wantsEarlier(now: ScrollMetrics, hasEarlier: boolean): boolean {
  return hasEarlier && now.top < Math.max(nearEdge, now.viewport);
}

export function wantsLater({ top, viewport, content }: ScrollMetrics, hasLater: boolean): boolean {
  return hasLater && content - viewport - top < Math.max(nearEdge, viewport);
}
