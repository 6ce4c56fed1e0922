/** A run of a list, from one index up to but without another. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** More messages than this are never drawn at once, but for turns that are longer themselves. */
export const mostDrawn = 240;
/** What is left of them when there are more, so that not every message that comes has others taken away. */
const keptDrawn = 180;

/** The turns of a list of messages as runs, given the turn of each message. What stands between two messages of a turn belongs to it. */
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

/** The messages that stay drawn around one of them: all while they are few, else whole turns on both sides of its own, as many as have room. */
export function windowAround(turnUids: readonly (string | null)[], anchor: number): Span {
  const whole: Span = { from: 0, to: turnUids.length };
  if (turnUids.length <= mostDrawn) return whole;
  const spans = turnSpans(turnUids);
  let first = spans.findIndex(({ from, to }) => from <= anchor && anchor < to);
  if (first === -1) first = spans.length - 1;
  let last = first;
  const at = (index: number): Span => spans[index] ?? whole;
  const fits = (from: number, to: number): boolean =>
    from >= 0 && to < spans.length && at(to).to - at(from).from <= keptDrawn;
  for (;;) {
    // The shorter side first: what is read stays in the middle as far as there is something on both sides.
    const aheadFirst = anchor - at(first).from <= at(last).to - anchor;
    const [ahead, behind] = [fits(first - 1, last), fits(first, last + 1)];
    if (ahead && (aheadFirst || !behind)) first--;
    else if (behind) last++;
    else break;
  }
  return { from: at(first).from, to: at(last).to };
}
