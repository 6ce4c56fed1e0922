import type { ContentHash } from '../../../store/fileChanges';
import { type LineChange, lineChanges, merge } from './lineMerge';

/** Content of a file at one moment. A missing file has the hash null and no lines. */
export interface Side {
  /** Undefined: put together from lines, and never stored. */
  readonly hash: ContentHash | undefined;
  /** Null: not text, or the content is not stored. */
  readonly lines: readonly string[] | null;
}

/** One thing that happened to a file, in order. Between two of them, and after the last, anybody may have changed it.
 *  keep: the user accepted changes, and the accepted text became another one. */
export type ReviewStep =
  | {
      readonly kind: 'agent';
      readonly turn: string;
      readonly before: Side;
      /** Undefined: the call was cut off before its result was known. */
      readonly after: Side | undefined;
      /** The user kept all of it: as an earlier build recorded it. */
      readonly isKept: boolean;
    }
  /** The file had this content. */
  | { readonly kind: 'seen'; readonly before: Side }
  | { readonly kind: 'revert'; readonly before: Side; readonly after: Side }
  | { readonly kind: 'keep'; readonly before: Side; readonly after: Side };

/** A change that is neither kept nor undone: lines of the accepted text, and those that now stand in their place. */
export interface OpenHunk extends LineChange {
  /** Index of its first line in the present text, from 0; `at` is its first line in the accepted text. */
  readonly now: number;
  /** Turns that made it, the newest last. */
  readonly turns: readonly string[];
}

export interface LeftToReview {
  /** What the user has accepted: the file before the agents' changes, with all that the user kept or wrote. */
  readonly accepted: Side;
  readonly hunks: readonly OpenHunk[];
  /** Turns with changes that are left. */
  readonly turns: ReadonlySet<string>;
  /** Turns with changes that the user kept. */
  readonly kept: ReadonlySet<string>;
}

/** What is left to review in a file, for its present content. The user's own changes belong to the accepted text,
 *  except within a change that is left: there they are part of it. */
export function reviewOf(steps: readonly ReviewStep[]): (present: Side) => LeftToReview {
  const first = steps.find(({ kind }) => kind !== 'keep');
  if (first === undefined) return (present) => ({ accepted: present, hunks: [], turns: new Set(), kept: new Set() });
  const fold = new ReviewFold(first.before);
  for (const step of steps) fold.take(step);
  return (present) => fold.copy().seenNow(present);
}

/** The accepted text after the user kept these of its hunks. */
export function withKept(accepted: readonly string[], hunks: readonly LineChange[]): readonly string[] {
  return hunks.reduceRight<readonly string[]>(
    (lines, { at, removed, added }) => lines.toSpliced(at, removed, ...added),
    accepted,
  );
}

/** Lines that a turn wrote, or the place where it removed some: `end` equals `start`. */
interface Mark {
  readonly start: number;
  readonly end: number;
  readonly turn: string;
}

/** Place of a change that is not one of lines. */
const whole = { start: -1, end: -1 };

interface State {
  readonly accepted: Side;
  readonly present: Side;
  readonly marks: readonly Mark[];
}

class ReviewFold {
  private state: State;
  /** What was left when the file had a content: it may come back to it, for instance by the editor's own undo. */
  private known = new Map<string, State & { readonly keeps: number }>();
  /** Changes that the user undid. They are open again when they come back. */
  private gone = new Map<string, readonly string[]>();
  private keeps: (readonly string[])[] = [];
  private kept = new Set<string>();
  /** Turn of a call that was cut off: it may have made what comes next. */
  private cutOff: string | null = null;

  constructor(start: Side) {
    this.state = { accepted: start, present: start, marks: [] };
    this.remember();
  }

  copy(): ReviewFold {
    const copy = new ReviewFold(this.state.accepted);
    copy.state = this.state;
    copy.known = new Map(this.known);
    copy.gone = new Map(this.gone);
    copy.keeps = [...this.keeps];
    copy.kept = new Set(this.kept);
    copy.cutOff = this.cutOff;
    return copy;
  }

  take(step: ReviewStep): void {
    if (step.kind === 'keep') {
      this.keep(acceptedAfter(this.state.accepted, step));
      return;
    }
    this.reach(step.before);
    if (step.kind === 'revert') this.reach(step.after);
    else if (step.kind === 'agent') this.call(step);
    this.remember();
  }

  seenNow(present: Side): LeftToReview {
    this.reach(present);
    const { accepted, marks } = this.state;
    const hunks = hunksOf(this.state);
    const isLeft = hunks.length > 0 || !isSame(accepted, this.state.present);
    const turns = hunks.length > 0 ? hunks.flatMap((hunk) => hunk.turns) : isLeft ? marks.map(({ turn }) => turn) : [];
    return { accepted, hunks, turns: new Set(turns), kept: this.kept };
  }

  private call({ turn, after, isKept }: Extract<ReviewStep, { readonly kind: 'agent' }>): void {
    if (after === undefined) this.cutOff = turn;
    else this.byAgent(after, turn);
    if (isKept) this.keepTurn(turn);
  }

  /** The file has this content now. */
  private reach(next: Side): void {
    const { accepted, present, marks } = this.state;
    if (isSame(present, next)) {
      this.cutOff = null;
      return;
    }
    if (this.cutOff !== null) {
      this.byAgent(next, this.cutOff);
      this.cutOff = null;
    } else if (this.cameBack(next)) {
      return;
    } else if (hasLines(accepted) && isText(present) && isText(next)) {
      const before = hunksOf(this.state);
      const changes = lineChanges(present.lines, next.lines);
      const own = changes.filter(
        (change) => !before.some((hunk) => doMeet(hunk, change) || bringsBack(accepted.lines, hunk, change)),
      );
      const again = own.filter((change) => this.gone.has(placedContent(present.lines, change)));
      this.state = {
        accepted: withOwn(accepted, before, own, again),
        present: next,
        marks: [
          ...moved(marks, changes),
          ...again.flatMap((change) => {
            const turns = this.gone.get(placedContent(present.lines, change)) ?? [];
            return turns.map((turn) => ({ ...placeIn(changes, change), turn }));
          }),
        ],
      };
      this.noteGone(accepted.lines, before);
    } else this.state = { accepted: isSame(accepted, next) ? accepted : next, present: next, marks: [] };
  }

  private byAgent(next: Side, turn: string): void {
    const { accepted, present, marks } = this.state;
    const changes = present.lines === null || next.lines === null ? [] : lineChanges(present.lines, next.lines);
    const made = changes.length === 0 ? [whole] : changes.map((change) => placeIn(changes, change));
    this.state = {
      accepted,
      present: next,
      marks: [...moved(marks, changes), ...made.map((place) => ({ ...place, turn }))],
    };
  }

  private keepTurn(turn: string): void {
    const { accepted, present } = this.state;
    if (accepted.lines === null || present.lines === null) return this.keep(present);
    const hunks = hunksOf(this.state);
    const own = hunks.filter(({ turns }) => turns.includes(turn));
    this.kept.add(turn);
    this.keep(own.length === hunks.length ? present : textOf(withKept(accepted.lines, own)));
  }

  private keep(accepted: Side): void {
    const before = hunksOf(this.state);
    const lines = this.state.accepted.lines ?? [];
    const all = this.state.marks.map(({ turn }) => turn);
    this.state = { ...this.state, accepted };
    const left = new Set(hunksOf(this.state).map((hunk) => contentOf(accepted.lines ?? [], hunk)));
    const now = before.filter((hunk) => !left.has(contentOf(lines, hunk)));
    this.keeps.push(now.map((hunk) => contentOf(lines, hunk)));
    for (const turn of before.length === 0 ? all : now.flatMap(({ turns }) => turns)) this.kept.add(turn);
  }

  /** True when the file is exactly what it was before. Then the same is left as then, without what was kept since. */
  private cameBack(next: Side): boolean {
    const then = typeof next.hash === 'string' ? this.known.get(next.hash) : undefined;
    if (then === undefined) return false;
    const since = new Set(this.keeps.slice(then.keeps).flat());
    const lines = then.accepted.lines;
    const kept = lines === null ? [] : hunksOf(then).filter((hunk) => since.has(contentOf(lines, hunk)));
    const accepted = lines === null || kept.length === 0 ? then.accepted : textOf(withKept(lines, kept));
    const before = this.state;
    this.state = { accepted, present: next, marks: then.marks };
    this.noteGone(before.accepted.lines ?? [], hunksOf(before));
    return true;
  }

  private noteGone(lines: readonly string[], before: readonly OpenHunk[]): void {
    const now = this.state.accepted.lines ?? [];
    const left = new Set(hunksOf(this.state).map((hunk) => contentOf(now, hunk)));
    for (const hunk of before) {
      if (!left.has(contentOf(lines, hunk))) this.gone.set(placedContent(lines, hunk), hunk.turns);
    }
  }

  private remember(): void {
    const { hash } = this.state.present;
    if (typeof hash === 'string') this.known.set(hash, { ...this.state, keeps: this.keeps.length });
  }
}

function textOf(lines: readonly string[]): Side {
  return { hash: undefined, lines };
}

type WithLines = Side & { readonly lines: readonly string[] };

function hasLines(side: Side): side is WithLines {
  return side.lines !== null;
}

function isText(side: Side): side is WithLines {
  return side.lines !== null && side.hash !== null;
}

function isSame(one: Side, other: Side): boolean {
  if (one.hash !== undefined && other.hash !== undefined) return one.hash === other.hash;
  if (one.hash === null || other.hash === null || one.lines === null || other.lines === null) return false;
  return areEqual(one.lines, other.lines);
}

function areEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}

/** A recorded keep, applied to what is accepted now. What no longer fits stays open. */
function acceptedAfter(accepted: Side, { before, after }: { readonly before: Side; readonly after: Side }): Side {
  if (isSame(accepted, before)) return after;
  if (accepted.lines === null || before.lines === null || after.lines === null) return accepted;
  if (areEqual(accepted.lines, before.lines)) return after;
  const merged = merge(before.lines, accepted.lines, after.lines);
  return merged.kind === 'clean' ? textOf(merged.lines) : accepted;
}

/** The accepted text with changes that the user made outside of all hunks. */
function withOwn(
  accepted: WithLines,
  hunks: readonly OpenHunk[],
  own: readonly LineChange[],
  except: readonly LineChange[],
): Side {
  const changes = own.filter((change) => !except.includes(change));
  if (changes.length === 0) return accepted;
  const placed = changes.map((change) => ({ ...change, at: change.at - shiftAt(hunks, change.at) }));
  return textOf(withKept(accepted.lines, placed));
}

/** Lines that hunks above a line of the present text added to it. */
function shiftAt(hunks: readonly OpenHunk[], line: number): number {
  return hunks
    .filter(({ now, added }) => now + added.length <= line)
    .reduce((sum, { added, removed }) => sum + added.length - removed, 0);
}

const hunksOfState = new WeakMap<State, readonly OpenHunk[]>();

function hunksOf(state: State): readonly OpenHunk[] {
  const known = hunksOfState.get(state);
  const hunks = known ?? computedHunks(state);
  if (known === undefined) hunksOfState.set(state, hunks);
  return hunks;
}

function computedHunks({ accepted, present, marks }: State): readonly OpenHunk[] {
  if (accepted.lines === null || present.lines === null) return [];
  let shift = 0;
  return lineChanges(accepted.lines, present.lines).map((change) => {
    const now = change.at + shift;
    shift += change.added.length - change.removed;
    const place = { start: now, end: now + change.added.length };
    const inside = marks.filter((mark) => doOverlap(mark, place));
    const made =
      inside.length > 0 ? inside : marks.filter(({ start, end }) => start <= place.end && place.start <= end);
    return { ...change, now, turns: [...new Set((made.length > 0 ? made : marks).map(({ turn }) => turn))] };
  });
}

function doMeet({ now, added }: OpenHunk, { at, removed }: LineChange): boolean {
  return now < at + removed && at < now + added.length;
}

/** True when lines that agents removed are inserted again in their place: all of them, the first or the last ones. */
function bringsBack(accepted: readonly string[], { at, removed, added, now }: OpenHunk, change: LineChange): boolean {
  if (removed === 0 || change.removed > 0) return false;
  const lines = accepted.slice(at, at + removed);
  const count = change.added.length;
  const isFirst = change.at === now && areEqual(change.added, lines.slice(0, count));
  const isLast = change.at === now + added.length && areEqual(change.added, lines.slice(-count));
  const isWithin = added.length === 0 && change.at === now;
  const isAll =
    isWithin && change.added.some((_line, index) => areEqual(lines, change.added.slice(index, index + removed)));
  return isFirst || isLast || isAll;
}

/** An empty place overlaps another one also at its edges. */
function doOverlap(one: Omit<Mark, 'turn'>, other: Omit<Mark, 'turn'>): boolean {
  const isEdge = one.start === one.end || other.start === other.end;
  return isEdge ? one.start <= other.end && other.start <= one.end : one.start < other.end && other.start < one.end;
}

/** Place of one of these changes in the later text. */
function placeIn(changes: readonly LineChange[], change: LineChange): Omit<Mark, 'turn'> {
  const start = changes
    .slice(0, changes.indexOf(change))
    .reduce((at, { added, removed }) => at + added.length - removed, change.at);
  return { start, end: start + change.added.length };
}

/** Marks in the later text. A mark in which lines were changed covers those as well. */
function moved(marks: readonly Mark[], changes: readonly LineChange[]): readonly Mark[] {
  return marks.map(({ start, end, turn }) => {
    let [from, to] = [start, end];
    for (const { at, removed, added } of changes.toReversed()) {
      const by = added.length - removed;
      if (at + removed <= from && !(start === end && at === from && removed === 0)) [from, to] = [from + by, to + by];
      else if (at < to) [from, to] = [Math.min(from, at), Math.max(to, at + removed) + by];
    }
    return { start: from, end: to, turn };
  });
}

/** The same for each change with the same lines, wherever they are. */
function contentOf(from: readonly string[], { at, removed, added }: LineChange): string {
  return JSON.stringify([from.slice(at, at + removed), added]);
}

/** The same for a change with the same lines below the same line. */
function placedContent(from: readonly string[], change: LineChange): string {
  return JSON.stringify([from[change.at - 1] ?? null, contentOf(from, change)]);
}
