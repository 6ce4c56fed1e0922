import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChangedFilesWorld } from '../support/review/changedFilesWorld';

/** A line of the file now, of the text that the user has accepted, or of both. */
interface Line {
  readonly text: string;
  accepted: boolean;
  present: boolean;
  /** Turn that wrote or removed it. */
  turn: string | null;
}

type Walk =
  | {
      readonly kind: 'agent';
      readonly at: number;
      readonly remove: number;
      readonly add: number;
      readonly turn: number;
    }
  | { readonly kind: 'person'; readonly at: number; readonly remove: number; readonly add: number }
  | { readonly kind: 'within'; readonly at: number }
  | { readonly kind: 'keep' | 'undo' | 'keepTurn'; readonly at: number }
  | { readonly kind: 'undoRevert' }
  | { readonly kind: 'reload' };

const walk: fc.Arbitrary<Walk> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('agent' as const),
      at: fc.nat(20),
      remove: fc.nat(2),
      add: fc.nat(3),
      turn: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('person' as const), at: fc.nat(20), remove: fc.nat(1), add: fc.nat(2) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('within' as const), at: fc.nat(20) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('keep', 'undo', 'keepTurn'), at: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.constantFrom<Walk>({ kind: 'undoRevert' }, { kind: 'reload' }) },
);
const runs = Number(process.env['PROPERTY_RUNS'] ?? 150);
const name = 'a.ts';

/** Reviews a file, and keeps a list of its lines beside it. */
class Reviewer {
  private count = 0;
  private lines: Line[] = Array.from({ length: 12 }, (_, index) => line(`base ${index}`, null));
  private readonly broughtBack = new Set<Line>();
  /** What the newest undo changed, to take it back. */
  private undone: { readonly line: Line; readonly present: boolean }[][] = [];

  constructor(private readonly world: ChangedFilesWorld) {
    world.person(name, this.text());
  }

  async take(step: Walk): Promise<void> {
    if (step.kind === 'agent') await this.agent(step);
    else if (step.kind === 'person') this.person(step);
    else if (step.kind === 'within') this.within(step.at);
    else if (step.kind === 'reload') this.world.reload();
    else if (step.kind === 'undoRevert') await this.undoRevert();
    else await this.review(step.kind, step.at);
    await this.check();
  }

  private async agent({ at, remove, add, turn }: Extract<Walk, { readonly kind: 'agent' }>): Promise<void> {
    this.edit(at, remove, add, `t${turn}`);
    await this.world.agent(name, this.text(), { turnUid: `t${turn}` });
  }

  /** The person changes lines that are not next to a change. */
  private person({ at, remove, add }: Extract<Walk, { readonly kind: 'person' }>): void {
    const shown = this.lines.filter(({ present }) => present);
    const start = at % (shown.length + 1);
    const near = this.lines.indexOf(shown[start - 1] ?? line('', null));
    const end = shown[start + remove] === undefined ? this.lines.length : this.lines.indexOf(shown[start + remove]!);
    const touched = this.lines.slice(Math.max(0, near - 1), end + 2);
    if (touched.some(({ accepted, present }) => accepted !== present)) return;
    // Who takes out again what an agent had taken out brings its change back.
    if (touched.some((each) => this.broughtBack.has(each))) return;
    this.edit(start, remove, add, null);
    this.world.person(name, this.text());
  }

  /** The person adds a line within lines that an agent wrote. It belongs to the change. */
  private within(at: number): void {
    const places = this.lines.flatMap((one, index) => {
      const next = this.lines[index + 1];
      const isInside = next !== undefined && [one, next].every((each) => each.present && !each.accepted);
      return isInside ? [index + 1] : [];
    });
    const place = places[at % Math.max(1, places.length)];
    if (place === undefined) return;
    this.lines.splice(place, 0, { ...line(`person ${++this.count}`, null), accepted: false });
    this.world.person(name, this.text());
  }

  private edit(at: number, remove: number, add: number, turn: string | null): void {
    const shown = this.lines.filter(({ present }) => present);
    const start = at % (shown.length + 1);
    const before = shown[start];
    const place = before === undefined ? this.lines.length : this.lines.indexOf(before);
    const gone = new Set(shown.slice(start, start + remove));
    // Where a line that was undone would come back beside others is up to the merge.
    const near = this.lines.slice(Math.max(0, place - 3), place + remove + 3);
    if (this.undone.flat().some((each) => near.includes(each.line))) this.undone = [];
    const added = Array.from({ length: add }, () => ({
      ...line(`${turn ?? 'person'} ${++this.count}`, turn),
      accepted: turn === null,
    }));
    this.lines.splice(place, 0, ...added);
    for (const each of gone) {
      each.present = false;
      each.turn = turn;
      if (turn === null) each.accepted = false;
    }
    this.forget();
  }

  private async review(kind: 'keep' | 'undo' | 'keepTurn', at: number): Promise<void> {
    const own = this.hunks();
    const hunk = own[at % Math.max(1, own.length)];
    if (hunk === undefined) return;
    const path = this.world.path(name);
    const shown = await this.world.files.hunks(null, path);
    const id = shown[own.indexOf(hunk)]?.id ?? '';
    if (kind === 'keepTurn') {
      // Every change that the turn had a part in.
      const turn = `t${(at % 3) + 1}`;
      const ids = new Set((await this.world.files.hunks(turn, path)).map((each) => each.id));
      const kept = own.filter((_each, index) => ids.has(shown[index]?.id ?? ''));
      await this.world.files.reviewFiles(turn, null, 'keep', false);
      kept.flat().forEach((each) => (each.accepted = each.present));
    } else {
      const { sentence } = await this.world.files.reviewHunk(null, path, id, kind === 'keep' ? 'keep' : 'revert');
      expect(sentence).toBeNull();
      if (kind === 'undo') this.undone.push(hunk.map((each) => ({ line: each, present: each.present })));
      if (kind === 'undo') hunk.filter(({ accepted }) => accepted).forEach((each) => this.broughtBack.add(each));
      for (const each of hunk)
        if (kind === 'keep') each.accepted = each.present;
        else each.present = each.accepted;
    }
    this.forget();
  }

  /** Drops lines that are gone, but for those that an undone revert would bring back. */
  private forget(): void {
    const kept = new Set(this.undone.flat().map((each) => each.line));
    this.lines = this.lines.filter((each) => each.accepted || each.present || kept.has(each));
  }

  private async undoRevert(): Promise<void> {
    const revert = await this.world.files.newestRevertOf(this.world.path(name));
    if (revert === null || this.undone.length === 0) return;
    const before = this.world.text(name);
    const { sentence } = await this.world.files.undoRevert([revert]);
    const undone = this.undone.pop() ?? [];
    if (sentence !== null) {
      expect(this.world.text(name)).toBe(before);
      this.undone.push(undone);
      return;
    }
    for (const each of undone) each.line.present = each.present;
  }

  /** The changes that are left: lines side by side that are in one text only. */
  private hunks(): Line[][] {
    const hunks: Line[][] = [];
    let open: Line[] | null = null;
    for (const each of this.lines.filter(({ accepted, present }) => accepted || present)) {
      if (each.accepted === each.present) open = null;
      else if (open === null) hunks.push((open = [each]));
      else open.push(each);
    }
    return hunks;
  }

  private async check(): Promise<void> {
    const shown = await this.world.files.hunks(null, this.world.path(name));
    const own = this.hunks();
    const texts = (lines: readonly Line[]): readonly string[] => lines.map(({ text }) => text);
    expect({
      text: this.world.text(name),
      hunks: shown.map(({ removed, added }) => ({ removed, added })),
    }).toEqual({
      text: this.text(),
      hunks: own.map((hunk) => ({
        removed: texts(hunk.filter(({ accepted }) => accepted)),
        added: texts(hunk.filter(({ present }) => present)),
      })),
    });
    for (const turn of ['t1', 't2', 't3']) {
      const has = own.some((hunk) => hunk.some((each) => each.turn === turn));
      const state = (await this.world.files.ofTurns([turn]))[turn]?.[0]?.state;
      if (has) expect(['open', 'partly', 'changedSince', undefined]).toContain(state);
      else if (own.length === 0) expect(['kept', 'reverted', undefined]).toContain(state);
    }
  }

  private text(): string {
    return this.lines
      .filter(({ present }) => present)
      .map(({ text }) => `${text}\n`)
      .join('');
  }
}

function line(text: string, turn: string | null): Line {
  return { text, accepted: true, present: true, turn };
}

describe('the review of a file', () => {
  it('shows what a plain list of lines says, whatever was kept, undone, brought back and edited before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(walk, { minLength: 3, maxLength: 24 }), async (steps) => {
        const world = await ChangedFilesWorld.open();
        try {
          const reviewer = new Reviewer(world);
          for (const each of steps) await reviewer.take(each);
        } finally {
          world.dispose();
        }
      }),
      { numRuns: runs },
    );
  });
});
