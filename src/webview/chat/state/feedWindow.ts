/** Range of a list: from one index up to, but without, another. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Maximum number of messages rendered at once, except when a single turn is longer. */
export const mostRendered = 240;
/** Number of messages left after eviction. Lower than the maximum, so that not every new message evicts others. */
const keptRendered = 180;

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
